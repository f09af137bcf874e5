"""Estimates with intervals: of a share of counted things, and of a typical round."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from math import expm1, inf, sqrt

import numpy as np
from numpy.typing import ArrayLike

from busmark.stats._scipy import beta_quantile, binomial_at_most, normal_quantile, range_miss, root
from busmark.stats.dependence import lengthening
from busmark.stats.sample import FloatArray, as_sample, check_confidence


@dataclass(frozen=True, slots=True)
class Estimate:
    """A number, its confidence interval where one can be given, and what it rests on.

    Attributes:
        value: the point estimate.
        low: lower confidence limit, or None when the data cannot support an interval.
        high: upper confidence limit; None exactly when ``low`` is None.
        confidence: nominal coverage of [low, high]; None exactly when ``low`` is None.
        count: number of samples behind the estimate.
        rounds: number of independent rounds behind the estimate.

    A missing interval means "not known", never "zero width". The interval covers random
    variation only: clock error, resolution and a wrong set-up are not in it.

    Raises:
        ValueError: if only part of the interval is given, or the limits are out of order.
    """

    value: float
    low: float | None
    high: float | None
    confidence: float | None
    count: int
    rounds: int

    def __post_init__(self) -> None:
        """Refuse a half-given or inverted interval."""
        absent = {self.low is None, self.high is None, self.confidence is None}
        if len(absent) > 1:
            raise ValueError("low, high and confidence are given together or not at all")
        if self.low is not None and self.high is not None and not self.low <= self.high:
            raise ValueError(f"interval limits out of order: {self.low} > {self.high}")

    @property
    def half_width(self) -> float | None:
        """Half the length of the interval; None when there is no interval.

        The interval need not be symmetric, so this is a length and not "plus or minus".
        """
        if self.low is None or self.high is None:
            return None
        return (self.high - self.low) / 2.0

    @property
    def relative_half_width(self) -> float | None:
        """``half_width`` over |value|; None without an interval or when ``value`` is zero."""
        half = self.half_width
        if half is None or self.value == 0.0:
            return None
        return half / abs(self.value)

    def widened(self, off: float) -> Estimate:
        """Return it with limits that are further out by ``off``: by as much all values may be
        wrong together, whatever the rounds say."""
        if not off or self.low is None or self.high is None:
            return self
        return replace(self, low=self.low - off, high=self.high + off)


@dataclass(frozen=True, slots=True)
class Range:
    """What a figure can be, whatever was measured: from ``low`` to ``high``.

    What lies outside is impossible, so leaving it out of an interval takes nothing from its
    coverage.
    """

    low: float
    high: float

    def limited(self, found: Estimate) -> Estimate:
        """Return ``found`` with limits inside the range, or at its value where that is outside."""
        if found.low is None or found.high is None:
            return found
        low = max(found.low, min(self.low, found.value))
        high = min(found.high, max(self.high, found.value))
        return replace(found, low=low, high=high)

    def holds(self, value: float) -> bool:
        """Return whether ``value`` is possible."""
        return self.low <= value <= self.high


POSITIVE = Range(0.0, inf)
"""Times, rates, counts, bytes, ratios: 0 or more."""

SHARE = Range(0.0, 1.0)
"""A part of a whole."""

DIFFERENCE = Range(-1.0, 1.0)
"""A difference of two shares; a correlation, too."""

CHANGE = Range(-1.0, inf)
"""A change of something positive, as a share of what it was: nothing falls by more than all."""

SIGNED = Range(-inf, inf)
"""Range of values that may have either sign."""


def share_interval(hits: int, count: int, confidence: float = 0.95) -> Estimate:
    """Return ``hits`` / ``count`` with the interval of Clopper & Pearson (1934), "The use of
    confidence or fiducial limits illustrated in the case of the binomial", Biometrika 26(4).

    It covers at least ``confidence`` for independent things; none of n leaves a chance of about
    3.7 / n at 95 %. Losses come in bursts and rounds differ: for those see `t_interval`. ``rounds``
    is 1, for the count knows of no others.

    Raises:
        ValueError: unless 0 <= ``hits`` <= ``count`` and ``count`` > 0, or if ``confidence`` is
            outside (0, 1).
    """
    check_confidence(confidence)
    if not 0 <= hits <= count or count < 1:
        raise ValueError(f"{hits} of {count} is no share")
    tail = (1.0 - confidence) / 2.0
    low = beta_quantile(tail, hits, count - hits + 1) if hits else 0.0
    high = beta_quantile(1.0 - tail, hits + 1, count - hits) if hits < count else 1.0
    return Estimate(hits / count, low, high, confidence, count, rounds=1)


# A typical round: the median over rounds of one figure of each, with an interval for any law.
#
# The interval comes from order statistics (Thompson 1936, "On confidence ranges for the median and
# other expectation distributions for populations of unknown distribution form", Annals of
# Mathematical Statistics 7; David & Nagaraja 2003, "Order Statistics", section 7.1). The count of
# rounds below the true median is binomial whatever the rounds' law is, so it needs no normal, no
# symmetric and no single-moded one: a round in ten that is 1.5 times slower, or 20 times, is a law
# like any other. Three things are added:
#
# - Between the pairs of order statistics next to the confidence asked for it is interpolated by
#   Hettmansperger & Sheather (1986), "Confidence intervals based on interpolated order statistics",
#   Statistics & Probability Letters 4.
# - Up to 5 rounds the smallest and the largest cover less than 95 % (2 rounds 50 %, then 75, 87.5
#   and 93.75 %). Then the interval reaches beyond them by a multiple of their range, so chosen that
#   it covers as it should of normal rounds (ranges as in Lord 1947, "The use of range in place of
#   standard deviation in the t-test", Biometrika 34); of two rounds that is Student's interval.
# - Where successive rounds are alike it is longer by `lengthening`.
#
# It is never shorter than the variation inside the rounds alone implies, and never reaches beyond
# what was seen, where the caller says what that is.

BEYOND = {2: 5.8531023680873, 3: 0.8132884567260508, 4: 0.23846795858220352, 5: 0.03875927723722307}
"""Results of `solve_beyond` at 95 %, by rounds: solving takes a third of a second, with imports."""


def typical(
    round_values: ArrayLike,
    confidence: float = 0.95,
    *,
    inside: float = 0.0,
    seen: tuple[float, float] | None = None,
    shown: bool = False,
) -> Estimate:
    """Return the median of one value per round, with the interval described above.

    ``round_values`` has shape (n,), in the order of time. ``inside`` is the mean variance of a
    round's value from the variation inside the round: no half of the interval is shorter than
    z sqrt(inside / n). ``seen``, the smallest and the largest sample of all rounds, limits it.
    With ``shown`` only a correlation of successive rounds that a test shows makes it longer, not
    one that seems to be there: so comparisons keep their power. ``count`` and ``rounds`` of the
    result are both n. One round gives no interval.

    It is of the law from which the rounds are drawn. An influence equal in all of them, such as one
    machine or one day, is not in it; nor is it an interval of the mean over rounds, or of a total.

    Raises:
        ValueError: if ``round_values`` is empty, not one-dimensional, or holds NaN or an infinity;
            if ``confidence`` is not strictly between 0 and 1, or ``inside`` is negative.
    """
    check_confidence(confidence)
    if inside < 0.0:
        raise ValueError(f"a variance is not negative, got {inside}")
    values = as_sample(round_values, "round_values")
    n = int(values.size)
    ordered = np.sort(values)
    value = float(ordered[(n - 1) // 2] + ordered[n // 2]) / 2.0
    if n < 2:
        return Estimate(value, None, None, None, n, n)
    low, high = order_limits(ordered, confidence)
    factor = lengthening(values, shown=shown)
    least = normal_quantile(0.5 + confidence / 2.0) * sqrt(inside / n)
    low = value - max(factor * (value - low), least)
    high = value + max(factor * (high - value), least)
    if seen is not None:
        low, high = max(low, seen[0]), min(high, seen[1])
    # Rounding must not leave the value outside.
    return Estimate(value, min(low, value), max(high, value), confidence, n, n)


def typical_change(round_values: ArrayLike, confidence: float = 0.95) -> Estimate:
    """Return `typical` of changes of something positive, each a share of what it was, -1 or more.

    It is computed on the logarithms of 1 plus the change, so a doubling is as far from none as a
    halving is, and no limit falls below -1. Without a logarithm, where something fell by all of
    it, it is computed directly.

    Raises:
        ValueError: as `typical`.
    """
    values = as_sample(round_values, "round_values")
    if values.min() <= -1.0:
        return CHANGE.limited(typical(values, confidence))
    found = typical(np.log1p(values), confidence)
    low, high = (None if end is None else expm1(end) for end in (found.low, found.high))
    return replace(found, value=expm1(found.value), low=low, high=high)


def order_limits(ordered: FloatArray, confidence: float) -> tuple[float, float]:
    """Return limits of the median of n >= 2 independent values, given in rising order."""
    n = int(ordered.size)
    first, last = float(ordered[0]), float(ordered[-1])
    if 1.0 - 0.5 ** (n - 1) < confidence:
        known = BEYOND.get(n) if confidence == 0.95 else None
        beyond = (solve_beyond(n, confidence) if known is None else known) * (last - first)
        return first - beyond, last + beyond
    k, share = _ranks(n, confidence)
    low = (1.0 - share) * ordered[k - 1] + share * ordered[k]
    high = (1.0 - share) * ordered[n - k] + share * ordered[n - k - 1]
    return float(low), float(high)


@lru_cache(maxsize=1024)
def _ranks(n: int, confidence: float) -> tuple[int, float]:
    """Find the last rank k whose pair covers `confidence`, and the share of the way to the next."""

    def covers(rank: int) -> float:
        return 1.0 - 2.0 * binomial_at_most(rank - 1, n, 0.5)

    k = 1
    while k + 1 <= n // 2 and covers(k + 1) >= confidence:
        k += 1
    if k + 1 > n // 2:
        return k, 0.0
    part = (covers(k) - confidence) / (covers(k) - covers(k + 1))
    return k, (n - k) * part / (k + (n - 2 * k) * part)


@lru_cache(maxsize=256)
def solve_beyond(n: int, confidence: float) -> float:
    """Return how many ranges beyond the extremes the limits of n normal values lie."""
    tail = (1.0 - confidence) / 2.0
    return root(lambda k: range_miss(n, k) - tail, 1e-9, 1e6)
