"""How many rounds a campaign has, and how long it takes: at least, and at most.

Rounds that a target or an undecided requirement may add are not known before, nor are trials of a
search: both ends are announced.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import NamedTuple

from busmark.errors import UserError
from busmark.model.entry import SEARCHES
from busmark.model.text import duration
from busmark.plan.refusals import meant
from busmark.scenario import Scenario
from busmark.store import Case


class CountRange(NamedTuple):
    """The fewest and the most samples that may come."""

    least: float
    most: float


def rounds_of(scenario: Scenario, cases: Sequence[Case]) -> dict[str, CountRange]:
    """Return how many rounds, or trials, each planned case has."""
    rounds, search = scenario.rounds, scenario.capacity
    judged: set[str] = set()
    for section in scenario.require:
        with suppress(UserError):  # one for no case is refused
            judged |= {case.id for case in meant(scenario, cases, section.requirement())}
    found = {}
    for case in cases:
        if case.status != "planned":
            continue
        if case.params.test in SEARCHES:
            # One at full speed, and those that confirm.
            found[case.id] = CountRange(
                min(1 + search.confirm, search.max_trials), search.max_trials
            )
        else:
            more = rounds.target or case.id in judged
            found[case.id] = CountRange(rounds.min, rounds.max if more else rounds.min)
    return found


def time_of(
    scenario: Scenario,
    cases: Sequence[Case],
    round_s: Callable[[Case], float],
    done: Mapping[str, int] | None = None,
) -> CountRange:
    """Return the time that a campaign takes, s, without rounds that fail.

    Args:
        scenario: the scenario of the campaign.
        cases: its cases.
        round_s: the time of a round of a case.
        done: rounds that there are already, by case.
    """
    rounds = scenario.rounds
    least_s = most_s = 0.0
    bounds = rounds_of(scenario, cases)
    for case in cases:
        if case.id not in bounds:
            continue
        least, most = bounds[case.id]
        known, each_s = (done or {}).get(case.id, 0), round_s(case)
        own_s = max(least - known, 0) * each_s
        longest_s = max(most - known, 0) * each_s
        if rounds.case_budget_s and case.params.test not in SEARCHES:
            longest_s = max(own_s, min(longest_s, rounds.case_budget_s))
        least_s += own_s
        most_s += longest_s
    if rounds.budget_s:
        most_s = max(least_s, min(most_s, rounds.budget_s))
    return CountRange(least_s, most_s)


def range_text(least: float, most: float) -> str:
    """Format a time that is expected: "about 57 s", "57 s to 5 min"."""
    ends = [duration(least), duration(most)]
    return f"about {ends[0]}" if ends[0] == ends[1] else " to ".join(ends)
