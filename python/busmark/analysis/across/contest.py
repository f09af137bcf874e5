"""Who is best in each workload, told by the ratios of rounds that were run in turn.

It is the comparison of `pairwise`, as `busmark compare --by adapter` makes it: round by round, with
verdicts on two labels that hold over all workloads in which both were measured. The leader has the
best value; it is the best if all others are shown to be worse. A label that is shown to be
equivalent to the leader ties with it; one that is shown to be neither leaves it undecided, unless
another one is shown to be better. Baselines are references and never best themselves, unless
nothing else was measured.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations

from busmark.analysis.across.grouping import rank
from busmark.analysis.across.spent import ratios, spent
from busmark.analysis.across.standing import Place, Standing, Versus
from busmark.analysis.figures import Figure
from busmark.analysis.model import CaseSummary
from busmark.analysis.pairwise.change import Found, changes
from busmark.analysis.pairwise.figures import measured
from busmark.analysis.pairwise.measured import TAIL, CaseMeasured
from busmark.analysis.pairwise.verdict import EQUIVALENT, WORSE, Told, verdicts
from busmark.analysis.read.rounds import Row, last_attempts
from busmark.analysis.words.text import SCALES, lower_first, scale_for, value_text
from busmark.store import Finding

FEWEST_ROUNDS = 2
"""One round gives no interval."""

MOST_IN_PAIRS = 16
"""Cases of a workload up to which everybody is compared with everybody."""

ONE_ROUND = "one round gives no interval"

REFERENCE = "udp"
"""The baseline that a leader is held against where it was measured; else the first."""

Pair = tuple[str, str]
"""Two cases: candidate and baseline of the comparison."""


class Rounds:
    """Cases of a campaign as they are compared, by their rounds that count."""

    def __init__(
        self, cases: Iterable[CaseSummary], rows: Mapping[str, Sequence[Row]], *,
        interleaved: bool, step_ns: float = 0.0,
    ) -> None:  # fmt: skip
        self.cases = {case.id: case for case in cases}
        self._interleaved = interleaved
        self._rows = rows
        self._measured = {
            case.id: _measured(case, rows.get(case.id, ()), step_ns)
            for case in self.cases.values()
            if case.headline is not None
        }

    def count(self, case: str) -> int:
        """Its rounds that have the figure."""
        found = self._measured.get(case)
        return found.rounds if found else 0

    def compared(self, pairs: Sequence[Pair], *, together: bool = False) -> dict[Pair, Versus]:
        """Each pair. Verdicts on two labels hold over all pairs of these two; `together`: over all
        pairs. Those on the 99th percentile are families of their own."""
        families: dict[object, list[Pair]] = {}
        for pair in pairs:
            labels = frozenset(self.cases[case].label for case in pair)
            families.setdefault(None if together else labels, []).append(pair)
        found: dict[Pair, Versus] = {}
        for family in families.values():
            each = [self._changes(pair) for pair in family]
            first = [changed[0] for changed in each]
            tails = [next((f for f in changed if f.name == TAIL), None) for changed in each]
            of_tails = iter(verdicts([tail for tail in tails if tail], EQUIVALENT))
            found |= {
                pair: _versus(pair, median, told, tail, next(of_tails) if tail else None)
                for pair, median, told, tail in zip(
                    family, first, verdicts(first, EQUIVALENT), tails, strict=True
                )
            }
        return found

    def spent(self, pair: Pair) -> dict[str, Figure]:
        """Ratios of what they spent besides."""
        one, other = (spent(self.cases[case], self._rows.get(case, ())) for case in pair)
        return ratios(one, other, paired=self._interleaved)

    def _changes(self, pair: Pair) -> list[Found]:
        """All figures of a pair, the one that gives the verdict first."""
        other, one = (self._measured[case] for case in pair)
        return changes(one, other, paired=self._interleaved, sessions={})


def _versus(
    pair: Pair, found: Found, told: Told, tail: Found | None, of_tail: Told | None
) -> Versus:
    return Versus(
        case=pair[0],
        other=pair[1],
        ratio=found.change,
        verdict=told.verdict,
        reason=told.reason,
        p_adjusted=told.p_adjusted,
        p99=tail.change if tail else None,
        p99_verdict=of_tail.verdict if of_tail else None,
    )


def _measured(case: CaseSummary, rows: Sequence[Row], step_ns: float) -> CaseMeasured:
    """What a case is ranked by, its tail and its loss."""
    found = measured(case, [r for r in last_attempts(rows) if r["status"] == "ok"], step_ns)
    assert found.headline is not None  # by the choice of the cases
    tail = found.figures.get(TAIL)
    return found.only(found.headline, *([TAIL] if tail and tail.figure else []), "loss")


@dataclass(slots=True)
class _Workload:
    """While its standing is worked on."""

    cases: list[CaseSummary]
    only_baselines: bool
    excluded: dict[str, str]
    """Cases that cannot be compared, and why."""
    countable: list[str]
    """Cases with rounds enough, also those that an error forbids to compare: the verdicts on all
    others are adjusted for these, too, as in any comparison."""
    compared: list[CaseSummary] = field(default_factory=list)
    versus: dict[Pair, Versus] = field(default_factory=dict)

    @property
    def leader(self) -> str | None:
        return self.compared[0].id if self.compared else None

    @property
    def references(self) -> list[CaseSummary]:
        """Baselines beside middleware."""
        if self.only_baselines:
            return []
        return [c for c in self.cases if c.is_baseline and c.id not in self.excluded]

    @property
    def pairs(self) -> list[Pair]:
        """Who is compared with whom, the one of the better value second: everybody with everybody,
        of very many only with the leader."""
        if len(self.countable) > MOST_IN_PAIRS:
            return [(case, self.leader or "") for case in self.countable if case != self.leader]
        ranked = sorted(self.countable, key=lambda case: case != self.leader)
        return [(other, one) for one, other in combinations(ranked, 2)]

    @property
    def first(self) -> list[str]:
        """The leader, and those that are not shown to be worse than anybody."""
        among = {case.id for case in self.compared}
        known = [v for v in self.versus.values() if {v.case, v.other} <= among]
        beaten = {v.case for v in known if v.verdict in WORSE}
        beaten |= {v.case for v in known if v.other == self.leader and v.excludes_1}
        return [c.id for c in self.compared if c.id == self.leader or c.id not in beaten]

    @property
    def outcome(self) -> str:
        """Where nothing keeps anybody from being the best."""
        if not self.compared:
            return "none"
        if len(self.compared) == 1:
            return "alone"
        if len(self.first) > 1:
            others = [self.versus[case, self.first[0]] for case in self.first[1:]]
            return "tie" if all(v.verdict == "equivalent" for v in others) else "undecided"
        others = [self.versus[case.id, self.compared[0].id] for case in self.compared[1:]]
        return "best" if all(versus.verdict in WORSE for versus in others) else "ahead"


def standings(rounds: Rounds, findings: Sequence[Finding]) -> list[Standing]:
    """One for each workload in which something was measured, in the order of the cases."""
    errors = [finding for finding in findings if finding.severity == "error"]
    by_workload: dict[tuple[object, ...], list[CaseSummary]] = {}
    for case in rounds.cases.values():
        ranked = case.headline
        # At a rate that is asked for, the greatest goodput says nothing: all may carry it.
        paced = case.throughput is not None and case.throughput.paced is not None
        if ranked and (ranked.is_time or not paced) and not case.is_floor:
            key = (case.test, case.placement, case.size, *case.workload.items())
            by_workload.setdefault(key, []).append(case)
    found = [_workload(cases, rounds, errors) for cases in by_workload.values()]
    led = [workload for workload in found if workload.leader]
    told = rounds.compared([pair for workload in led for pair in workload.pairs])
    for workload in led:
        workload.versus = {pair: told[pair] for pair in workload.pairs}
    whole = next((lower_first(f.title) for f in errors if not f.cases), None)
    return [_standing(workload, whole) for workload in found]


def _workload(cases: list[CaseSummary], rounds: Rounds, errors: Sequence[Finding]) -> _Workload:
    only_baselines = all(case.is_baseline for case in cases)
    cases = sorted(cases, key=lambda case: (_value(case), case.label))
    excluded = {}
    for case in cases:
        wrong = next((f.title for f in errors if case.id in f.cases), None)
        if wrong:
            excluded[case.id] = lower_first(wrong)
        elif rounds.count(case.id) < FEWEST_ROUNDS:
            excluded[case.id] = ONE_ROUND if rounds.count(case.id) else "no round counts"
    countable = [case.id for case in cases if rounds.count(case.id) >= FEWEST_ROUNDS]
    found = _Workload(cases, only_baselines, excluded, countable)
    found.compared = [
        case for case in cases
        if case.id not in excluded and (only_baselines or not case.is_baseline)
    ]  # fmt: skip
    return found


def _value(case: CaseSummary) -> float:
    """What orders a workload; smaller is better."""
    value = rank(case)
    assert value is not None  # by the choice of the cases
    return value


def _standing(workload: _Workload, whole: str | None) -> Standing:
    first, leader = workload.cases[0], workload.leader
    references = workload.references
    named = [case for case in references if case.adapter == REFERENCE] or references
    why_open = (whole or _open(workload)) if leader else None
    return Standing.model_validate({
        "test": first.test,
        "figure": first.headline.kind if first.headline else first.test,
        "placement": first.placement,
        "size": first.size,
        "workload": first.workload,
        "places": [_place(case, workload) for case in workload.cases],
        "leader": leader,
        "outcome": "open" if why_open else workload.outcome,
        "best": workload.first,
        "open": why_open,
        "only_baselines": workload.only_baselines,
        "reference": min(named, key=_value).id if named and leader else None,
    })  # fmt: skip


def _place(case: CaseSummary, workload: _Workload) -> Place:
    reason = workload.excluded.get(case.id)
    is_reference = case.is_baseline and not workload.only_baselines
    versus = None if reason else workload.versus.get((case.id, workload.leader or ""))
    role = "baseline" if is_reference else "not compared" if reason else "compared"
    return Place.model_validate(
        {"case": case.id, "role": role, "reason": reason, "to_leader": versus}
    )


def _open(workload: _Workload) -> str | None:
    """Why nobody can be called the best."""
    leader = workload.compared[0]
    for case in workload.cases:
        reference = case.is_baseline and not workload.only_baselines
        if case.id in workload.excluded and not reference and _value(case) < _value(leader):
            return f"{case.label}, {value_of(case)}, is not compared ({workload.excluded[case.id]})"
    for place in workload.compared[1:]:
        verdict = workload.versus[place.id, leader.id].verdict
        if verdict == "loses less":
            return f"{leader.label} loses more samples than {place.label}"
    return None


def value_of(case: CaseSummary) -> str:
    """The figure that is compared, with its unit: "42.8 µs"."""
    assert case.headline is not None  # by the choice of the cases
    figure = case.headline.figure
    scale = scale_for([abs(figure.value)], SCALES[figure.unit])
    return f"{value_text(figure, scale)} {scale.unit}"
