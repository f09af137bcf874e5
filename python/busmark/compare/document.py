"""Parts of the document, from what was compared."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from busmark.compare.change import FigureChange
from busmark.compare.gate import Beyond
from busmark.compare.matching import Match
from busmark.compare.measured import CaseMeasured
from busmark.compare.model import (
    Caveat,
    ComparedFigure,
    Difference,
    FigureCounted,
    Pair,
    SideSummary,
    TheirRow,
    VerdictCounts,
)
from busmark.compare.naming import NamedPair
from busmark.compare.sides import Side, interleaved
from busmark.compare.stored import StoredAnalysis
from busmark.compare.verdict import BETTER, WORSE, Decision
from busmark.estimate import machines
from busmark.estimate.resources import background, level_text
from busmark.findings.registry import kinds
from busmark.model import naming as dim
from busmark.model import text
from busmark.model.case import CaseSummary
from busmark.model.figure import Quantity
from busmark.model.figures import Estimated
from busmark.model.naming import FLOOR_ADAPTER
from busmark.model.quantities import CPUS_USED
from busmark.model.quantities.parts import LOAD_ACHIEVED, RSS
from busmark.model.quantities.stream import LOSS, LOST, RECEIVED, SENT
from busmark.model.text import joined, plural

TOOL = "performance_test"

MS, KIB, PERCENT = 1e6, 1024, 100.0


def in_their_columns(sides: Sequence[Side], pairs: Sequence[Pair]) -> list[TheirRow]:
    """Return both cases of every pair, one after the other; none where no side is of that tool."""
    if not pairs or not any(_tool(side) for side in sides):
        return []
    # Sides of one result are summed up once.
    of_result = {side.result.directory: side.result for side in sides}
    known = {
        directory: {case.id: case for case in StoredAnalysis(result).figures.cases}
        for directory, result in of_result.items()
    }
    by_name = {side.name: side for side in sides}
    rows: dict[tuple[str, str], TheirRow] = {}
    for pair in pairs:
        ends = ((sides[0].name, pair.baseline_case), (pair.candidate, pair.candidate_case))
        for name, case in ends:
            side = by_name[name]
            found = known[side.result.directory].get(case)
            if found is not None:
                rows[name, case] = TheirRow(
                    side=name,
                    tool=_tool(side) or "Busmark",
                    label=_label(found),
                    columns=_row(found),
                )
    return list(rows.values())


def _label(case: CaseSummary) -> str:
    workload = case.workload.items()
    further = [f"{name} {value}" for name, value in workload if value != text.ABSENT]
    return ", ".join([case.label, text.size_text(case.size), *further])


def _tool(side: Side) -> str:
    """Return the tool and its version, if the side was imported from it; else empty."""
    source = side.result.manifest.source
    tools = source.tools if source else []
    return next((tool for tool in tools if tool.startswith(TOOL)), "")


def _row(case: CaseSummary) -> dict[str, float | None]:
    """Return figures of a typical round; counts over all that count."""
    one_way = case.one_way
    reported = next((each for each in case.reported if each.quantity == "one_way"), None)

    def latency(name: str) -> float | None:
        if reported is not None:
            found = reported.figure(name)
            return found.value if found else None
        if one_way is None:
            return None
        return one_way.mean.value if name == "mean" else one_way.time_ns(f"{name}_ns")

    std = latency("std")
    memory = [rss for each in case.parts("participant") if (rss := each.value(RSS)) is not None]
    loss = LOSS.figure(case) if case.has_stream else None
    return {
        "received": RECEIVED.value(case),
        "sent": SENT.value(case) if case.has_stream else None,
        "lost": LOST.value(case) if case.has_stream else None,
        "relative_loss (%)": loss.value * PERCENT if loss else None,
        "latency_min (ms)": _over(latency("min"), MS),
        "latency_max (ms)": _over(latency("max"), MS),
        "latency_mean (ms)": _over(latency("mean"), MS),
        "latency_variance (ms²)": _over(std * std if std is not None else None, MS * MS),
        "cpu_usage (%)": used.value * PERCENT if (used := CPUS_USED.figure(case)) else None,
        "ru_maxrss (KiB)": max(memory) / KIB if memory else None,
    }


def _over(value: float | None, unit: float) -> float | None:
    return None if value is None else value / unit


SAME_LOAD = 0.9
"""Share of the greater level of a background load that the other must have to be called the
same."""

MOST_FACTS = 4
"""Facts of an environment that a warning names."""

SEVERE = ("error", "warning")
"""Findings that a comparison repeats."""


@dataclass(frozen=True, slots=True)
class PairInProgress:
    """A pair while it is worked on."""

    candidate: Side
    match: Match
    paired: bool
    baseline: CaseMeasured
    measured: CaseMeasured
    found: list[FigureChange]
    beyond: Mapping[str, Beyond] = field(default_factory=dict)
    """Samples beyond each limit on a percentile, by the text of the criterion."""
    asked: Sequence[FigureChange] = ()
    """Further figures, for criteria alone."""

    @property
    def is_floor(self) -> bool:
        """Return whether it is of the null adapter."""
        return bool(self.match.baseline.flat.get("adapter") == FLOOR_ADAPTER)


def _adapter(match: Match) -> str:
    """Return adapter of both sides, if it is the same."""
    own, other = (str(side.flat.get("adapter", "")) for side in (match.baseline, match.candidate))
    return own if own == other else ""


def pair(compared: PairInProgress, named: NamedPair, verdicts: Sequence[Decision]) -> Pair:
    """Return a pair with the verdict of each of its figures."""
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
        changes=[_change(f, t) for f, t in zip(compared.found, verdicts, strict=True)],
    )


def _remarks(compared: PairInProgress) -> list[str]:
    notes = []
    for side, case, measured in (
        ("baseline", compared.match.baseline, compared.baseline),
        (compared.candidate.name, compared.match.candidate, compared.measured),
    ):
        notes += [f"{side}: {case.reason}"] if case.reason else []
        notes += [f"{side}: {problem}" for problem in measured.problems]
    return notes + _loads(compared)


def is_level(row: Estimated) -> bool:
    """Return whether a row is the level that a background load achieved."""
    return row.quantity == LOAD_ACHIEVED.name


def _loads(compared: PairInProgress) -> list[str]:
    """Return background loads that differed though both sides asked for the same."""
    cases = (compared.match.baseline, compared.match.candidate)
    if cases[0].params.load != cases[1].params.load:
        return []
    sides = [
        {row.of: row.value for row in background(case.params, case.good) if is_level(row)}
        for case in cases
    ]
    notes = []
    for kind in sides[0].keys() & sides[1].keys():
        first, second = sides[0][kind], sides[1][kind]
        if first is None or second is None or min(first, second) >= SAME_LOAD * max(first, second):
            continue
        levels = (level_text(str(kind), first), level_text(str(kind), second))
        notes.append(
            f"background load {kind}: {levels[0]} achieved with the baseline, {levels[1]} with "
            f"{compared.candidate.name}"
        )
    return sorted(notes)


def _change(found: FigureChange, verdict: Decision) -> ComparedFigure:
    statistic, _, quantity = found.name.rpartition(".")
    sides = (found.baseline, found.candidate)
    return ComparedFigure.model_validate(
        {
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
            "p_value": verdict.p_value,
            "p_adjusted": verdict.p_adjusted,
            "verdict": verdict.verdict,
            "reason": verdict.reason,
        }
    )


def side_summary(side: Side) -> SideSummary:
    """Return what is known of a side as a whole."""
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


def counted(
    side: Side, pairs: Sequence[Pair], tests: tuple[int, int, int], missing: int = 0
) -> VerdictCounts:
    """Return verdicts of the cases against one side; the floor's is none. `tests`: of its headline
    figures, of its losses and of its others. `missing`: cases that were not measured."""
    only_floors = all(pair.is_floor for pair in pairs)
    of_side = [
        pair for pair in pairs if pair.candidate == side.name and (only_floors or not pair.is_floor)
    ]
    verdicts = Counter(pair.verdict for pair in of_side)
    return VerdictCounts(
        candidate=side.name,
        cases=len(of_side),
        headline_tests=tests[0],
        loss_tests=tests[1],
        further_tests=tests[2],
        better=sum(verdicts[v] for v in BETTER),
        worse=sum(verdicts[v] for v in WORSE),
        mixed=verdicts["mixed"],
        equivalent=verdicts["equivalent"],
        undecided=verdicts["undecided"],
        missing=missing,
        figures=_by_figure(of_side),
    )


def _by_figure(pairs: Sequence[Pair]) -> list[FigureCounted]:
    """Return each headline figure; first the loss, where the sides of any case differ in it."""
    changes = [c for pair in pairs for c in pair.headlines if c.name != "loss"]
    if any(pair.loss for pair in pairs):
        changes = [*(c for pair in pairs for c in pair.changes if c.name == "loss"), *changes]
    groups: dict[tuple[str, Quantity | None], list[ComparedFigure]] = {}
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
) -> list[Caveat]:
    """Return what is to be known before a verdict is relied on."""
    found: list[Caveat] = []
    for side in (baseline, *candidates):
        if side.result.manifest.finished_utc is None:
            found.append(Caveat(kind="not finished", of=side.name))
        found += [Caveat(kind="damaged", of=f"{side.name}: {what}") for what in side.result.damage]
        if source := side.result.manifest.source:
            of = f"{side.name}, by {joined(source.tools)}"
            found.append(Caveat(kind="measured elsewhere", of=of))
    if not all(interleaved(side, baseline) for side in candidates):
        of = f"{sessions} campaigns of the baseline"
        found.append(
            Caveat(kind="interleaved by campaigns", of=of)
            if sessions > 1
            else Caveat(kind="not interleaved", of="")
        )
    serious = [d for d in differing if d.warning]
    if serious:
        facts = list(dict.fromkeys(map(_fact, serious)))
        some = joined(facts) if len(facts) <= MOST_FACTS else plural(len(facts), "fact")
        found.append(Caveat(kind="other environment", of=some))
    hardware = _hardware(serious)
    if hardware and set(by) & machines.OF_THE_SYSTEM.keys():
        found.append(Caveat(kind="other machine", of=joined(hardware)))
    moved = [pair for pair in pairs if pair.is_floor and pair.verdict in (*BETTER, *WORSE)]
    if moved and not all(pair.is_floor for pair in pairs):
        found.append(Caveat(kind="other floor", of=plural(len(moved), "case")))
    return found


def _fact(of: Difference) -> str:
    """Return the name of the fact: "kernel", "version of Busmark"."""
    return of.fact if of.area != "Busmark" else f"{of.fact} of Busmark"


def _hardware(differing: Sequence[Difference]) -> list[str]:
    """Return facts of the machine itself that are not the same."""
    names = {fact.replace("_", " ") for fact in machines.HARDWARE}
    notes = [
        d.fact for d in differing if d.area == "machine" and d.fact.partition(" of ")[0] in names
    ]
    return list(dict.fromkeys(notes))
