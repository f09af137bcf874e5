"""DATA that was sent again because a reader asked for it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from busmark.plugins.capture.late.trace import Evidence, Leg, Proof, Trace
from busmark.plugins.capture.late.wire import NO_ROWS, Packet, Rows, Writer

RETRANSMISSION = "rtps-retransmission"
HEARTBEAT = "heartbeat-wait"
FRAGMENT = "fragment-resent"
SPAN_NS = 10_000_000_000
"""How far back the first copy is looked for."""


def find(trace: Trace) -> Iterator[Proof]:
    """The last DATA sent again before the sample was read: of the sample itself, or of one before
    it, which it waits for."""
    for leg in trace.legs:
        for writer, number in leg.identities:
            yield from _of_writer(trace, leg, writer, number)


def _of_writer(trace: Trace, leg: Leg, writer: Writer, number: int) -> Iterator[Proof]:
    wire = trace.wire
    questions = wire.questions(writer)
    data = wire.data.get(writer, NO_ROWS)
    inside = wire.within(data, leg.begin_ns, leg.end_ns)
    inside = inside[wire.value("last_seq", inside) <= number]
    if not len(questions) or not len(inside):
        return
    for row in reversed(inside.tolist()):
        proof = _again(trace, leg, writer, wire.packet(row), questions, number)
        if proof is not None:
            yield proof
            return


def _again(
    trace: Trace, leg: Leg, writer: Writer, again: Packet, questions: Rows, number: int
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
    beats = beats[(wire.value("file", beats) == again.file)
                  & (wire.value("packet", beats) != first.packet)]  # fmt: skip
    beat = wire.packet(beats[-1]) if len(beats) else None
    since = max(first.time_ns, leg.begin_ns)
    last = wire.packet(asked[-1])
    return _proof(again, first, (question, last), beat, again.time_ns - since, own=seq == number)


def _first_copy(trace: Trace, writer: Writer, again: Packet) -> Packet | None:
    """The first packet with the same number, or fragment, in the same file."""
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
    again: Packet, first: Packet, asked: tuple[Packet, Packet], beat: Packet | None, wait: int,
    *, own: bool,
) -> Proof:  # fmt: skip
    question, last = asked
    what = "fragment" if again.kind == first.kind == "DATA_FRAG" else "sample"
    of = "it" if own else "a sample before it"
    of = of if what == "sample" else f"a fragment of {of}"
    waited = first.time_ns
    evidence = [Evidence(first, f"{first.kind} {first.last_seq}, sent first")]
    cause = RETRANSMISSION if what == "sample" else FRAGMENT
    said = f"{of} was sent again in packet {again.packet}, because {question.kind} in packet " \
           f"{question.packet} asked for it"  # fmt: skip
    if beat is not None:
        evidence.append(Evidence(beat, "HEARTBEAT that says that it exists"))
        if 2 * (beat.time_ns - waited) >= again.time_ns - waited:
            cause = HEARTBEAT
            said += f" only after the HEARTBEAT in packet {beat.packet}"
    evidence.append(Evidence(question, f"{question.kind} that asks for it"))
    if last.row != question.row:
        evidence.append(Evidence(last, f"{last.kind} that asks once more"))
        said += f", and {last.kind} in packet {last.packet} once more"
    evidence += [Evidence(again, f"{again.kind} {again.last_seq}, sent again")]  # fmt: skip
    return Proof(cause, wait, said, tuple(evidence), of_another=not own)
