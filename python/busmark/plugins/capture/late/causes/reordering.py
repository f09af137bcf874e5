"""A packet that came after those which had been sent after it."""

from __future__ import annotations

from collections.abc import Iterator

from busmark.plugins.capture.late.trace import Evidence, Leg, Proof, Trace
from busmark.plugins.capture.late.wire import NO_ROWS, Packet

CAUSE = "reordering"


def find(trace: Trace) -> Iterator[Proof]:
    """The first packet of a later sample of the same writer, or a segment of TCP behind a hole,
    which was there before the sample was; nothing was sent again."""
    for leg in trace.legs:
        for flow in dict.fromkeys(p.flow for p in leg.packets if p.flow is not None):
            own = next(p for p in leg.packets if p.flow == flow)
            if not own.repeated and own.time_ns <= leg.end_ns:
                yield from _on_flow(trace, leg, own)


def _on_flow(trace: Trace, leg: Leg, own: Packet) -> Iterator[Proof]:
    wire, flow = trace.wire, own.flow
    if flow is None or own.sample_seq is None:
        return
    if own.stream_end is not None:
        rows = wire.within(wire.early.get(flow, NO_ROWS), leg.begin_ns, own.time_ns)
        again = wire.within(wire.retransmitted.get(flow, NO_ROWS), leg.begin_ns, own.time_ns)
        if len(rows) and not len(again):
            yield _proof(wire.packet(rows[0]), own, "segment of TCP")
        return
    rows = wire.within(wire.samples_of.get((flow, own.sample_writer), NO_ROWS),
                       leg.begin_ns, own.time_ns - 1)  # fmt: skip
    rows = rows[(wire.value("sample_seq", rows) > own.sample_seq)
                & ~wire.value("repeated", rows).astype(bool)]  # fmt: skip
    if len(rows):
        yield _proof(wire.packet(rows[0]), own, "sample")


def _proof(later: Packet, own: Packet, what: str) -> Proof:
    return Proof(CAUSE, own.time_ns - later.time_ns,
                 f"packet {own.packet} came after packet {later.packet}, which has a later {what}",
                 (Evidence(later, f"later {what}, came first"),
                  Evidence(own, "the sample, came after it")))  # fmt: skip
