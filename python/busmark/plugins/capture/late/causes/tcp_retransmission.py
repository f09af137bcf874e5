"""A segment of TCP was sent again before the message was complete."""

from __future__ import annotations

from collections.abc import Iterator

from busmark.plugins.capture.late.trace import Evidence, Leg, Proof, Trace
from busmark.plugins.capture.late.wire import NO_ROWS, Packet

CAUSE = "tcp-retransmission"
SPAN_NS = 10_000_000_000
"""How far back the first copy of a segment is looked for."""


def find(trace: Trace) -> Iterator[Proof]:
    """The last segment that was sent again, of bytes up to the end of the message: everything
    behind a lost segment waits for it, and what is not yet sent waits in the sender."""
    for leg in trace.legs:
        for flow in dict.fromkeys(p.flow for p in leg.packets if p.flow is not None):
            own = next(p for p in leg.packets if p.flow == flow)
            yield from _on_flow(trace, leg, own, flow)


def _on_flow(trace: Trace, leg: Leg, own: Packet, flow: int) -> Iterator[Proof]:
    wire, end = trace.wire, own.stream_end
    if end is None:
        return
    rows = wire.within(wire.retransmitted.get(flow, NO_ROWS), leg.begin_ns, leg.end_ns)
    for row in reversed(rows.tolist()):
        again = wire.packet(row)
        if again.stream_end is None or again.stream_end - (again.tcp_bytes or 0) >= end:
            continue
        first = _first_copy(trace, again)
        evidence = [Evidence(again, "segment sent again")]
        since = leg.begin_ns
        if first is not None:
            evidence.insert(0, Evidence(first, "segment as it was sent first"))
            since = max(since, first.time_ns)
        said = f"packet {again.packet} repeats bytes of its stream that had been sent before"
        until = again.time_ns
        if until <= own.first_ns <= leg.end_ns and own.first_ns - until <= until - leg.begin_ns:
            evidence.append(Evidence(own, "the sample, sent only afterwards"))
            said += f", and packet {own.packet} with the sample left after it"
            until, since = own.first_ns, leg.begin_ns
        yield Proof(CAUSE, until - since, said, tuple(evidence))
        return


def _first_copy(trace: Trace, again: Packet) -> Packet | None:
    """The segment that ended where this one ends, or the last before it that had its bytes."""
    wire = trace.wire
    if again.flow is None or again.stream_end is None:
        return None
    rows = wire.of_flow.get(again.flow, NO_ROWS)
    rows = wire.within(rows, again.time_ns - SPAN_NS, again.time_ns)
    rows = rows[(rows != again.row) & (wire.value("tcp_bytes", rows) > 0)]
    ends = wire.value("stream_end", rows)
    begins = ends - wire.value("tcp_bytes", rows)
    start = again.stream_end - (again.tcp_bytes or 0)
    packets = wire.value("packet", rows)
    same = rows[(ends > start) & (begins < again.stream_end) & (packets != again.packet)
                & ~wire.value("retransmission", rows).astype(bool)]  # fmt: skip
    return wire.packet(same[0]) if len(same) else None
