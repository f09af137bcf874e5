"""Where a sample was dropped or stayed: behind the capture, in a relay, on a link, in a process.

`dropped` is for a capture alone; in a round of Busmark's the stamps of the processes and the
kernel's counters say more.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

import numpy as np

from busmark.model.text import plural
from busmark.plugins.capture.late.causes import rtps, xrce
from busmark.plugins.capture.late.causes.xrce import Recovery, recoveries
from busmark.plugins.capture.late.trace import Evidence, Path, Proof, Segment, Trace
from busmark.plugins.capture.late.wire import NO_ROWS, Flow, Packet, Rows, Wire, passes

DROPPED = "kernel-drop"
LINK = "lab-link"


def behind_capture(trace: Trace) -> Iterator[Proof]:
    """Prove that the sample was never read, or asked for again, though its packet arrived; and that
    the kernel dropped datagrams at sockets, or that the lab's links lose packets."""
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
    dropped = plural(counters.socket_drops, "datagram")
    said = f"packet {last.packet} was captured and never read"
    evidence = (Evidence(last, "the sample, captured and never read"),)
    if counters.link_loss:
        drops = f", and {dropped} at sockets" * bool(counters.socket_drops)
        said += f"; behind the capture the lab's links drop {counters.link_loss} of packets{drops}"
        return Proof(LINK, None, said, evidence)
    said += f"; the kernel dropped {dropped} at sockets in this round"
    return Proof(DROPPED, None, said, evidence)


def _asked_again(trace: Trace, segment: Segment) -> Iterator[Proof]:
    """Prove a drop on loopback: there a captured packet is lost by nothing but the kernel."""
    wire = trace.wire
    if len(wire.files) > 1 or wire.files[0].interface != "lo":
        return
    part = Trace(trace.sample, wire, (segment,), trace.counters)
    for proof in (*rtps.recovery(part), *xrce.recovery(part)):
        yield Proof(
            DROPPED,
            proof.wait_ns,
            f"{proof.said}; the first copy passed loopback, and the kernel dropped "
            f"{plural(trace.counters.socket_drops, 'datagram')} at sockets in this round",
            proof.evidence,
        )


RELAY = "in-relay"


def in_relay(trace: Trace) -> Iterator[Proof]:
    """Yield each stay of the sample in a process that passes it on."""
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
    """Return the last copy before `out`: earlier ones may have been lost behind the capture."""
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
    """Find the same packet in two files: addresses, transport and numbers are equal."""
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
    """Yield each part of the way on the hosts: before the write, from the write to the wire, from
    the wire to the reading, and between reading and answering. Process and kernel of a host are one
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


SENDER = "dropped-at-sender"
RECEIVER = "dropped-at-receiver"
AGENT = "dropped-by-agent"
OVERWRITTEN = "overwritten"
UNMATCHED = "before-match"


def dropped(trace: Trace) -> Iterator[Proof]:
    """Find, in each segment, what was asked for again though its packet is there, or before any
    packet of it; what its writer declared gone; what came to an agent and left it in no packet."""
    if trace.path is None:
        return
    for segment in trace.segments:
        yield from _receiver(trace, segment)
        yield from _sender(trace, segment)
        if not segment.is_read and segment.last is not None:
            yield from _no_longer_kept(trace, segment)
            # At the end of the capture it may have been under way.
            if segment.last.time_ns + trace.path.patience_ns <= trace.wire.times[-1]:
                yield from _in_agent(trace, trace.path, segment.last)


def _receiver(trace: Trace, segment: Segment) -> Iterator[Proof]:
    part = replace(trace, segments=(segment,))
    for proof in (*rtps.recovery(part), *xrce.recovery(part)):
        if not proof.of_another:
            first = proof.evidence[0].packet
            where = (
                "at the receiver"
                if trace.wire.is_local(first)
                else "on the way to the receiver or there"
            )
            yield Proof(
                RECEIVER,
                proof.wait_ns,
                f"{proof.said}; the first copy is in packet {first.packet}: it was dropped "
                f"behind the capture, {where}",
                proof.evidence,
            )


def _sender(trace: Trace, segment: Segment) -> Iterator[Proof]:
    """Find what was asked for before the capture has any packet of it."""
    wire = trace.wire
    for stream, (first, last) in segment.streams:
        own = next(p for p in segment.packets if p.flow == stream[0])
        rows = wire.xrce_questions.get(xrce.back(trace, stream), NO_ROWS)
        rows = wire.within(rows, own.first_ns - xrce.SPAN_NS, own.first_ns - 1)
        for number in range(first, last + 1):
            asked = xrce.asking(wire, rows, number)
            if len(asked):
                yield _asked_before(trace, wire.packet(asked[0]), own, number)
    for writer, number in segment.identities:
        own = next(p for p in segment.packets if (p.source, p.writer) == writer)
        asked = wire.within(wire.questions(writer), own.first_ns - xrce.SPAN_NS, own.first_ns - 1)
        asked = _covering(wire, asked, number)
        if len(asked):
            yield _asked_before(trace, wire.packet(asked[0]), own, number)


def _asked_before(trace: Trace, question: Packet, own: Packet, number: int) -> Proof:
    before = max(
        (p for segment in trace.segments for p in segment.packets if p.time_ns < question.time_ns),
        key=lambda each: each.time_ns,
        default=None,
    )
    since = before.time_ns if before is not None else question.time_ns
    evidence = [
        Evidence(question, f"{question.kind} that asks for number {number}"),
        Evidence(own, "the sample, the first packet of it here"),
    ]
    if before is not None:
        evidence.insert(0, Evidence(before, "the sample, on the hop before"))
    return Proof(
        SENDER,
        own.first_ns - since,
        f"{question.kind} in packet {question.packet} asked for number {number} before a "
        f"packet had it; the first is packet {own.packet}: an earlier copy was dropped at "
        "the sender, or on its way to the place of the capture",
        tuple(evidence),
    )


def _no_longer_kept(trace: Trace, segment: Segment) -> Iterator[Proof]:
    """Prove that the other end asked for it, and that its writer said that it has it no more."""
    wire = trace.wire
    for writer, number in segment.identities:
        own = next(p for p in segment.packets if (p.source, p.writer) == writer)
        asked = _covering(wire, wire.questions(writer), number)
        beats = wire.heartbeats.get(writer, NO_ROWS)
        beats = beats[wire.value("first_seq", beats) > number]
        left = np.sort([*beats, *_covering(wire, wire.gaps.get(writer, NO_ROWS), number)])
        yield from _overwritten(wire, own, asked, left.astype(np.int64), number)
    for stream, (_, number) in segment.streams:
        own = next(p for p in segment.packets if p.flow == stream[0])
        rows = wire.xrce_questions.get(xrce.back(trace, stream), NO_ROWS)
        beats = wire.xrce_heartbeats.get(stream, NO_ROWS)
        beats = beats[wire.value("first_seq", beats) > number]
        asked = xrce.asking(wire, rows, number)
        yield from _overwritten(wire, own, asked, beats, number)


def _covering(wire: Wire, rows: Rows, number: int) -> Rows:
    inside = wire.value("first_seq", rows) <= number
    found: Rows = rows[inside & (wire.value("last_seq", rows) >= number)]
    return found


def _after(wire: Wire, rows: Rows, own: Packet) -> Packet | None:
    later = rows[wire.times[rows] > own.time_ns]
    return wire.packet(later[0]) if len(later) else None


def _overwritten(wire: Wire, own: Packet, asked: Rows, left: Rows, number: int) -> Iterator[Proof]:
    question = _after(wire, asked, own)
    said = None if question is None else _after(wire, left, question)
    if question is not None and said is not None:
        yield Proof(OVERWRITTEN, None,
                    f"{question.kind} in packet {question.packet} asked for number {number}, and "
                    f"{said.kind} in packet {said.packet} says that the writer no longer has it",
                    (Evidence(own, "the sample, last seen here"),
                     Evidence(question, f"{question.kind} that asks for it"),
                     Evidence(said, f"{said.kind} that leaves it out")))  # fmt: skip


def _in_agent(trace: Trace, path: Path, last: Packet) -> Iterator[Proof]:
    """Prove that it came to an agent, and that the flow behind has others, without it."""
    wire = trace.wire
    place = next((n for n, flow in enumerate(path.flows) if flow == last.flow), None)
    if place is None or place + 1 >= len(path.flows) or not path.whole[place + 1]:
        return
    own = Evidence(last, "the sample, last seen here")
    missing = path.missing[place + 1].get(trace.sample.seq)
    before, after = path.around[place + 1](trace.sample.seq)
    around = tuple(
        Evidence(wire.packet(row), f"the sample {word} it, behind the agent")
        for packet, word in ((before, "before"), (after, "after"))
        if packet is not None
        for row in wire.row_of(last.file, packet)
    )
    if missing is not None:
        yield Proof(
            SENDER,
            None,
            f"packet {last.packet} brought it to the agent, which gave it number {missing} "
            "of its stream; no packet has this number: it was dropped at the agent's "
            "sending side, before the place of the capture",
            (own, *around),
        )
    elif (
        before is None
        and after is not None
        and (seen := _matching(trace, last, after, path.flows[-1]))
    ):
        yield Proof(
            UNMATCHED,
            None,
            f"it came to the agent with packet {last.packet}, before the agent passed on "
            f"any; {seen.what} in packet {seen.packet.packet} came later, and packet "
            f"{after} is the first that was passed on",
            (own, seen, *around),
        )
    elif before is not None and after is not None:
        # Others passed on both sides: its reader was there.
        confirmed = _confirmed(trace, last)
        known = (
            f"packet {confirmed.packet} confirms that the agent has it"
            if confirmed
            else "nothing confirms it: the agent dropped it, or its socket did"
        )
        more = (
            (Evidence(confirmed, f"{confirmed.kind or 'TCP'} that confirms it"),)
            if confirmed
            else ()
        )
        yield Proof(
            AGENT,
            None,
            f"packet {last.packet} brought it to the agent, and no packet behind the agent "
            f"has it; {known}",
            (own, *more, *around),
        )


def _matching(trace: Trace, last: Packet, after: int, leaving: int) -> Evidence | None:
    """Return the last packet of discovery, or a reader's request for data, since the sample and
    before the first that was passed on; None without one."""
    wire = trace.wire
    end = wire.packet(wire.row_of(last.file, after)[0]).time_ns
    found = wire.within(wire.discovery, last.time_ns, end)
    asking = wire.within(
        wire.requests.get(wire.reverse.get(leaving, -1), NO_ROWS), last.time_ns, end
    )
    if len(asking):
        return Evidence(wire.packet(asking[-1]), "the reader's READ_DATA")
    return Evidence(wire.packet(found[-1]), "discovery") if len(found) else None


def _confirmed(trace: Trace, last: Packet) -> Packet | None:
    """Return what confirms its message or its segment."""
    wire, flow = trace.wire, -1 if last.flow is None else last.flow
    if (last.stream or 0) >= 0x80 and None not in (last.session, last.last_seq):
        back = (wire.reverse.get(flow, -1), last.session or 0, last.stream or 0)
        rows = wire.xrce_confirming.get(back, NO_ROWS)
        found = _after(wire, rows[wire.value("first_seq", rows) > (last.last_seq or 0)], last)
    elif last.stream_end is not None:
        rows = wire.acknowledged(flow, last.time_ns, last.time_ns + xrce.SPAN_NS)
        found = _after(wire, rows[wire.value("acked", rows) >= last.stream_end], last)
    elif last.protocol == "rtps" and last.writer is not None:
        rows = wire.confirming.get(last.writer, NO_ROWS)
        rows = rows[wire.value("destination", rows) == last.source]
        found = _after(wire, rows[wire.value("first_seq", rows) > (last.last_seq or 0)], last)
    else:
        return None
    return found
