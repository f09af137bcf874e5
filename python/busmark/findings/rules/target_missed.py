"""Rounds ended before the interval was as narrow as the scenario asks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from busmark.findings.rule import Observation, Rule
from busmark.findings.text import count

if TYPE_CHECKING:
    from busmark.findings.view import CaseView


def check_case(view: CaseView) -> Iterator[Observation]:
    from busmark.stats import Spread

    rounds = view.result.manifest.scenario.get("rounds", {})
    target = rounds.get("target") or 0.0
    values, variances = view.values("statistic_value"), view.values("statistic_variance")
    if target <= 0 or len(values) < 2:
        return
    width = Spread.of(
        list(values.values()), [variances[number] for number in values]
    ).relative_half_width()
    if width is not None and width > target:
        evidence = (
            f"half-width {width:.1%} of the figure after {count(len(values), 'round')}, "
            f"{target:.1%} was asked for"
        )
        yield Observation("warning", evidence, weight=width)


RULE = Rule(
    id="target-missed",
    title="The interval is wider than the scenario asks for",
    cause="`rounds.max` was reached first, or the budget spent: rounds differ too much for their "
    "number.",
    remedy="Raise `rounds.max` or the budget, or find out why rounds differ (placement, other "
    "work, frequency).",
    check_case=check_case,
    concerns=("rounds",),
    early=None,
)
