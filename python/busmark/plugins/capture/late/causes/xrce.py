"""A message of a reliable stream of DDS-XRCE that was asked for: sent again, or never."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from busmark.plugins.capture.late.trace import Evidence, Proof, Segment, Trace
from busmark.plugins.capture.late.wire import NO_ROWS, Packet, Rows, Stream, Wire, passes

RETRANSMISSION = "xrce-retransmission"
SPAN_NS = 10_000_000_000
"""How far back the first copy is looked for."""
ASKED_BITS = 16
"""Numbers that an ACKNACK can ask for."""


@dataclass(frozen=True, slots=True)
class Recovery:
    """A message that was asked for and sent again."""

    first: Packet
    again: Packet
    asked: tuple[Packet, Packet]
    """The first and the last ACKNACK that ask for the message."""
    beat: Packet | None
    """The last HEARTBEAT before, that says that it exists."""
    stream: Stream
    carries: tuple[int, int]
    """Numbers of the messages that carry the sample."""

    @property
    def number(self) -> int:
        """Sequence number of the message in its stream."""
        return self.again.last_seq or 0


def recovery(trace: Trace) -> Iterator[Proof]:
    """Find the last message of the stream asked for and sent again before the sample left for
    another stream or was read: one with the sample, or one before, for it waits for them all."""
    for segment in trace.segments:
        for one in recoveries(trace, segment):
            yield _proof(one, max(one.first.time_ns, segment.begin_ns))


def recoveries(trace: Trace, segment: Segment) -> Iterator[Recovery]:
    """Yield the last recovery of each stream that carries the sample."""
    for stream, (first, last) in segment.streams:
        rows = trace.wire.xrce_messages.get(stream, NO_ROWS)
        gone = goes_on(trace, segment, stream)
        end = segment.end_ns if gone is None else min(gone, segment.end_ns)
        inside = trace.wire.within(rows, segment.begin_ns, end)
        inside = inside[trace.wire.value("last_seq", inside) <= last]
        for row in reversed(inside.tolist()):
            found = _again(trace, stream, trace.wire.packet(row), (first, last))
            if found is not None:
                yield found
                break


def goes_on(trace: Trace, segment: Segment, stream: Stream) -> int | None:
    """Return when the sample left the other end of the stream for a further one; None if never."""
    own = next(each for each in segment.packets if each.flow == stream[0])
    further = (
        each.first_ns
        for each in segment.packets
        if each.first_ns > own.time_ns and passes(trace.wire, own, each)
    )
    return min(further, default=None)


def _again(
    trace: Trace, stream: Stream, again: Packet, carries: tuple[int, int]
) -> Recovery | None:
    wire = trace.wire
    rows = wire.xrce_messages[stream]
    rows = wire.within(rows, again.time_ns - SPAN_NS, again.time_ns - 1)
    same = rows[
        (wire.value("last_seq", rows) == again.last_seq)
        & (wire.value("packet", rows) != again.packet)
    ]
    if not len(same):
        return None
    first = wire.packet(same[0])
    # ACKNACK from the other end, between the two copies, that ask for this number.
    questions = wire.xrce_questions.get(back(trace, stream), NO_ROWS)
    questions = wire.within(questions, first.time_ns + 1, again.time_ns)
    asked = asking(wire, questions, again.last_seq or 0)
    if not len(asked):
        return None
    question, last = wire.packet(asked[0]), wire.packet(asked[-1])
    beats = wire.xrce_heartbeats.get(stream, NO_ROWS)
    beats = wire.within(beats, first.time_ns + 1, question.time_ns)
    beats = beats[
        (wire.value("first_seq", beats) <= again.last_seq)
        & (wire.value("last_seq", beats) >= again.last_seq)
    ]
    beat = wire.packet(beats[-1]) if len(beats) else None
    return Recovery(first, again, (question, last), beat, stream, carries)


def back(trace: Trace, stream: Stream) -> Stream:
    """Return the key of ACKNACK messages about a stream."""
    return (trace.wire.reverse.get(stream[0], -1), *stream[1:])


def asking(wire: Wire, rows: Rows, number: int) -> Rows:
    """Return the rows of these ACKNACK that ask for this number."""
    place = number - wire.value("first_seq", rows)
    inside = (place >= 0) & (place < ASKED_BITS)
    near, place = rows[inside], place[inside]
    found: Rows = near[(wire.value("asked", near) >> place) & 1 == 1]
    return found


def _proof(one: Recovery, since_ns: int) -> Proof:
    question, last = one.asked
    text = f"{one.again.kind}, message {one.number} of the stream"
    evidence = [Evidence(one.first, f"{text}, sent first")]
    said = (
        f"{what(one.number, one.carries)} was sent again in packet {one.again.packet}, after "
        f"ACKNACK in packet {question.packet} had asked for it"
    )
    if one.beat is not None:
        evidence.append(Evidence(one.beat, "HEARTBEAT that says that it exists"))
        if 2 * (one.beat.time_ns - one.first.time_ns) >= one.again.time_ns - one.first.time_ns:
            said += f"; most of the time passed before the HEARTBEAT in packet {one.beat.packet}"
    evidence.append(Evidence(question, f"ACKNACK that asks for message {one.number}"))
    if last.row != question.row:
        evidence.append(Evidence(last, "ACKNACK that asks once more"))
        said += f"; ACKNACK in packet {last.packet} asked once more"
    evidence.append(Evidence(one.again, f"{text}, sent again"))
    return Proof(
        RETRANSMISSION,
        one.again.time_ns - since_ns,
        said,
        tuple(evidence),
        of_another=one.number < one.carries[0],
    )


def what(number: int, carries: tuple[int, int]) -> str:
    """Name a message, as seen from the sample that waits for it."""
    first, last = carries
    if number < first:
        return f"message {number} of its stream, before its own message {first},"
    return "it" if first == last else "a fragment of it"


UNREPEATED = "xrce-unrepeated"


def unrepeated(trace: Trace) -> Iterator[Proof]:
    """Find, where a sample was not read, its message or one before that the other end still asked
    for after it had been sent, and of which it got no second copy."""
    for segment in trace.segments:
        for stream, carries in () if segment.is_read else segment.streams:
            if goes_on(trace, segment, stream) is None:
                yield from _on_stream(trace, segment, stream, carries)


def _on_stream(
    trace: Trace, segment: Segment, stream: Stream, carries: tuple[int, int]
) -> Iterator[Proof]:
    wire = trace.wire
    own = next(each for each in segment.packets if each.flow == stream[0])
    questions = wire.xrce_questions.get(back(trace, stream), NO_ROWS)
    # The first that is not confirmed is what the stream waits for.
    after = questions[wire.times[questions] > own.time_ns]
    for number in np.unique(wire.value("first_seq", after)).tolist():
        asked = asking(wire, questions, number)
        sent = _copies(trace, stream, number)
        if number <= carries[1] and len(asked) and _never_again(trace, sent, asked):
            yield _proof_of_one(trace, wire.packet(sent[0]), asked, number, carries)
            return


def _copies(trace: Trace, stream: Stream, number: int) -> Rows:
    """Return the rows of the message, one for each packet."""
    rows = trace.wire.xrce_messages.get(stream, NO_ROWS)
    own: Rows = rows[trace.wire.value("last_seq", rows) == number]
    return own[np.unique(trace.wire.value("packet", own), return_index=True)[1]]


def _never_again(trace: Trace, sent: Rows, asked: Rows) -> bool:
    """Return whether the message was sent once, before the first question."""
    times = trace.wire.times
    return len(sent) == 1 and bool(times[sent[0]] < times[asked[0]])


def _proof_of_one(
    trace: Trace, first: Packet, asked: Rows, number: int, carries: tuple[int, int]
) -> Proof:
    question, last = trace.wire.packet(asked[0]), trace.wire.packet(asked[-1])
    more = f" and {len(asked) - 1} more, up to packet {last.packet}," * (len(asked) > 1)
    named = what(number, carries)
    evidence = [
        Evidence(first, f"{first.kind}, message {number} of the stream, sent once"),
        Evidence(question, f"ACKNACK that asks for message {number}"),
    ]
    if last.row != question.row:
        evidence.append(Evidence(last, "the last ACKNACK that asks for it"))
    return Proof(
        UNREPEATED,
        None,
        f"{named} was sent in packet {first.packet} alone; ACKNACK in packet "
        f"{question.packet}{more} asked for it, and the capture has no second copy",
        tuple(evidence),
    )
