"""Faster, slower, equivalent or undecided: of every figure, with all figures in mind.

A hundred comparisons of identical sides give five 95 % intervals without 1. So a difference is
reported only if its p-value, adjusted by Holm over a family of comparisons, is at most 5 %. There
are three families for each candidate: the headline figures, one of each case; the losses; and all
others. In each, the probability of reporting any difference where there is none is at most 5 %. A
further candidate has its own families, so that it changes no verdict on the others.

Equivalence needs the whole interval within the margin (two one-sided tests at 2.5 %, Schuirmann
1987). It is not adjusted: a change of just the margin is taken for equivalent in 2.5 % of cases.

Steps of a history and intervals that decide what a document states are adjusted by Bonferroni
(`of_each`): their level is needed before there are p-values.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from busmark import stats
from busmark.compare.change import FigureChange, unchanged, within_resolution, without_variation
from busmark.model.figure import CONFIDENCE
from busmark.model.quantities import COMPARED
from busmark.model.text import number, plural

Verdict = Literal[
    "faster",
    "slower",
    "loses less",
    "loses more",
    "sends less",
    "sends more",
    "equivalent",
    "undecided",
]

WORSE: tuple[Verdict, ...] = ("slower", "loses more", "sends more")

BETTER: tuple[Verdict, ...] = ("faster", "loses less", "sends less")

EQUIVALENT = 0.02
"""Default margin of a ratio."""

EQUIVALENT_LOSS = 0.001
"""Margin of a difference in loss, as a share of all samples."""

UNDECIDED = "the interval holds no change, and more than counts as equivalent"
"""The reason where rounds are too few, or vary too much."""

ALONE = "significant alone"
"""Beginning of the reason where the adjustment for many tests leaves a difference undecided."""

LEVEL = 1.0 - CONFIDENCE


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits between which a ratio or a difference lies."""

    low: float
    high: float

    def hold(self, found: stats.Estimate) -> bool | None:
        """Return whether the interval lies within; False wholly outside, None where it reaches
        across a limit or is missing."""
        if found.low is None or found.high is None:
            return None
        if self.low <= found.low and found.high <= self.high:
            return True
        return False if found.high < self.low or found.low > self.high else None


def margins(name: str, margin: float) -> Limits:
    """Return between what a change of this figure counts as none: 1.02 is as bad as 1 / 1.02."""
    if unchanged(name) == 1.0:
        return Limits(1 / (1 + margin), 1 + margin)
    return Limits(-EQUIVALENT_LOSS, EQUIVALENT_LOSS)


def of_each(level: float, tests: int) -> float:
    """Return the level of each of several tests that together have `level` (Bonferroni)."""
    return level / tests


@dataclass(frozen=True, slots=True)
class Decision:
    """The verdict of one figure."""

    verdict: Verdict
    reason: str | None
    p_value: float | None
    p_adjusted: float | None


def verdicts(found: Sequence[FigureChange], margin: float) -> list[Decision]:
    """Return the verdicts of the figures of one family, in their order."""
    p_values, count = [f.p_value for f in found], tests(found)
    return [
        Decision(*_verdict(figure, p_value, p_adjusted, count, margin), p_value, p_adjusted)
        for figure, p_value, p_adjusted in zip(found, p_values, adjusted(p_values), strict=True)
    ]


def adjusted(p_values: Sequence[float | None]) -> list[float | None]:
    """Return the p-values of a family adjusted by Holm; None where there is no test."""
    known = [p for p in p_values if p is not None]
    of_tests = iter(stats.holm(known).tolist() if known else [])
    return [None if p is None else next(of_tests) for p in p_values]


def tests(found: Sequence[FigureChange]) -> int:
    """Count the comparisons that have an interval: Holm's adjustment is over these."""
    return sum(f.p_value is not None for f in found)


def _verdict(
    found: FigureChange, p_value: float | None, p_adjusted: float | None, tests: int, margin: float
) -> tuple[Verdict, str | None]:
    """Return what the figure itself says, unless losses forbid it."""
    verdict, reason = _by_values(found, p_value, p_adjusted, tests, margin)
    losses = found.losses
    if losses is None:
        return verdict, reason
    if losses.more and verdict != "slower":
        text = f"{losses.text}; what is lost has no latency"
        return ("loses more" if losses.shown else "undecided"), text
    by_percentile = found.baseline is not None and not found.name.startswith("mean.")
    if not losses.more and found.tested is None and by_percentile and _only_baseline(found):
        return ("loses less" if losses.shown else "undecided"), found.reason
    if not losses.more and verdict == "slower" and not by_percentile:
        return "undecided", f"{losses.text}; the baseline's mean leaves out what it lost"
    return verdict, reason


def _only_baseline(found: FigureChange) -> bool:
    """Return whether the figure falls among the lost on the side of the baseline alone."""
    assert found.baseline is not None
    return found.baseline.lost and found.candidate is not None and not found.candidate.lost


def _by_values(
    found: FigureChange, p_value: float | None, p_adjusted: float | None, tests: int, margin: float
) -> tuple[Verdict, str | None]:
    if found.tested is None or p_value is None or p_adjusted is None:
        return "undecided", found.reason
    value = found.tested.estimate.value
    alike = "no round differs from another, on either side" if without_variation(found) else None
    if within_resolution(found):
        return "equivalent" if value == 1.0 else "undecided", (
            alike if value == 1.0 else f"{alike}: the difference is within one step of the clock"
        )
    if margins(found.name, margin).hold(found.tested.estimate):
        return "equivalent", alike
    if p_adjusted <= LEVEL:
        return direction(found.name, more=value > unchanged(found.name)), alike
    if p_value <= LEVEL:
        return "undecided", (
            f"{ALONE} (p = {number(p_value, 3)}), but not after Holm's correction for "
            f"{plural(tests, 'comparison')} (p = {number(p_adjusted, 3)})"
        )
    return "undecided", UNDECIDED


def by_size(name: str, change: float, margin: float) -> Verdict:
    """Return the verdict on a ratio or difference that is known to be there, by its size."""
    limits = margins(name, margin)
    if limits.low <= change <= limits.high:
        return "equivalent"
    return direction(name, more=change > limits.high)


def direction(name: str, *, more: bool) -> Verdict:
    """Return the verdict on a figure that is more, or less, than the baseline's."""
    of = COMPARED.get(name)
    if of is not None:
        return of.more if more else of.less
    return "slower" if more else "faster"
