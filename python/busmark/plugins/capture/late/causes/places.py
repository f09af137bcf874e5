"""Where a sample was dropped or stayed: behind the capture, in a relay, on a link, in a process."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import pairwise

from busmark.plugins.capture.late.causes import rtps, xrce
from busmark.plugins.capture.late.causes.xrce import Recovery, recoveries
from busmark.plugins.capture.late.trace import Evidence, Proof, Segment, Trace
from busmark.plugins.capture.late.wire import Flow, Packet, passes

DROPPED = "kernel-drop"
LINK = "lab-link"


def behind_capture(trace: Trace) -> Iterator[Proof]:
    """The sample was never read, or asked for again, though its packet arrived; and the kernel
    counted datagrams that it dropped at sockets, or the lab's links lose packets."""
    counters = trace.counters
    if not counters.socket_drops and not counters.link_loss:
        return
    for segment in trace.segments:
        if any(p.stream_end is not None for p in segment.packets):
            continue
        if segment.packets and not segment.is_read:
            yield _never_read(trace, segment)
        elif not counters.link_loss:
            yield from _asked_again(trace, segment)


def _never_read(trace: Trace, segment: Segment) -> Proof:
    last = segment.packets[-1]
    counters = trace.counters
    said = f"packet {last.packet} was captured and never read"
    evidence = (Evidence(last, "the sample, captured and never read"),)
    if counters.link_loss:
        drops = f", and {counters.socket_drops} datagrams at sockets" * bool(counters.socket_drops)
        said += f"; behind the capture the lab's links drop {counters.link_loss} of packets{drops}"
        return Proof(LINK, None, said, evidence)
    said += f"; the kernel dropped {counters.socket_drops} datagrams at sockets in this round"
    return Proof(DROPPED, None, said, evidence)


def _asked_again(trace: Trace, segment: Segment) -> Iterator[Proof]:
    """On the reader's own interface a packet that is there is lost by nothing but the kernel."""
    wire = trace.wire
    if len(wire.files) > 1 or wire.files[0].interface != "lo":
        return
    part = Trace(trace.sample, wire, (segment,), trace.counters)
    for proof in (*rtps.recovery(part), *xrce.recovery(part)):
        yield Proof(
            DROPPED,
            proof.wait_ns,
            f"{proof.said}; the first copy passed loopback, and the kernel dropped "
            f"{trace.counters.socket_drops} datagrams at sockets in this round",
            proof.evidence,
        )


RELAY = "in-relay"


def in_relay(trace: Trace) -> Iterator[Proof]:
    """The longest stay of the sample in a process that passes it on."""
    for segment in trace.segments:
        first: dict[int, Packet] = {}
        for each in segment.packets:
            if each.flow is not None and each.time_ns <= segment.end_ns:
                first.setdefault(each.flow, each)
        hops = sorted(first.values(), key=lambda each: each.time_ns)
        for came, out in pairwise(hops):
            if passes(trace.wire, came, out) and out.first_ns > came.time_ns:
                yield _stay(trace, segment, _last_copy(segment, came, out), out)


def _last_copy(segment: Segment, came: Packet, out: Packet) -> Packet:
    """An earlier copy may have been lost behind its capture."""
    copies = [p for p in segment.packets if p.flow == came.flow and p.time_ns < out.first_ns]
    return max((came, *copies), key=lambda each: each.time_ns)


def _stay(trace: Trace, segment: Segment, into: Packet, out: Packet) -> Proof:
    evidence = [Evidence(into, f"into the process between, by {_protocol(into)}")]
    said = f"it went in with packet {into.packet} and out with packet {out.packet}"
    since = into.time_ns
    for one in recoveries(trace, segment):
        # Until then the process waited for what the stream lacked, and could not pass it on.
        if _same_ends(trace, one, into) and since < one.again.time_ns < out.first_ns:
            since = one.again.time_ns
            evidence.append(Evidence(one.again, "what came before it in its stream, sent again"))
            said = (
                f"it went in with packet {into.packet}, what its stream lacked with packet "
                f"{one.again.packet}, and out with packet {out.packet}"
            )
    evidence.append(Evidence(out, f"out of it, by {_protocol(out)}"))
    return Proof(RELAY, out.first_ns - since, said, tuple(evidence))


def _same_ends(trace: Trace, one: Recovery, into: Packet) -> bool:
    def ends(flow: Flow) -> tuple[str, str, str]:
        return flow.transport, flow.source, flow.destination

    flows = trace.wire.flows
    return into.flow is not None and ends(flows[one.stream[0]]) == ends(flows[into.flow])


def _protocol(packet: Packet) -> str:
    return (packet.protocol or "").upper().replace("BUSMARK", "socket")


ON_LINK = "on-link"


def on_link(trace: Trace) -> Iterator[Proof]:
    """The same packet in two files: addresses, protocol and numbers are equal."""
    wire = trace.wire
    for segment in trace.segments:
        left: dict[tuple[object, ...], Packet] = {}
        copies: Counter[tuple[object, ...]] = Counter()
        for each in segment.packets:
            if each.flow is None or each.time_ns > segment.end_ns:
                continue
            flow = wire.flows[each.flow]
            key = (flow.transport, flow.source, flow.destination, each.last_seq, each.stream_end)
            # The first copy there is the first copy here, also if more were sent.
            copies[(key, each.file)] += 1
            first = left.setdefault((key, copies[(key, each.file)]), each)
            if first.file != each.file:
                yield Proof(
                    ON_LINK,
                    each.time_ns - first.time_ns,
                    f"it left with packet {first.packet} of {wire.files[first.file].name} "
                    f"and arrived with packet {each.packet} of "
                    f"{wire.files[each.file].name}",
                    (Evidence(first, "leaves"), Evidence(each, "arrives")),
                )


SCHEDULE = "written-late"
WRITER = "in-writer"
ANSWERER = "in-answerer"
READER = "in-reader"
CAUSES = (SCHEDULE, WRITER, ANSWERER, READER)


def in_process(trace: Trace) -> Iterator[Proof]:
    """Each part of the way on the hosts: before the write, from the write to the wire, from the
    wire to the reading, and between reading and answering. Process and kernel of a host are one
    part: packets do not distinguish them."""
    sample = trace.sample
    evidence = tuple(
        Evidence(each, f"the sample, {'there' if segment.direction == 'there' else 'answer'}")
        for segment in trace.segments
        for each in (segment.first, segment.last)
        if each is not None
    )
    unique = tuple({each.packet.row: each for each in evidence}.values())
    if not unique:
        return
    late = sample.sent_ns - sample.intended_ns
    if late > 0:
        yield Proof(SCHEDULE, late, "it was written after its intended time", unique)
    ways = {segment.direction: segment for segment in reversed(trace.segments)}
    there, back = ways.get("there"), ways.get("back")
    if not sample.round_trip:
        there = back = trace.segments[0]
    if there is not None and there.first is not None:
        yield _part(WRITER, there.begin_ns, there.first.first_ns, unique)
    if back is not None and back.last is not None and back.is_read:
        yield _part(READER, back.last.time_ns, back.end_ns, unique)
    if not sample.round_trip or there is None or back is None:
        return
    if there.last is not None and back.first is not None:
        yield _part(ANSWERER, there.last.time_ns, back.first.first_ns, unique)


SAID = {
    WRITER: "its first packet left long after the write",
    ANSWERER: "the packet of the answer left long after the packet of the sample had come",
    READER: "it was read long after its last packet had come",
}


def _part(cause: str, begin_ns: int, end_ns: int, evidence: tuple[Evidence, ...]) -> Proof:
    return Proof(cause, max(0, end_ns - begin_ns), SAID[cause], evidence)
