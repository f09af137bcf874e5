"""DATA of RTPS: sent again, in fragments, overtaken, without a reader; and discovery meanwhile."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from busmark.plugins.capture.late.trace import Evidence, Proof, Segment, Trace
from busmark.plugins.capture.late.wire import NO_ROWS, Packet, Rows, Writer

RETRANSMISSION = "rtps-retransmission"
HEARTBEAT = "heartbeat-wait"
FRAGMENT = "fragment-resent"
SPAN_NS = 10_000_000_000
"""How far back the first copy is looked for."""


def recovery(trace: Trace) -> Iterator[Proof]:
    """Find the last DATA sent again before the sample was read: of the sample itself, or of one
    before it, which it waits for."""
    for segment in trace.segments:
        for writer, number in segment.identities:
            yield from _of_writer(trace, segment, writer, number)


def _of_writer(trace: Trace, segment: Segment, writer: Writer, number: int) -> Iterator[Proof]:
    wire = trace.wire
    questions = wire.questions(writer)
    data = wire.data.get(writer, NO_ROWS)
    inside = wire.within(data, segment.begin_ns, segment.end_ns)
    inside = inside[wire.value("last_seq", inside) <= number]
    if not len(questions) or not len(inside):
        return
    for row in reversed(inside.tolist()):
        proof = _again(trace, segment, writer, wire.packet(row), questions, number)
        if proof is not None:
            yield proof
            return


def _again(
    trace: Trace, segment: Segment, writer: Writer, again: Packet, questions: Rows, number: int
) -> Proof | None:
    wire = trace.wire
    first = _first_copy(trace, writer, again)
    if first is None:
        return None
    asked = wire.within(questions, first.time_ns + 1, again.time_ns)
    seq = again.last_seq or 0
    covers = (wire.value("first_seq", asked) <= seq) & (wire.value("last_seq", asked) >= seq)
    asked = asked[covers & (wire.value("file", asked) == again.file)]
    if not len(asked):
        return None
    question = wire.packet(asked[0])
    beats = wire.within(wire.heartbeats.get(writer, NO_ROWS), first.time_ns + 1, question.time_ns)
    beats = beats[
        (wire.value("file", beats) == again.file) & (wire.value("packet", beats) != first.packet)
    ]
    beat = wire.packet(beats[-1]) if len(beats) else None
    since = max(first.time_ns, segment.begin_ns)
    last = wire.packet(asked[-1])
    return _proof(again, first, (question, last), beat, again.time_ns - since, own=seq == number)


def _first_copy(trace: Trace, writer: Writer, again: Packet) -> Packet | None:
    """Return the first packet with the same number, or fragment, in the same file."""
    wire = trace.wire
    rows = wire.within(wire.data.get(writer, NO_ROWS), again.time_ns - SPAN_NS, again.time_ns - 1)
    same = (
        (wire.value("last_seq", rows) == again.last_seq)
        & (wire.value("file", rows) == again.file)
        & (wire.value("packet", rows) != again.packet)
    )
    if again.fragment is not None:
        # What went as a whole may be sent again in fragments.
        same &= np.isin(wire.value("fragment", rows), (again.fragment, -1))
    found = np.flatnonzero(same)
    return wire.packet(rows[found[0]]) if len(found) else None


def _proof(
    again: Packet,
    first: Packet,
    asked: tuple[Packet, Packet],
    beat: Packet | None,
    wait: int,
    *,
    own: bool,
) -> Proof:
    question, last = asked
    what = "fragment" if again.kind == first.kind == "DATA_FRAG" else "sample"
    of = "it" if own else "a sample before it"
    of = of if what == "sample" else f"a fragment of {of}"
    waited = first.time_ns
    evidence = [Evidence(first, f"{first.kind} {first.last_seq}, sent first")]
    cause = RETRANSMISSION if what == "sample" else FRAGMENT
    said = (
        f"{of} was sent again in packet {again.packet}, because {question.kind} in packet "
        f"{question.packet} asked for it"
    )
    if beat is not None:
        evidence.append(Evidence(beat, "HEARTBEAT that says that it exists"))
        if 2 * (beat.time_ns - waited) >= again.time_ns - waited:
            cause = HEARTBEAT
            said += f" only after the HEARTBEAT in packet {beat.packet}"
    evidence.append(Evidence(question, f"{question.kind} that asks for it"))
    if last.row != question.row:
        evidence.append(Evidence(last, f"{last.kind} that asks once more"))
        said += f", and {last.kind} in packet {last.packet} once more"
    evidence += [Evidence(again, f"{again.kind} {again.last_seq}, sent again")]
    return Proof(cause, wait, said, tuple(evidence), of_another=not own)


FRAGMENTS = "fragments"
IP_HEADERS = 42
"""Bytes of a packet that are none of its datagram's, at least."""


def fragments(trace: Trace) -> Iterator[Proof]:
    """Measure the time from the first fragment to the last on one interface, of RTPS or of IP."""
    for segment in trace.segments:
        yield from _of_rtps(trace, segment)
        yield from _of_ip(trace, segment)


def _of_rtps(trace: Trace, segment: Segment) -> Iterator[Proof]:
    wire = trace.wire
    for writer, number in segment.identities:
        rows = wire.within(wire.data.get(writer, NO_ROWS), segment.begin_ns, segment.end_ns)
        rows = rows[(wire.value("last_seq", rows) == number) & (wire.value("fragments", rows) > 1)]
        for file in np.unique(wire.value("file", rows)):
            own = rows[wire.value("file", rows) == file]
            if len(own) > 1:
                first, last = wire.packet(own[0]), wire.packet(own[-1])
                yield Proof(
                    FRAGMENTS,
                    last.time_ns - first.time_ns,
                    f"its fragments took from packet {first.packet} to packet {last.packet}",
                    (
                        Evidence(first, f"first of {first.fragments} fragments"),
                        Evidence(last, "last fragment before it was read"),
                    ),
                )


def _of_ip(trace: Trace, segment: Segment) -> Iterator[Proof]:
    wire = trace.wire
    for each in segment.packets:
        whole, own = each.message_bytes or 0, each.wire_bytes or 0
        if whole <= own or each.time_ns > segment.end_ns or each.stream_end is not None:
            continue
        pieces = wire.within(wire.pieces.get(each.file, NO_ROWS), segment.begin_ns, each.time_ns)
        sizes = wire.value("wire_bytes", pieces)[::-1] - IP_HEADERS
        needed = np.searchsorted(np.cumsum(sizes), whole - own)
        if needed < len(pieces):
            first = wire.packet(pieces[len(pieces) - 1 - needed])
            yield Proof(
                FRAGMENTS,
                each.time_ns - first.time_ns,
                f"the IP fragments of its datagram took from packet {first.packet} to "
                f"packet {each.packet}",
                (
                    Evidence(first, "first IP fragment"),
                    Evidence(each, "IP fragment that completes the datagram"),
                ),
            )
    if not segment.packets and not segment.is_read:
        yield from _never_complete(trace, segment)


def _never_complete(trace: Trace, segment: Segment) -> Iterator[Proof]:
    """Find a lost sample without a packet of its own, while fragments completed no datagram."""
    wire = trace.wire
    for number, file in enumerate(wire.files):
        pieces = wire.within(wire.pieces.get(number, NO_ROWS), segment.begin_ns, segment.end_ns)
        if len(pieces) and file.incomplete and _none_complete(trace, number, segment):
            first, last = wire.packet(pieces[0]), wire.packet(pieces[-1])
            yield Proof(
                FRAGMENTS,
                None,
                f"the IP fragments from packet {first.packet} to packet {last.packet} "
                "complete no datagram",
                (Evidence(first, "first IP fragment"), Evidence(last, "last IP fragment")),
            )


def _none_complete(trace: Trace, file: int, segment: Segment) -> bool:
    """Return whether no datagram was put together from fragments in the window."""
    wire = trace.wire
    first, last = np.searchsorted(wire.times, [segment.begin_ns, segment.end_ns + 1])
    rows = np.arange(first, last)
    rows = rows[wire.value("file", rows) == file]
    return not (wire.value("message_bytes", rows) > wire.value("wire_bytes", rows)).any()


REORDERING = "reordering"


def reordering(trace: Trace) -> Iterator[Proof]:
    """Find the first packet of a later sample of the same writer, or a segment of TCP behind a
    hole, which was there before the sample was; nothing was sent again."""
    for segment in trace.segments:
        for flow in dict.fromkeys(p.flow for p in segment.packets if p.flow is not None):
            own = next(p for p in segment.packets if p.flow == flow)
            if not own.repeated and own.time_ns <= segment.end_ns:
                yield from _on_flow(trace, segment, own)


def _on_flow(trace: Trace, segment: Segment, own: Packet) -> Iterator[Proof]:
    wire, flow = trace.wire, own.flow
    if flow is None or own.sample_seq is None:
        return
    if own.stream_end is not None:
        rows = wire.within(wire.early.get(flow, NO_ROWS), segment.begin_ns, own.time_ns)
        again = wire.within(wire.retransmitted.get(flow, NO_ROWS), segment.begin_ns, own.time_ns)
        if len(rows) and not len(again):
            yield _overtaken(wire.packet(rows[0]), own, "segment of TCP")
        return
    rows = wire.within(
        wire.samples_of.get((flow, own.sample_writer), NO_ROWS), segment.begin_ns, own.time_ns - 1
    )
    rows = rows[
        (wire.value("sample_seq", rows) > own.sample_seq)
        & ~wire.value("repeated", rows).astype(bool)
    ]
    if len(rows):
        yield _overtaken(wire.packet(rows[0]), own, "sample")


def _overtaken(later: Packet, own: Packet, what: str) -> Proof:
    return Proof(
        REORDERING,
        own.time_ns - later.time_ns,
        f"packet {own.packet} came after packet {later.packet}, which has a later {what}",
        (Evidence(later, f"later {what}, came first"), Evidence(own, "the sample, came after it")),
    )


BEFORE_MATCH = "before-match"


def before_match(trace: Trace) -> Iterator[Proof]:
    """Prove that no participant that speaks to the writer's had announced a reader when the sample
    was written."""
    for segment in trace.segments:
        writers = {writer for writer, _ in segment.identities}
        # One that was never sent: by the writers that sent other samples of its writer.
        writers = writers or trace.wire.rtps_writers.get(segment.writer, set())
        for prefix, _ in writers:
            first = _first_announcement(trace, prefix)
            if first is None or first.time_ns <= segment.begin_ns:
                continue
            evidence = [Evidence(first, "first announcement of a reader by another participant")]
            came = next((p for p in segment.packets if p.time_ns >= first.time_ns), None)
            if came is not None and segment.is_read:
                evidence.append(Evidence(came, "the sample, sent afterwards"))
                wait: int | None = first.time_ns - segment.begin_ns
            elif segment.is_read:
                continue
            else:
                wait = None
            yield Proof(
                BEFORE_MATCH,
                wait,
                f"it was written before packet {first.packet}, the first announcement of a reader",
                tuple(evidence),
            )


def _first_announcement(trace: Trace, prefix: str) -> Packet | None:
    """Return the first announcement by a participant that speaks to the one with this prefix."""
    wire = trace.wire
    known = wire.speaking_to.get(prefix, set()) - {prefix}
    rows = wire.announcements
    for row, source in zip(rows.tolist(), wire.value("source", rows).tolist(), strict=True):
        if source in known:
            return wire.packet(row)
    return None


DISCOVERY = "discovery"


def discovery(trace: Trace) -> Iterator[Proof]:
    """Find DATA of discovery between the write and the reading."""
    wire, sample = trace.wire, trace.sample
    end = trace.segments[-1].end_ns
    rows = wire.within(wire.discovery, sample.sent_ns, end)
    if sample.read_ns is None or not len(rows):
        return
    first = wire.packet(rows[0])
    yield Proof(
        DISCOVERY,
        end - sample.sent_ns,
        f"discovery sent {len(rows)} DATA while it was under way, packet {first.packet} the first",
        (Evidence(first, "DATA of discovery"),),
    )
