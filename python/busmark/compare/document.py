"""Parts of the document, from what was compared."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from busmark.analysis import dimensions as dim
from busmark.analysis.naming import FLOOR_ADAPTER
from busmark.analysis.text import joined, plural
from busmark.compare.change import Found
from busmark.compare.matching import Match
from busmark.compare.measured import CaseMeasured
from busmark.compare.model import (
    BETTER,
    WORSE,
    Change,
    Counted,
    Difference,
    Pair,
    SideSummary,
)
from busmark.compare.naming import Named
from busmark.compare.sides import Side, interleaved
from busmark.compare.verdict import Told

SEVERE = ("error", "warning")
"""Findings that a comparison repeats."""


@dataclass(frozen=True, slots=True)
class Compared:
    """A pair while it is worked on."""

    candidate: Side
    match: Match
    paired: bool
    baseline: CaseMeasured
    measured: CaseMeasured
    found: list[Found]

    @property
    def is_floor(self) -> bool:
        """Whether it is of the null adapter."""
        return bool(self.match.baseline.flat.get("adapter") == FLOOR_ADAPTER)


def pair(compared: Compared, named: Named, told: Sequence[Told]) -> Pair:
    """With the verdict of each of its figures."""
    case, other = compared.match.baseline, compared.match.candidate
    return Pair(
        label=named.label,
        test=case.test,
        placement=dim.placement_of(case.params),
        size=case.params.get("size"),
        workload=named.workload,
        is_floor=compared.is_floor,
        baseline_case=case.id,
        candidate=compared.candidate.name,
        candidate_case=other.id,
        baseline_rounds=compared.baseline.rounds,
        candidate_rounds=compared.measured.rounds,
        paired=compared.paired,
        measured_s=compared.baseline.measured_s + compared.measured.measured_s,
        differs=compared.match.differs,
        remarks=_remarks(compared),
        changes=[_change(f, t) for f, t in zip(compared.found, told, strict=True)],
    )


def _remarks(compared: Compared) -> list[str]:
    told = []
    for side, case, measured in (
        ("baseline", compared.match.baseline, compared.baseline),
        (compared.candidate.name, compared.match.candidate, compared.measured),
    ):
        told += [f"{side}: {case.reason}"] if case.reason else []
        told += [f"{side}: {problem}" for problem in measured.problems]
    return told


def _change(found: Found, told: Told) -> Change:
    statistic, _, quantity = found.name.rpartition(".")
    sides = (found.baseline, found.candidate)
    return Change.model_validate({
        "name": found.name,
        "statistic": statistic or None,
        "quantity": quantity,
        "latency": next((side.latency for side in sides if side and side.latency), None),
        "headline": found.headline,
        "kind": "ratio" if found.is_ratio else "difference",
        "baseline": sides[0].figure if sides[0] else None,
        "candidate": sides[1].figure if sides[1] else None,
        "change": found.change,
        "p_value": told.p_value,
        "p_adjusted": told.p_adjusted,
        "verdict": told.verdict,
        "reason": told.reason,
    })  # fmt: skip


def side_summary(side: Side) -> SideSummary:
    """What is told of a side as a whole."""
    manifest = side.result.manifest
    return SideSummary(
        name=side.name,
        directory=str(side.result.directory),
        campaign=str(manifest.scenario.get("name") or "unnamed campaign"),
        created_utc=manifest.created_utc,
        finished_utc=manifest.finished_utc,
        busmark_version=manifest.busmark_version,
        seed=manifest.seed,
        findings=[f.title for f in manifest.findings if f.severity in SEVERE],
    )


def counted(side: Side, pairs: Sequence[Pair]) -> Counted:
    """Verdicts of the cases against one side; the floor's is none."""
    only_floors = all(pair.is_floor for pair in pairs)
    of_side = [pair for pair in pairs if pair.candidate == side.name]
    verdicts = Counter(pair.verdict for pair in of_side if only_floors or not pair.is_floor)
    return Counted(
        candidate=side.name,
        better=sum(verdicts[v] for v in BETTER),
        worse=sum(verdicts[v] for v in WORSE),
        equivalent=verdicts["equivalent"],
        cannot_tell=verdicts["cannot tell"],
    )


def warnings(
    baseline: Side,
    candidates: Sequence[Side],
    pairs: Sequence[Pair],
    differing: Sequence[Difference],
) -> list[str]:
    """What is to be known before a verdict is relied on."""
    told = []
    for side in (baseline, *candidates):
        if side.result.manifest.finished_utc is None:
            told.append(f"{side.name} is not finished: it is still running, or was interrupted")
        if source := side.result.manifest.source:
            told.append(
                f"{side.name} was measured by {joined(source.tools)}, in its own way, on a machine "
                "that is not known; what it does not state is taken for equal"
            )
    if not all(interleaved(side, baseline) for side in candidates):
        told.append(
            "rounds of these campaigns were not interleaved: what changed on the machine between "
            "them is in every ratio, and in no interval"
        )
    serious = [d for d in differing if d.warning]
    if serious:
        told.append(f"the environments differ in {plural(len(serious), 'fact')}")
    moved = [pair for pair in pairs if pair.is_floor and pair.verdict in (*BETTER, *WORSE)]
    if moved and not all(pair.is_floor for pair in pairs):
        told.append(
            f"the floor (null adapter) is not the same in {plural(len(moved), 'case')}: the "
            "machine itself became faster or slower"
        )
    return told
