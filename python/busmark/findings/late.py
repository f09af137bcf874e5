"""Findings on late samples of captured rounds: one rule for each cause."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from busmark.findings.rule import Observation, Rule, Severity
from busmark.findings.text import count, duration, listed, share, whole

if TYPE_CHECKING:
    from busmark.capture.late import Explained, Late
    from busmark.capture.late.model import Share
    from busmark.findings.view import CaseView


def late_rule(
    rule_id: str, causes: tuple[str, ...], *, title: str, cause: str, remedy: str,
    severity: Severity = "note", explains: tuple[str, ...] = (),
) -> Rule:  # fmt: skip
    """A rule that reports late samples with one of these causes."""

    def check_case(view: CaseView) -> Iterator[Observation]:
        explained = view.late
        if explained is None:
            return
        found = [each for each in explained.causes if each.cause in causes]
        if found:
            number = sum(each.lost + each.late for each in found)
            yield Observation(severity, evidence(explained, found), weight=number)

    return Rule(
        id=rule_id, title=title, cause=cause, remedy=remedy, check_case=check_case, early=None,
        explains=explains, concerns=("tail",),
    )  # fmt: skip


WHERE = {
    "on-link": "between the hosts",
    "written-late": "before the write",
    "in-writer": "from the write to the wire",
    "in-answerer": "in the answering process",
    "in-reader": "from the wire to the reading",
}
"""Parts of the way, in words."""


def evidence(explained: Explained, found: list[Share]) -> str:
    """How many samples of how many, by how much, and the packets of the worst."""
    causes = [each.cause for each in found]
    told = f"{_counts(explained, found)}; {_latencies(found)}"
    parts = [f"{whole(each.late)} {WHERE[each.cause]}" for each in found if each.cause in WHERE]
    if parts:
        told += f"; at least half of the delay: of {', of '.join(parts)}"
    elif ordinary := sum(each.ordinary for each in found):
        others = count(explained.ordinary, "other sample")
        told += f"; so waited {whole(ordinary)} of {others} looked at"
    worst = next((each for each in explained.worst if each.cause in causes), None)
    return told + (f". {_example(worst)}" if worst else "")


def _counts(explained: Explained, found: list[Share]) -> str:
    late, lost = sum(each.late for each in found), sum(each.lost for each in found)
    parts = []
    if late:
        of = count(explained.examined_late, "late sample")
        parts.append(f"{whole(late)} of {of} ({share(late / explained.samples)} of all samples)")
    if lost:
        parts.append(f"{whole(lost)} of {count(explained.examined_lost, 'lost sample')}")
    return " and ".join(parts)


def _latencies(found: list[Share]) -> str:
    least = min((each.least_ns for each in found if each.least_ns is not None), default=None)
    most = max((each.most_ns for each in found if each.most_ns is not None), default=None)
    if least is None or most is None:
        return "never read"
    if least == most:
        return f"latency {duration(most)}"
    return f"latencies {duration(least)} to {duration(most)}"


def _example(worst: Late) -> str:
    name = f"Sample {worst.seq} of writer {worst.writer} in round {worst.round}"
    if worst.latency_ns is None:
        said = f"{name}, lost: {worst.said}"
    else:
        waited = f", waited {duration(worst.wait_ns)}" if worst.wait_ns else ""
        said = f"{name}, latency {duration(worst.latency_ns)}{waited}: {worst.said}"
    packets = [each.packet for each in worst.evidence]
    if not packets:
        return said
    noun = "packet" if len(packets) == 1 else "packets"
    file = listed(list(dict.fromkeys(each.file for each in worst.evidence)))
    return f"{said} ({noun} {', '.join(map(str, packets))} of {file})"
