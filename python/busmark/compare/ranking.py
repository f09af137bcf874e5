"""Who is best in each workload, by the ratios of rounds that were run in turn.

It is the comparison of `pairwise`, as `busmark compare --by adapter` makes it: round by round, with
verdicts on two labels that hold over all workloads in which both were measured. The leader has the
best value; it is the best if all others are shown to be worse. A label that is shown to be
equivalent to the leader ties with it; one that is shown to be neither leaves it undecided, unless
another one is shown to be better. Baselines are references and never best themselves, unless
nothing else was measured.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Literal

from busmark.compare.rounds import FEWEST_ROUNDS, Pair, Rounds, Versus
from busmark.compare.verdict import WORSE
from busmark.facts import order_of
from busmark.model.case import CaseSummary
from busmark.model.entry import TESTS
from busmark.model.figure import Frozen
from busmark.model.naming import placement_rank, placement_text
from busmark.model.text import SCALES, lower_first, scale_for, value_text
from busmark.store.manifest import Finding


class Group(Frozen):
    """Cases that may be compared: one test, one placement."""

    test: str
    placement: str
    title: str
    """Placement in words, such as "on one CPU"."""
    cases: list[str]
    """Measured cases, by workload and then by result, best first."""
    floors: list[str]
    """Cases of the null adapter that are the floor here."""


def groups(cases: Sequence[CaseSummary]) -> list[Group]:
    """Return the groups in order of test and placement; unsupported cases are in none."""
    keys = {(c.test, c.placement) for c in cases if c.status != "unsupported" and not c.is_floor}
    return [_group(test, placement, cases) for test, placement in sorted(keys, key=_order)]


def _order(key: tuple[str, str]) -> tuple[int, str, tuple[int, str]]:
    test, placement = key
    rank = TESTS.index(test) if test in TESTS else len(TESTS)
    return rank, test, placement_rank(placement)


def _group(test: str, placement: str, cases: Sequence[CaseSummary]) -> Group:
    members = [
        c
        for c in cases
        if (c.test, c.placement) == (test, placement)
        and c.status != "unsupported"
        and not c.is_floor
    ]
    borrowed = {c.floor.case for c in members if c.floor}
    floors = [
        c
        for c in cases
        if c.is_floor
        and c.status != "unsupported"
        and c.test == test
        and (c.placement == placement or c.id in borrowed)
    ]
    # Values of the scenario's lists stay in their order there.
    ranks = {tuple(c.workload.values()): n for n, c in reversed(list(enumerate(cases)))}

    def by_result(case: CaseSummary) -> tuple[object, ...]:
        return _by_result(case, ranks[tuple(case.workload.values())])

    return Group(
        test=test,
        placement=placement,
        title=placement_text(placement),
        cases=[c.id for c in sorted(members, key=by_result)],
        floors=[c.id for c in sorted(floors, key=by_result)],
    )


def differing_choices(grouped: Sequence[Group], cases: dict[str, CaseSummary]) -> list[str]:
    """Return choices that are not in the labels, in which cases of one group differ."""
    names: dict[str, None] = {}
    for group in grouped:
        members = [cases[case].choices for case in group.cases]
        for name in dict.fromkeys(name for choices in members for name in choices):
            if len({choices.get(name) for choices in members}) > 1:
                names[name] = None
    return list(names)


def _by_result(case: CaseSummary, place: int) -> tuple[object, ...]:
    """Return a key that sorts by size, then workload, then best result; no result comes last."""
    result = rank(case)
    best = float("inf") if result is None else result
    return (case.size if case.size is not None else -1, place, best, case.label)


def rank(case: CaseSummary) -> float | None:
    """Return what orders a table; smaller is better."""
    found = case.headline
    if found is None:
        return None
    return found.figure.value if found.is_time else -found.figure.value


class Rank(Frozen):
    """The place of one case of a workload."""

    case: str
    role: Literal["compared", "baseline", "not compared"]
    """baseline: a reference beside the middleware that is compared."""
    reason: str | None = None
    """Why it is not compared."""
    to_leader: Versus | None = None
    """Against the leader; null for the leader itself, and where it is not compared."""


class Ranking(Frozen):
    """The ranking of one workload: the same test, placement, size and further parameters."""

    test: str
    figure: str
    """Kind of the headline that ranks it."""
    placement: str
    size: int | None
    workload: dict[str, str]
    places: list[Rank]
    """Best value first."""
    leader: str | None
    """Case of the best value among those compared; null where none is."""
    outcome: Literal["best", "ahead", "tie", "undecided", "alone", "open", "none"]
    """best: the leader is shown to be better than all others. ahead: each ratio taken alone shows
    it, but not with all their workloads in mind. tie: some are shown to be equivalent to it.
    undecided: some are shown to be neither worse nor equivalent. alone: there is no other. open:
    see `open`. none: there is no leader."""
    best: list[str]
    """The leader, and those that are not shown to be worse than anybody."""
    open: str | None
    """Why nobody can be called the best; else null."""
    only_baselines: bool
    """Whether nothing but baselines was measured, so that these are compared."""
    reference: str | None
    """The baseline that the leader is held against."""

    def place(self, case: str) -> Rank | None:
        """Return the place of this case; None where it has none."""
        return next((place for place in self.places if place.case == case), None)

    @property
    def others(self) -> list[Rank]:
        """Return those compared with the leader, best value first."""
        return [p for p in self.places if p.role == "compared" and p.case != self.leader]


MOST_IN_PAIRS = 16
"""Cases of a workload up to which everybody is compared with everybody."""

ONE_ROUND = "one round gives no interval"


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
        """Return who is compared with whom, the one of the better value second: everybody with
        everybody, of very many only with the leader."""
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
        """Outcome of the ranking where nothing prevents a case from being called the best."""
        if not self.compared:
            return "none"
        if len(self.compared) == 1:
            return "alone"
        if len(self.first) > 1:
            others = [self.versus[case, self.first[0]] for case in self.first[1:]]
            return "tie" if all(v.verdict == "equivalent" for v in others) else "undecided"
        others = [self.versus[case.id, self.compared[0].id] for case in self.compared[1:]]
        return "best" if all(versus.verdict in WORSE for versus in others) else "ahead"


def rankings(rounds: Rounds, findings: Sequence[Finding]) -> list[Ranking]:
    """Return a ranking of each workload in which something was measured, in the cases' order."""
    errors = [finding for finding in findings if finding.severity == "error"]
    by_workload: dict[tuple[object, ...], list[CaseSummary]] = {}
    for case in rounds.cases.values():
        ranked = case.headline
        # At a rate that is asked for, the greatest goodput says nothing: all may carry it.
        paced = case.paced is not None
        if ranked and (ranked.is_time or not paced) and not case.is_floor:
            key = (case.test, case.placement, case.size, *case.workload.items())
            by_workload.setdefault(key, []).append(case)
    found = [_workload(cases, rounds, errors) for cases in by_workload.values()]
    led = [workload for workload in found if workload.leader]
    text = rounds.compared([pair for workload in led for pair in workload.pairs])
    for workload in led:
        workload.versus = {pair: text[pair] for pair in workload.pairs}
    whole = next((lower_first(f.title) for f in errors if not f.cases), None)
    return [_ranking(workload, whole) for workload in found]


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
        case
        for case in cases
        if case.id not in excluded and (only_baselines or not case.is_baseline)
    ]
    return found


def _value(case: CaseSummary) -> float:
    """Return what orders a workload; smaller is better."""
    value = rank(case)
    assert value is not None  # by the choice of the cases
    return value


def _ranking(workload: _Workload, whole: str | None) -> Ranking:
    first, leader = workload.cases[0], workload.leader
    # A leader is held against the first of the baselines that were measured.
    first_here = min((order_of(case.adapter) for case in workload.references), default=None)
    references = [case for case in workload.references if order_of(case.adapter) == first_here]
    why_open = (whole or _open(workload)) if leader else None
    return Ranking.model_validate(
        {
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
            "reference": min(references, key=_value).id if references and leader else None,
        }
    )


def _place(case: CaseSummary, workload: _Workload) -> Rank:
    reason = workload.excluded.get(case.id)
    is_reference = case.is_baseline and not workload.only_baselines
    versus = None if reason else workload.versus.get((case.id, workload.leader or ""))
    role = "baseline" if is_reference else "not compared" if reason else "compared"
    return Rank.model_validate(
        {"case": case.id, "role": role, "reason": reason, "to_leader": versus}
    )


def _open(workload: _Workload) -> str | None:
    """Return why nobody can be called the best."""
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
    """Return the figure that is compared, with its unit: "42.8 µs"."""
    assert case.headline is not None  # by the choice of the cases
    figure = case.headline.figure
    scale = scale_for([abs(figure.value)], SCALES[figure.unit])
    return f"{value_text(figure, scale)} {scale.unit}"
