"""A message of a reliable stream of DDS-XRCE that was asked for and never sent again."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from busmark.plugins.capture.late.causes import xrce_recovery
from busmark.plugins.capture.late.trace import Evidence, Leg, Proof, Trace
from busmark.plugins.capture.late.wire import NO_ROWS, Packet, Rows, Stream

CAUSE = "xrce-unrepeated"


def find(trace: Trace) -> Iterator[Proof]:
    """Where a sample was not read: the other end still asked for its message, or for one before,
    after it had been sent, and got no second copy of it."""
    for leg in trace.legs:
        for stream, carries in () if leg.is_read else leg.streams:
            if xrce_recovery.goes_on(trace, leg, stream) is None:
                yield from _on_stream(trace, leg, stream, carries)


def _on_stream(trace: Trace, leg: Leg, stream: Stream, carries: tuple[int, int]) -> Iterator[Proof]:
    wire = trace.wire
    own = next(each for each in leg.packets if each.flow == stream[0])
    questions = wire.xrce_questions.get(xrce_recovery.back(trace, stream), NO_ROWS)
    # The first that is not confirmed is what the stream stands still for.
    after = questions[wire.times[questions] > own.time_ns]
    for number in np.unique(wire.value("first_seq", after)).tolist():
        asked = xrce_recovery.asking(wire, questions, number)
        sent = _copies(trace, stream, number)
        if number <= carries[1] and len(asked) and _never_again(trace, sent, asked):
            yield _proof(trace, wire.packet(sent[0]), asked, number, carries)
            return


def _copies(trace: Trace, stream: Stream, number: int) -> Rows:
    """Rows of the message, one for each packet."""
    rows = trace.wire.xrce_messages.get(stream, NO_ROWS)
    own: Rows = rows[trace.wire.value("last_seq", rows) == number]
    return own[np.unique(trace.wire.value("packet", own), return_index=True)[1]]


def _never_again(trace: Trace, sent: Rows, asked: Rows) -> bool:
    """Whether all copies are before the first question, and there is one."""
    times = trace.wire.times
    return len(sent) == 1 and bool(times[sent[0]] < times[asked[0]])


def _proof(
    trace: Trace, first: Packet, asked: Rows, number: int, carries: tuple[int, int]
) -> Proof:
    question, last = trace.wire.packet(asked[0]), trace.wire.packet(asked[-1])
    more = f" and {len(asked) - 1} more, up to packet {last.packet}," * (len(asked) > 1)
    what = xrce_recovery.what(number, carries)
    evidence = [Evidence(first, f"{first.kind}, message {number} of the stream, sent once"),
                Evidence(question, f"ACKNACK that asks for message {number}")]  # fmt: skip
    if last.row != question.row:
        evidence.append(Evidence(last, "the last ACKNACK that asks for it"))
    return Proof(CAUSE, None,
                 f"{what} was sent in packet {first.packet} alone; ACKNACK in packet "
                 f"{question.packet}{more} asked for it, and the capture has no second copy",
                 tuple(evidence))  # fmt: skip
