"""TCP held a message back behind earlier bytes of its stream."""

from __future__ import annotations

from collections.abc import Iterator

from busmark.plugins.capture.late.trace import Evidence, Leg, Proof, Trace
from busmark.plugins.capture.late.wire import NO_ROWS, Packet

CAUSE = "tcp-window"
SPAN_NS = 1_000_000_000
"""How far back segments and acknowledgements are looked for."""
AFTER = 0.1
"""Share of the wait within which the message must follow the acknowledgement."""


def find(trace: Trace) -> Iterator[Proof]:
    """Bytes before it left only after it was written; or they were not acknowledged then, and it
    left right after an acknowledgement: by the window of the network or of the receiver, or by
    Nagle's algorithm."""
    for leg in trace.legs:
        own = leg.first
        if own is not None and own.flow is not None and own.stream_end is not None:
            yield from _queued(trace, leg, own, own.flow)
            yield from _held_back(trace, leg, own, own.flow)


def _queued(trace: Trace, leg: Leg, own: Packet, flow: int) -> Iterator[Proof]:
    wire, left = trace.wire, own.first_ns
    rows = wire.within(wire.of_flow.get(flow, NO_ROWS), leg.begin_ns + 1, left)
    rows = rows[(wire.value("tcp_bytes", rows) > 0) & (wire.value("packet", rows) != own.packet)
                & ~wire.value("retransmission", rows).astype(bool)]  # fmt: skip
    if len(rows) and int(wire.value("stream_end", rows[-1:])[0]) <= (own.stream_end or 0):
        first, last = wire.packet(rows[0]), wire.packet(rows[-1])
        yield Proof(CAUSE, last.time_ns - leg.begin_ns,
                    f"bytes before it left after it was written, up to packet {last.packet}; it "
                    f"left with packet {own.packet}",
                    (Evidence(first, "earlier bytes, sent after the write"),
                     Evidence(last, "the last of them"),
                     Evidence(own, "the sample, sent behind them")))  # fmt: skip


def _held_back(trace: Trace, leg: Leg, own: Packet, flow: int) -> Iterator[Proof]:
    wire, left = trace.wire, own.first_ns
    wait = left - leg.begin_ns
    answers = wire.acknowledged(flow, leg.begin_ns, left)
    if wait <= 0 or not len(answers):
        return
    freeing = wire.packet(answers[-1])
    known = wire.acknowledged(flow, leg.begin_ns - SPAN_NS, leg.begin_ns - 1)
    before = int(wire.value("acked", known).max()) if len(known) else 0
    rows = wire.within(wire.of_flow.get(flow, NO_ROWS), leg.begin_ns - SPAN_NS, leg.begin_ns)
    rows = rows[wire.value("tcp_bytes", rows) > 0]
    if not len(rows) or not known.size or left - freeing.time_ns > AFTER * wait:
        return
    sent = wire.packet(rows[-1])
    if (sent.stream_end or 0) <= before or (freeing.acked or 0) <= before:
        return
    yield Proof(CAUSE, wait,
                f"bytes before it, up to packet {sent.packet}, were not acknowledged when it was "
                f"written; it left with packet {own.packet}, after the acknowledgement "
                f"{freeing.packet}",
                (Evidence(sent, "sent before, not acknowledged"),
                 Evidence(freeing, "acknowledgement"),
                 Evidence(own, "the sample, sent after it")))  # fmt: skip
