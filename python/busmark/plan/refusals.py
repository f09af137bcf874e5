"""What a scenario asks of rounds that none of them can have, found before anything runs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import ceil, log, sqrt

from busmark.errors import UserError, together
from busmark.model.entry import SEARCHES
from busmark.model.naming import FLOOR_ADAPTER
from busmark.model.quantities import LOSS, NUMBERS, QUANTITIES, Quantity
from busmark.model.text import count, joined, plural
from busmark.plan.counts import counted, counted_per_s, measured_s, samples_for
from busmark.plan.duration import is_chosen
from busmark.scenario import Scenario
from busmark.scenario.requirement import Requirement, flat
from busmark.store import Case

UNLIKELY = 0.025
"""Probability below which it counts as impossible that as many samples as are planned are all in
time by chance."""

CHANCE = 5.0
"""Standard deviations by which a Poisson stream may exceed its mean."""

COMMANDS = {
    "latency": "`busmark latency`",
    "throughput": "`busmark throughput`, with `--rate` of every sample",
}
"""The one-line command of a test."""

HAVING = {
    "batch": ("no batches", "Set matrix.batch."),
    "system": ("no readings of the system's counters", "Set measure.system_interval_s."),
}
"""What a case lacks that a quantity needs, and how to get it. Any other need is a plug-in's key."""


def check_asked(scenario: Scenario, cases: Sequence[Case]) -> None:
    """Raise an error for each requirement that is for no case, or that even the most rounds of a
    case cannot decide; and for the samples of a round, where no round can have as many.

    Raises:
        UserError: all of them.
    """
    if wrong := [*_requirements(scenario, cases), *_criteria(scenario, cases)]:
        raise together(wrong, "requirements and criteria" if len(wrong) > 1 else "requirements")


def meant(scenario: Scenario, cases: Sequence[Case], requirement: Requirement) -> list[Case]:
    """Return the planned cases that a requirement is for.

    Raises:
        UserError: it is for no case.
    """
    by_id = {case.id: case for case in cases}
    params = {case.id: flat(case.params.declared()) for case in cases}
    floors = [case.id for case in cases if case.params.adapter == FLOOR_ADAPTER]
    found = (by_id[case] for case in requirement.meant(params, floors))
    return [case for case in found if case.status == "planned"]


def _requirements(scenario: Scenario, cases: Sequence[Case]) -> Iterator[UserError]:
    for section in scenario.require:
        requirement = section.requirement()
        try:
            planned = meant(scenario, cases, requirement)
        except UserError as error:
            yield error
            continue
        quantity = QUANTITIES[requirement.quantity]
        able = [case for case in planned if not _lacks(quantity, case, scenario)]
        if planned and not able:
            yield _never(requirement, quantity, planned, scenario)
            continue
        text = (_undecidable(requirement, quantity, case, scenario) for case in able)
        if found := next(filter(None, text), None):
            yield found


def _lacks(quantity: Quantity, case: Case, scenario: Scenario) -> str:
    """Return what a case would have to have, so that the quantity is measured: its test, or a key
    of `HAVING`; empty if nothing."""
    there = {
        "": True,
        "batch": bool(case.params.batch),
        "system": scenario.measure.system_interval_s > 0,
    }
    if case.params.test not in quantity.tests:
        return "test"
    needs = quantity.needs
    has = there[needs] if needs in there else bool(scenario.of_plugin(needs))
    return "" if has else needs


def _never(
    requirement: Requirement, quantity: Quantity, cases: Sequence[Case], scenario: Scenario
) -> UserError:
    """Return the error for a figure that none of these cases has."""
    where = f"require {requirement.text!r}"
    lacking = next(
        (found for case in cases if (found := _lacks(quantity, case, scenario)) != "test"), ""
    )
    if lacking:
        what, remedy = HAVING.get(lacking, (f"no {lacking}", f"Set {lacking} in the scenario."))
        return UserError(
            f"{quantity.name} cannot be measured: {cases[0].id} has {what}",
            where=where,
            remedy=remedy,
        )
    tests = joined([*dict.fromkeys(case.params.test for case in cases)])
    has = joined([f"test = {test!r}".replace("'", '"') for test in quantity.tests])
    commands = joined([COMMANDS[test] for test in quantity.tests if test in COMMANDS])
    return UserError(
        f"a {tests} test has no {quantity.name}",
        where=where,
        remedy=f"A scenario with {has} has it{f': {commands}' if commands else ''}.",
    )


def _undecidable(
    requirement: Requirement, quantity: Quantity, case: Case, scenario: Scenario
) -> UserError | None:
    where = f"require {requirement.text!r}"
    rounds = most_rounds(scenario)
    if case.params.test in SEARCHES:
        return None  # its rounds are trials, of which the search makes as many as it needs
    if rounds < 2 and _has_interval(requirement):
        return UserError(
            "one round has no interval, so that nothing is shown",
            where=where,
            remedy="Set rounds.min to 5 or more.",
        )
    if requirement.period_share and not case.params.rate_hz:
        return UserError(
            f"{case.id} has no rate, so that there is no period",
            where=where,
            remedy="Set matrix.rate_hz, or use later(2ms).",
        )
    allowed = _allowed(requirement)
    if allowed is None or is_chosen(case):
        return None
    needed = ceil(log(UNLIKELY) / log(1.0 - allowed))
    most = rounds * samples_for(quantity, case.params, usual=False)
    if most >= needed:
        return None
    return UserError(
        f"{count(needed)} samples are needed to show it; {case.id} has about {count(int(most))} in "
        f"{plural(rounds, 'round')}, the most that it may have",
        where=where,
        remedy="Raise rounds.max, measure.duration_s or matrix.rate_hz.",
    )


def most_rounds(scenario: Scenario) -> int:
    """Return how many rounds a case may have that a requirement is for, or a target."""
    return (
        scenario.rounds.max if scenario.require or scenario.rounds.target else scenario.rounds.min
    )


def _has_interval(requirement: Requirement) -> bool:
    """Return whether a requirement is held against an interval: numbers have none, and where no
    sample may be lost, one that is lost decides."""
    if requirement.quantity == LOSS.key:
        return requirement.limit > 0.0
    return requirement.quantity not in {one.quantity or one.key for one in NUMBERS}


def _allowed(requirement: Requirement) -> float | None:
    """Return the share of samples that may exceed the limit; None: samples need not show it."""
    if not requirement.at_most:
        return None
    percent = requirement.percent
    if percent is not None:
        return 1.0 - percent / 100.0
    counts = requirement.later_ns is not None or requirement.quantity == LOSS.key
    return requirement.limit if counts and 0.0 < requirement.limit < 1.0 else None


def _criteria(scenario: Scenario, cases: Sequence[Case]) -> Iterator[UserError]:
    """Yield an error for cases at a rate of which no round has `criteria.min_samples`."""
    few = [
        (case, there)
        for case in cases
        if case.status == "planned"
        and case.params.test in ("latency", "throughput")
        and case.params.rate_hz
        and _wanted(scenario, case) > 1
        and not is_chosen(case)
        and (there := counted(case.params)) is not None
        and _beyond_chance(case, there) < _wanted(scenario, case)
    ]
    if not few:
        return
    case, there = few[0]
    wanted = _wanted(scenario, case)
    poisson = case.params.arrivals == "poisson"
    enough = wanted + CHANCE * sqrt(wanted) + CHANCE**2 if poisson else wanted
    needed_s = ceil(1e3 * enough / (counted_per_s(case.params) or 1.0)) / 1e3
    others = f" (and {plural(len(few) - 1, 'further case')})" if len(few) > 1 else ""
    yield UserError(
        f"no round would count: {case.id}{others} has {count(int(there))} samples in a round of "
        f"{measured_s(case.params):g} s, at least {count(wanted)} are asked for",
        where="criteria.min_samples",
        remedy=f"Set measure.duration_s to {needed_s:g} or more, or lower criteria.min_samples.",
    )


def _wanted(scenario: Scenario, case: Case) -> int:
    wanted = scenario.criteria.min_samples
    return min(wanted, case.params.samples) if case.params.samples else wanted


def _beyond_chance(case: Case, there: float) -> float:
    """Return as many samples as a round may have by chance."""
    return there + CHANCE * sqrt(there) if case.params.arrivals == "poisson" else there
