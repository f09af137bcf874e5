"""Nagle's algorithm waits for a delayed acknowledgement: the 40 ms family."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from busmark.plugins.capture.late.trace import Evidence, Leg, Proof, Trace
from busmark.plugins.capture.late.wire import NO_ROWS, Packet

CAUSE = "delayed-ack"
LEAST_NS = 10_000_000
"""A gap below is no delayed acknowledgement: Linux delays by 40 ms at least, others by 20 ms and
more."""
SPAN_NS = 1_000_000_000
"""How far back segments and acknowledgements are looked for."""
AFTER = 0.1
"""Share of the gap within which the waiting segment must follow the acknowledgement."""


def find(trace: Trace) -> Iterator[Proof]:
    """A segment of the message left only when everything before was acknowledged, by a packet that
    came long after and carries nothing."""
    found = [
        proof for leg in trace.legs
        for flow in dict.fromkeys(p.flow for p in leg.packets if p.flow is not None)
        if trace.wire.flows[flow].transport == "tcp"
        for proof in _on_flow(trace, leg, flow)
    ]  # fmt: skip
    if len(found) > 1:
        # One after the other, on the hops of the way.
        yield Proof(CAUSE, sum(each.wait_ns or 0 for each in found),
                    ", and ".join(each.said for each in found),
                    tuple(shown for each in found for shown in each.evidence))  # fmt: skip
    yield from found


def _on_flow(trace: Trace, leg: Leg, flow: int) -> Iterator[Proof]:
    wire = trace.wire
    own = [p for p in leg.packets if p.flow == flow and p.time_ns <= leg.end_ns]
    if not own or own[0].stream_end is None:
        return
    last = own[0]
    # The segment before the message may be unacknowledged as well.
    rows = wire.of_flow.get(flow, NO_ROWS)
    rows = rows[wire.value("tcp_bytes", rows) > 0]
    inside = wire.within(rows, leg.begin_ns, last.time_ns)
    before = wire.within(rows, leg.begin_ns - SPAN_NS, leg.begin_ns - 1)[-1:]
    segments = wire.packets([*before, *inside])
    if any(each.retransmission for each in segments):
        return
    for earlier, later in pairwise(segments):
        since = max(earlier.time_ns, leg.begin_ns)
        if later.time_ns - since >= LEAST_NS:
            yield from _gap(trace, leg, earlier, later)


def _gap(trace: Trace, leg: Leg, earlier: Packet, later: Packet) -> Iterator[Proof]:
    wire, flow = trace.wire, later.flow
    if flow is None or earlier.stream_end is None:
        return
    since = max(earlier.time_ns, leg.begin_ns)
    known = wire.acknowledged(flow, since - SPAN_NS, since)
    if len(known) and int(wire.value("acked", known).max()) >= earlier.stream_end:
        return
    answers = wire.packets(wire.acknowledged(flow, since, later.time_ns))
    freeing = next((a for a in answers if (a.acked or 0) >= earlier.stream_end), None)
    if freeing is None or freeing.tcp_bytes:
        return
    wait, rest = freeing.time_ns - since, later.time_ns - freeing.time_ns
    if wait < LEAST_NS or rest > AFTER * wait:
        return
    yield Proof(
        CAUSE, wait,
        f"the segment in packet {later.packet} was held back until packet {freeing.packet} "
        f"acknowledged the segment in packet {earlier.packet}",
        (Evidence(earlier, "segment that waits for its acknowledgement"),
         Evidence(freeing, "its acknowledgement, without data"),
         Evidence(later, "segment that was held back until then")),
    )  # fmt: skip
