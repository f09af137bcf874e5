"""Whether the requirements of a scenario can be decided by what is planned."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, log

from busmark.errors import UserError, together
from busmark.model.parameters import Parameters
from busmark.plan.duration import PING_S, SAMPLE_S, is_chosen, measured_s
from busmark.scenario import Scenario
from busmark.scenario.line.line import FLOOR
from busmark.scenario.requirement import Requirement, flat
from busmark.store import Case

UNLIKELY = 0.025
"""With a probability of less, as many samples as are planned would all be in time by chance."""


def check_required(scenario: Scenario, cases: Sequence[Case]) -> None:
    """Raise an error for each requirement that is for no case, or that even the most rounds of a
    case cannot decide.

    Raises:
        UserError: all of them.
    """
    wrong: list[UserError] = []
    by_id = {case.id: case for case in cases}
    params = {case.id: flat(case.params.stated()) for case in cases}
    floors = [case.id for case in cases if case.params.adapter == FLOOR]
    for section in scenario.require:
        requirement = section.requirement()
        try:
            meant = [by_id[case] for case in requirement.meant(params, floors)]
        except UserError as error:
            wrong.append(error)
            continue
        planned = [case for case in meant if case.status == "planned"]
        text = (_undecidable(requirement, case, scenario) for case in planned)
        if found := next(filter(None, text), None):
            wrong.append(found)
    if wrong:
        raise together(wrong, "requirements")


def _undecidable(requirement: Requirement, case: Case, scenario: Scenario) -> UserError | None:
    where = f"require {requirement.text!r}"
    rounds = scenario.rounds.max
    if case.params.test == "capacity":
        return None  # its rounds are trials, of which the search makes as many as it needs
    if rounds < 2:
        return UserError(
            "one round has no interval, so that nothing is shown", where=where,
            remedy="Set rounds.min to 5 or more.",
        )  # fmt: skip
    if requirement.period_share and not case.params.rate_hz:
        return UserError(
            f"{case.id} has no rate, so that there is no period", where=where,
            remedy="Set matrix.rate_hz, or use later(2ms).",
        )  # fmt: skip
    allowed = _allowed(requirement)
    if allowed is None or is_chosen(case):
        return None
    needed = ceil(log(UNLIKELY) / log(1.0 - allowed))
    most = rounds * _samples(case.params, scenario)
    if most >= needed:
        return None
    return UserError(
        f"{needed} samples are needed to show it; {case.id} has about {most:.0f} in {rounds} "
        "rounds, the most that it may have",
        where=where,
        remedy="Raise rounds.max, measure.duration_s or matrix.rate_hz.",
    )


def _allowed(requirement: Requirement) -> float | None:
    """The share of samples that may exceed the limit, where it is one that samples must show."""
    percent = requirement.percent
    if percent is not None:
        return 1.0 - percent / 100.0
    counted = requirement.later_ns is not None or requirement.quantity == "loss"
    shown = counted and requirement.at_most and 0.0 < requirement.limit < 1.0
    return requirement.limit if shown else None


def _samples(params: Parameters, scenario: Scenario) -> float:
    """About how many samples a round has."""
    rate = params.rate_hz
    fast = 1.0 / (PING_S if params.test == "latency" else SAMPLE_S)
    return float(min(measured_s(params) * (rate or fast), scenario.measure.max_samples))
