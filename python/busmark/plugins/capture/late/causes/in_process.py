"""In none of the packets: the time passed in one of the processes, or before the write."""

from __future__ import annotations

from collections.abc import Iterator

from busmark.plugins.capture.late.trace import Evidence, Leg, Proof, Trace

SCHEDULE = "written-late"
WRITER = "in-writer"
ANSWERER = "in-answerer"
READER = "in-reader"
CAUSES = (SCHEDULE, WRITER, ANSWERER, READER)


def find(trace: Trace) -> Iterator[Proof]:
    """Each part of the way on the hosts: before the write, from the write to the wire, from the
    wire to the reading, and between reading and answering. Process and kernel of a host are one
    part: packets do not distinguish them."""
    sample = trace.sample
    evidence = tuple(
        Evidence(each, f"the sample, {'there' if leg.direction == 'there' else 'answer'}")
        for leg in trace.legs for each in (leg.first, leg.last) if each is not None
    )  # fmt: skip
    unique = tuple({each.packet.row: each for each in evidence}.values())
    if not unique:
        return
    late = sample.sent_ns - sample.intended_ns
    if late > 0:
        yield Proof(SCHEDULE, late, "it was written after its intended time", unique)
    if not sample.round_trip:
        yield from _ends(trace.legs[0], unique, WRITER, READER)
        return
    there = next((leg for leg in trace.legs if leg.direction == "there"), None)
    back = next((leg for leg in trace.legs if leg.direction == "back"), None)
    if there is not None and there.first is not None:
        yield _part(WRITER, there.begin_ns, there.first.first_ns, unique)
    if back is not None and back.last is not None and back.is_read:
        yield _part(READER, back.last.time_ns, back.end_ns, unique)
    if there is not None and there.last is not None and back is not None and back.first is not None:
        yield _part(ANSWERER, there.last.time_ns, back.first.first_ns, unique)


def _ends(leg: Leg, evidence: tuple[Evidence, ...], writer: str, reader: str) -> Iterator[Proof]:
    if leg.first is not None:
        yield _part(writer, leg.begin_ns, leg.first.first_ns, evidence)
    if leg.last is not None and leg.is_read:
        yield _part(reader, leg.last.time_ns, leg.end_ns, evidence)


SAID = {
    WRITER: "its first packet left long after the write",
    ANSWERER: "the packet of the answer left long after the packet of the sample had come",
    READER: "it was read long after its last packet had come",
}


def _part(cause: str, begin_ns: int, end_ns: int, evidence: tuple[Evidence, ...]) -> Proof:
    return Proof(cause, max(0, end_ns - begin_ns), SAID[cause], evidence)
