"""What holds up the bytes of a stream: TCP sends a segment again, or waits before it sends one."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from busmark.plugins.capture.late.trace import Evidence, Proof, Segment, Trace
from busmark.plugins.capture.late.wire import NO_ROWS, Packet

DELAYED_ACK = "delayed-ack"
LEAST_NS = 10_000_000
"""A gap below is no delayed acknowledgement: Linux delays by 40 ms at least, others by 20 ms and
more."""
SPAN_NS = 1_000_000_000
"""How far back segments and acknowledgements are looked for."""
AFTER = 0.1
"""Share of the gap within which the waiting segment must follow the acknowledgement."""


def delayed_ack(trace: Trace) -> Iterator[Proof]:
    """Prove that a segment of the message left only when everything before was acknowledged, by a
    packet that came long after and carries nothing."""
    found = [
        proof
        for segment in trace.segments
        for flow in dict.fromkeys(p.flow for p in segment.packets if p.flow is not None)
        if trace.wire.flows[flow].transport == "tcp"
        for proof in _waiting(trace, segment, flow)
    ]
    if len(found) > 1:
        # One after the other, on the hops of the way.
        yield Proof(
            DELAYED_ACK,
            sum(each.wait_ns or 0 for each in found),
            ", and ".join(each.said for each in found),
            tuple(shown for each in found for shown in each.evidence),
        )
    yield from found


def _waiting(trace: Trace, segment: Segment, flow: int) -> Iterator[Proof]:
    wire = trace.wire
    own = [p for p in segment.packets if p.flow == flow and p.time_ns <= segment.end_ns]
    if not own or own[0].stream_end is None:
        return
    last = own[0]
    # The segment before the message may be unacknowledged as well.
    rows = wire.of_flow.get(flow, NO_ROWS)
    rows = rows[wire.value("tcp_bytes", rows) > 0]
    inside = wire.within(rows, segment.begin_ns, last.time_ns)
    before = wire.within(rows, segment.begin_ns - SPAN_NS, segment.begin_ns - 1)[-1:]
    segments = wire.packets([*before, *inside])
    if any(each.retransmission for each in segments):
        return
    for earlier, later in pairwise(segments):
        since = max(earlier.time_ns, segment.begin_ns)
        if later.time_ns - since >= LEAST_NS:
            yield from _gap(trace, segment, earlier, later)


def _gap(trace: Trace, segment: Segment, earlier: Packet, later: Packet) -> Iterator[Proof]:
    wire, flow = trace.wire, later.flow
    if flow is None or earlier.stream_end is None:
        return
    since = max(earlier.time_ns, segment.begin_ns)
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
        DELAYED_ACK, wait,
        f"the segment in packet {later.packet} was held back until packet {freeing.packet} "
        f"acknowledged the segment in packet {earlier.packet}",
        (Evidence(earlier, "segment that waits for its acknowledgement"),
         Evidence(freeing, "its acknowledgement, without data"),
         Evidence(later, "segment that was held back until then")),
    )  # fmt: skip


RETRANSMISSION = "tcp-retransmission"
COPY_SPAN_NS = 10_000_000_000
"""How far back the first copy of a segment is looked for."""


def retransmission(trace: Trace) -> Iterator[Proof]:
    """Find the last segment that was sent again, of bytes up to the end of the message: everything
    behind a lost segment waits for it, and what is not yet sent waits in the sender."""
    for segment in trace.segments:
        for flow in dict.fromkeys(p.flow for p in segment.packets if p.flow is not None):
            own = next(p for p in segment.packets if p.flow == flow)
            yield from _sent_again(trace, segment, own, flow)


def _sent_again(trace: Trace, segment: Segment, own: Packet, flow: int) -> Iterator[Proof]:
    wire, end = trace.wire, own.stream_end
    if end is None:
        return
    rows = wire.within(wire.retransmitted.get(flow, NO_ROWS), segment.begin_ns, segment.end_ns)
    for row in reversed(rows.tolist()):
        again = wire.packet(row)
        if again.stream_end is None or again.stream_end - (again.tcp_bytes or 0) >= end:
            continue
        first = _first_copy(trace, again)
        evidence = [Evidence(again, "segment sent again")]
        since = segment.begin_ns
        if first is not None:
            evidence.insert(0, Evidence(first, "segment as it was sent first"))
            since = max(since, first.time_ns)
        said = f"packet {again.packet} repeats bytes of its stream that had been sent before"
        until = again.time_ns
        if (
            until <= own.first_ns <= segment.end_ns
            and own.first_ns - until <= until - segment.begin_ns
        ):
            evidence.append(Evidence(own, "the sample, sent only afterwards"))
            said += f", and packet {own.packet} with the sample left after it"
            until, since = own.first_ns, segment.begin_ns
        yield Proof(RETRANSMISSION, until - since, said, tuple(evidence))
        return


def _first_copy(trace: Trace, again: Packet) -> Packet | None:
    """Return the segment that first had any of this one's bytes, sent earlier; None without one."""
    wire = trace.wire
    if again.flow is None or again.stream_end is None:
        return None
    rows = wire.of_flow.get(again.flow, NO_ROWS)
    rows = wire.within(rows, again.time_ns - COPY_SPAN_NS, again.time_ns)
    rows = rows[(rows != again.row) & (wire.value("tcp_bytes", rows) > 0)]
    ends = wire.value("stream_end", rows)
    begins = ends - wire.value("tcp_bytes", rows)
    start = again.stream_end - (again.tcp_bytes or 0)
    packets = wire.value("packet", rows)
    same = rows[
        (ends > start)
        & (begins < again.stream_end)
        & (packets != again.packet)
        & ~wire.value("retransmission", rows).astype(bool)
    ]
    return wire.packet(same[0]) if len(same) else None


WINDOW = "tcp-window"


def window(trace: Trace) -> Iterator[Proof]:
    """Prove that bytes before it left only after it was written; or that they were not acknowledged
    then, and it left right after an acknowledgement: by the window of the network or of the
    receiver, or by Nagle's algorithm."""
    for segment in trace.segments:
        own = segment.first
        if own is not None and own.flow is not None and own.stream_end is not None:
            yield from _queued(trace, segment, own, own.flow)
            yield from _held_back(trace, segment, own, own.flow)


def _queued(trace: Trace, segment: Segment, own: Packet, flow: int) -> Iterator[Proof]:
    wire, left = trace.wire, own.first_ns
    rows = wire.within(wire.of_flow.get(flow, NO_ROWS), segment.begin_ns + 1, left)
    rows = rows[
        (wire.value("tcp_bytes", rows) > 0)
        & (wire.value("packet", rows) != own.packet)
        & ~wire.value("retransmission", rows).astype(bool)
    ]
    if len(rows) and int(wire.value("stream_end", rows[-1:])[0]) <= (own.stream_end or 0):
        first, last = wire.packet(rows[0]), wire.packet(rows[-1])
        yield Proof(WINDOW, last.time_ns - segment.begin_ns,
                    f"bytes before it left after it was written, up to packet {last.packet}; it "
                    f"left with packet {own.packet}",
                    (Evidence(first, "earlier bytes, sent after the write"),
                     Evidence(last, "the last of them"),
                     Evidence(own, "the sample, sent behind them")))  # fmt: skip


def _held_back(trace: Trace, segment: Segment, own: Packet, flow: int) -> Iterator[Proof]:
    wire, left = trace.wire, own.first_ns
    wait = left - segment.begin_ns
    answers = wire.acknowledged(flow, segment.begin_ns, left)
    if wait <= 0 or not len(answers):
        return
    freeing = wire.packet(answers[-1])
    known = wire.acknowledged(flow, segment.begin_ns - SPAN_NS, segment.begin_ns - 1)
    before = int(wire.value("acked", known).max()) if len(known) else 0
    rows = wire.within(
        wire.of_flow.get(flow, NO_ROWS), segment.begin_ns - SPAN_NS, segment.begin_ns
    )
    rows = rows[wire.value("tcp_bytes", rows) > 0]
    if not len(rows) or not known.size or left - freeing.time_ns > AFTER * wait:
        return
    sent = wire.packet(rows[-1])
    if (sent.stream_end or 0) <= before or (freeing.acked or 0) <= before:
        return
    yield Proof(WINDOW, wait,
                f"bytes before it, up to packet {sent.packet}, were not acknowledged when it was "
                f"written; it left with packet {own.packet}, after the acknowledgement "
                f"{freeing.packet}",
                (Evidence(sent, "sent before, not acknowledged"),
                 Evidence(freeing, "acknowledgement"),
                 Evidence(own, "the sample, sent after it")))  # fmt: skip
