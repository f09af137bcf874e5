"""Parts of the document, from what was compared."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from busmark.compare.change import Found
from busmark.compare.gate import Beyond
from busmark.compare.matching import Match
from busmark.compare.measured import CaseMeasured
from busmark.compare.model import (
    Change,
    Counted,
    Difference,
    FigureCounted,
    Pair,
    SideSummary,
)
from busmark.compare.naming import Named
from busmark.compare.sides import Side, interleaved
from busmark.compare.verdict import BETTER, WORSE, Told
from busmark.estimate import machines
from busmark.estimate.resources import background, level_text
from busmark.findings.kinds import kinds
from busmark.model import naming as dim
from busmark.model.figure import Quantity
from busmark.model.naming import FLOOR_ADAPTER
from busmark.model.text import joined, plural

SAME_LOAD = 0.9
"""Share of the greater level of a background load that the other must have to be called the
same."""

MOST_FACTS = 4
"""Facts of an environment that a warning names."""

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
    beyond: Mapping[str, Beyond] = field(default_factory=dict)
    """What decides criteria on percentiles."""

    @property
    def is_floor(self) -> bool:
        """Whether it is of the null adapter."""
        return bool(self.match.baseline.flat.get("adapter") == FLOOR_ADAPTER)


def _adapter(match: Match) -> str:
    """Adapter of both sides, if it is the same."""
    own, other = (str(side.flat.get("adapter", "")) for side in (match.baseline, match.candidate))
    return own if own == other else ""


def pair(compared: Compared, named: Named, told: Sequence[Told]) -> Pair:
    """With the verdict of each of its figures."""
    case, other = compared.match.baseline, compared.match.candidate
    return Pair(
        label=named.label,
        adapter=_adapter(compared.match),
        label_title=named.title,
        test=case.test,
        placement=dim.placement_of(case.params),
        size=case.params.size,
        candidate_size=other.params.size,
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
    return told + _loads(compared)


def _loads(compared: Compared) -> list[str]:
    """Background loads that differed though both sides asked for the same."""
    cases = (compared.match.baseline, compared.match.candidate)
    if cases[0].params.load != cases[1].params.load:
        return []
    sides = [{load.kind: load.achieved for load in background(case.params, case.good)}
             for case in cases]  # fmt: skip
    told = []
    for kind in sides[0].keys() & sides[1].keys():
        first, second = sides[0][kind], sides[1][kind]
        if first is None or second is None or min(first, second) >= SAME_LOAD * max(first, second):
            continue
        levels = (level_text(kind, first), level_text(kind, second))
        told.append(
            f"background load {kind}: {levels[0]} achieved beside the baseline, {levels[1]} beside "
            f"{compared.candidate.name}"
        )
    return sorted(told)


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
        "lost": [
            role
            for role, side in zip(("baseline", "candidate"), sides, strict=True)
            if side is not None and side.lost
        ],
        "change": found.change,
        "p_value": told.p_value,
        "p_adjusted": told.p_adjusted,
        "verdict": told.verdict,
        "reason": told.reason,
    })  # fmt: skip


def side_summary(side: Side) -> SideSummary:
    """Remarks on a side as a whole."""
    manifest = side.result.manifest
    return SideSummary(
        name=side.name,
        directory=str(side.result.directory),
        campaign=str(manifest.scenario.get("name") or "unnamed campaign"),
        created_utc=manifest.created_utc,
        finished_utc=manifest.finished_utc,
        busmark_version=manifest.busmark_version,
        seed=manifest.seed,
        findings=[
            kind.counted(sum(case.status == "planned" for case in manifest.cases))
            for kind in kinds(manifest.findings)
            if kind.severity in SEVERE
        ],
    )


def counted(side: Side, pairs: Sequence[Pair], tests: tuple[int, int], missing: int = 0) -> Counted:
    """Verdicts of the cases against one side; the floor's is none. `tests`: of its headline figures
    and of its others. `missing`: cases that were not measured."""
    only_floors = all(pair.is_floor for pair in pairs)
    of_side = [
        pair for pair in pairs
        if pair.candidate == side.name and (only_floors or not pair.is_floor)
    ]  # fmt: skip
    verdicts = Counter(pair.verdict for pair in of_side)
    return Counted(
        candidate=side.name,
        cases=len(of_side),
        headline_tests=tests[0],
        further_tests=tests[1],
        better=sum(verdicts[v] for v in BETTER),
        worse=sum(verdicts[v] for v in WORSE),
        mixed=verdicts["mixed"],
        equivalent=verdicts["equivalent"],
        undecided=verdicts["undecided"],
        missing=missing,
        figures=_by_figure(of_side),
    )


def _by_figure(pairs: Sequence[Pair]) -> list[FigureCounted]:
    """Each headline figure, and loss where some case's changed."""
    changes = [change for pair in pairs for change in pair.headlines]
    losses = [c for pair in pairs for c in pair.changes if c.name == "loss"]
    if any(change.verdict in (*BETTER, *WORSE) for change in losses):
        changes += losses
    groups: dict[tuple[str, Quantity | None], list[Change]] = {}
    for change in changes:
        groups.setdefault((change.name, change.latency), []).append(change)
    found = []
    for (name, latency), of_it in groups.items():
        verdicts = Counter(change.verdict for change in of_it)
        found.append(
            FigureCounted(
                name=name,
                latency=latency,
                better=sum(verdicts[v] for v in BETTER),
                worse=sum(verdicts[v] for v in WORSE),
                loses_more=verdicts["loses more"] if name != "loss" else 0,
                equivalent=verdicts["equivalent"],
                undecided=verdicts["undecided"],
            )
        )
    return found


def warnings(
    baseline: Side,
    candidates: Sequence[Side],
    pairs: Sequence[Pair],
    differing: Sequence[Difference],
    *,
    sessions: int = 1,
    by: Sequence[str] = (),
) -> list[str]:
    """What is to be known before a verdict is relied on."""
    told = []
    for side in (baseline, *candidates):
        if side.result.manifest.finished_utc is None:
            told.append(f"{side.name} is not finished: it is still running, or was interrupted")
        told += [f"{side.name} is damaged: {what}" for what in side.result.damage]
        if source := side.result.manifest.source:
            told.append(
                f"{side.name} was measured by {joined(source.tools)}, in its own way, on a machine "
                "that is not known; what it does not state is taken for equal"
            )
    if not all(interleaved(side, baseline) for side in candidates):
        told.append(
            f"these campaigns were not interleaved: what {sessions} campaigns of the baseline "
            "differ by is in the intervals, but not that the candidate ran in other hours"
            if sessions > 1
            else "these campaigns were not interleaved: what changed on the machine between them "
            "biases every ratio, and the intervals do not cover it. `busmark ab` interleaves both "
            "sides"
        )
    serious = [d for d in differing if d.warning]
    if serious:
        facts = list(dict.fromkeys(map(_fact, serious)))
        some = joined(facts) if len(facts) <= MOST_FACTS else plural(len(facts), "fact")
        told.append(f"the environments differ in {some}")
    hardware = _hardware(serious)
    if hardware and set(by) & machines.OF_THE_SYSTEM.keys():
        told.append(
            f"the machines differ as well ({joined(hardware)}): what is found is of system and "
            "machine together"
        )
    moved = [pair for pair in pairs if pair.is_floor and pair.verdict in (*BETTER, *WORSE)]
    if moved and not all(pair.is_floor for pair in pairs):
        told.append(
            f"the floor (null adapter) is not the same in {plural(len(moved), 'case')}: the "
            "machine itself became faster or slower"
        )
    return told


def _fact(of: Difference) -> str:
    """ "kernel", "version of Busmark"."""
    return of.fact if of.area != "Busmark" else f"{of.fact} of Busmark"


def _hardware(differing: Sequence[Difference]) -> list[str]:
    """Facts of the machine itself that are not the same."""
    names = {fact.replace("_", " ") for fact in machines.HARDWARE}
    told = [
        d.fact for d in differing if d.area == "machine" and d.fact.partition(" of ")[0] in names
    ]
    return list(dict.fromkeys(told))
