"""Which cases stand in one table: the same test, the same placement."""

from __future__ import annotations

from collections.abc import Sequence

from busmark.analysis.across.dimensions import placement_rank, placement_text
from busmark.analysis.model import CaseSummary, Group

TESTS = ("latency", "throughput", "capacity", "discovery")
"""In the order of the report; other tests follow."""


def groups(cases: Sequence[CaseSummary]) -> list[Group]:
    """Groups in order of test and placement; unsupported cases are in none."""
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
    """Choices, not told in the labels, in which cases of one group differ."""
    names: dict[str, None] = {}
    for group in grouped:
        members = [cases[case].choices for case in group.cases]
        for name in dict.fromkeys(name for choices in members for name in choices):
            if len({choices.get(name) for choices in members}) > 1:
                names[name] = None
    return list(names)


def _by_result(case: CaseSummary, place: int) -> tuple[object, ...]:
    """Smallest size first, then workload, then best result; what has no result comes last."""
    result = rank(case)
    best = float("inf") if result is None else result
    return (case.size if case.size is not None else -1, place, best, case.label)


def rank(case: CaseSummary) -> float | None:
    """What orders a table; smaller is better."""
    found = case.headline
    if found is None:
        return None
    return found.figure.value if found.is_time else -found.figure.value
