"""Steps in a history: where the level of a series has changed, by how much, and how surely.

The search is E-divisive (`_energy`), from the whole series down, and back up as Hunter does it
(Fleming, Kolaczkowski & al. 2023, "Hunter: using change point detection to hunt for performance
regressions", ICPE): a part is divided as long as that may be a step, then the least sure of the
steps are taken back until each that is left is sure beside its neighbours.

The test is Student's, of the levels before and after, with three things that a history needs and
that the papers' own tests leave out:

- It was looked for at many places. The p-value belongs to the greatest of all (`_of_places`).
- Results are autocorrelated. Variances of levels and degrees of freedom follow a
first-order autoregression (Bayley & Hammersley 1946, "The 'effective' number of independent
observations in an autocorrelated time series", JRSS supplement 8). Its coefficient is taken from
differences, which steps hardly touch (`neighbours`).
- Some bad results are no step. Values further than `CLIP` robust standard deviations from the
  median of their side count as if they were just there (Huber 1964, "Robust estimation of a
  location parameter"), and the ranks of both sides must differ as well, at `RANKED` (Mann & Whitney
  1947): one result in three that is far off is not enough. Two are; who raises alarms waits for
  further results.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass, replace
from functools import cache
from math import ceil, exp, inf, log, pi, sqrt

import numpy as np
from numpy.typing import ArrayLike

from busmark.stats._scipy import (
    normal_beyond,
    normal_probabilities,
    normal_quantile,
    student_beyond,
)
from busmark.stats.change import Change, _change
from busmark.stats.sample import FloatArray, as_sample, average_ranks, check_confidence

LEAST = 3
"""Results on each side of a step: of two, one bad result would decide."""

WEAK = 0.05
"""A part is divided further down to this p-value; what is not sure is taken back later."""

CLIP = 3.0
CLIPPED_FROM = 10
"""Results from which on it is known what is far off."""

RANKED = 0.005
"""One-sided p-value of the ranks from which on values are no step, however far off some are."""

FEWEST = 10
"""Results with which ranks can be that sure: of five and five there are 252 orders."""

MOST_EXACT = 200
"""Pairs of values up to which orders are counted: the normal distribution would find no step before
the seventeenth result, with three behind it."""

MAX_CORRELATION = 0.7
"""An estimate above it says little of how far above it is: such a series drifts."""

CORRELATED_FROM = 12
"""Results from which on the autocorrelation is estimated."""

ASSUMED_CORRELATION = 0.2
"""Correlation assumed for fewer results."""

BAI = 11.03
"""97.5 % quantile of where the estimate of a place lies, in units of variance over squared step:
Bai (1997), "Estimation of a change point in multiple regression models", Review of Economics and
Statistics 79."""

DEVIATION_OF_MAD = 1.4826


@dataclass(frozen=True, slots=True)
class SeriesStep:
    """A step of a series.

    Attributes:
        index: of the first value behind it.
        earliest, latest: between which of the values it lies with some 95 %, as `index`.
        before, after: the levels, from the step before to the next one.
        change: after minus before, with the interval of a step whose place is known.
        p_value: that there is no step in this part, wherever it was looked for.
    """

    index: int
    earliest: int
    latest: int
    before: float
    after: float
    change: Change
    p_value: float

    def moved(self, by: int) -> SeriesStep:
        """Return the step in a series that has ``by`` more values in front."""
        return replace(
            self, index=self.index + by, earliest=self.earliest + by, latest=self.latest + by
        )


def steps_together(
    series: Sequence[ArrayLike],
    level: float = 0.01,
    confidence: float = 0.95,
    *,
    only: Container[int] | None = None,
) -> list[list[SeriesStep]]:
    """Find `steps` of several series of one machine. `only`: numbers of the series searched.

    What neighbours have in common is the machine's, and one series shows little of it: each series
    is given the median of all that are long enough.
    """
    known = [n for values in series if (n := neighbours(values)) is not None]
    common = float(np.median(known)) if known else ASSUMED_CORRELATION
    return [
        steps(values, level, confidence, correlation=common) if only is None or n in only else []
        for n, values in enumerate(series)
    ]


def neighbours(values: ArrayLike) -> float | None:
    """Return how alike neighbours are, 0 to `MAX_CORRELATION`, apart from steps; None of fewer
    values than `CORRELATED_FROM`, and where all are equal.

    In a first-order autoregression, differences of values two apart have 1 + rho times the variance
    of neighbours' differences: Chakar, Lebarbier, Levy-Leduc & Robin (2017), "A robust approach for
    estimating change-points in the mean of an AR(1) process", Bernoulli 23(2). Squares of
    differences are clipped here instead of their medians being taken, which few values bear better.

    Raises:
        ValueError: as `as_sample`.
    """
    series = as_sample(values, "values")
    if series.size < CORRELATED_FROM:
        return None
    near, far = np.abs(np.diff(series)), np.abs(series[2:] - series[:-2])
    limit = CLIP * DEVIATION_OF_MAD * float(np.median(np.concatenate([near, far])))
    limit = limit or float(max(near.max(), far.max()))
    squares = float(np.square(np.minimum(near, limit)).mean())
    if squares == 0.0:
        return None
    ratio = float(np.square(np.minimum(far, limit)).mean()) / squares
    return min(max(ratio - 1.0, 0.0), MAX_CORRELATION)


def steps(
    values: ArrayLike,
    level: float = 0.01,
    confidence: float = 0.95,
    *,
    correlation: float | None = None,
) -> list[SeriesStep]:
    """Find the steps of a series, in its order, each with a p-value of at most ``level``.

    ``values`` has shape (n,), in the order of time. Neighbours correlate by ``correlation``; None:
    by what `neighbours` finds.

    A series that drifts slowly has steps by this method; so has one whose neighbours correlate by
    much more than `MAX_CORRELATION`. The interval is for a step whose place is known: where it was
    found because it looked large, it is too large by a little.

    Raises:
        ValueError: as `as_sample`; if ``confidence`` or ``level`` is outside (0, 1).
    """
    check_confidence(confidence)
    if not 0.0 < level < 1.0:
        raise ValueError(f"level must lie between 0 and 1, got {level}")
    series = as_sample(values, "values")
    if correlation is None:
        own = neighbours(series)
        correlation = ASSUMED_CORRELATION if own is None else own
    found = _weak(series, max(level, WEAK), correlation)
    while found:
        ends, tested = [0, *found, int(series.size)], []
        for begin, place, end in zip(ends, ends[1:], ends[2:], strict=False):
            step = _test(series[begin:end], place - begin, confidence, correlation)
            tested.append(step.moved(begin))
        least = max(tested, key=lambda step: step.p_value)
        if least.p_value <= level:
            return tested
        found.remove(least.index)
    return []


def _weak(series: FloatArray, level: float, rho: float) -> list[int]:
    """Find places at which to divide the series, from the whole down."""
    found: list[int] = []
    parts = [(0, int(series.size))]
    while parts:
        begin, end = parts.pop()
        divided = divide(series[begin:end], LEAST)
        if divided is None:
            continue
        place, until = divided
        # What follows may have stepped again, and would hide it.
        if _test(series[begin : begin + until], place, 0.95, rho).p_value <= level:
            found.append(begin + place)
            parts += [(begin, begin + place), (begin + place, end)]
    return sorted(found)


def _test(part: FloatArray, place: int, confidence: float, rho: float) -> SeriesStep:
    n = int(part.size)
    sides = [part[:place], part[place:]]
    clipped = _clipped(sides)
    before, after = (float(side.mean()) for side in clipped)
    residuals = [side - side.mean() for side in clipped]
    counts = [int(side.size) for side in sides]
    excess = [_factor(count, rho) for count in counts]
    squares = sum(float(np.square(each).sum()) for each in residuals)
    # What a mean takes from the spread about it is more where neighbours are alike.
    left = sum(count - factor for count, factor in zip(counts, excess, strict=True))
    variance = squares / left if left > 0.0 else inf
    parts = sum(factor / count for count, factor in zip(counts, excess, strict=True))
    error = sqrt(variance * parts)
    freedom = max(1.0, (n - 2) * (1.0 - rho**2) / (1.0 + rho**2))
    difference = after - before
    change = _change(difference, error, freedom, 0.0, 0.5, (n, n), confidence, log_scale=False)
    if error == 0.0:
        # Nothing varies: as surely as an order of these values by chance.
        p_value = 1.0 if difference == 0.0 else 2.0 * exp(-_log_choices(n, counts[0]))
        return SeriesStep(place, place, place, before, after, change, p_value)
    p_value = _of_places(student_beyond(abs(difference) / error, freedom), n)
    if p_value <= WEAK:
        by_ranks = rank_p_value(sides[0], sides[1], rising=difference > 0.0)
        p_value = p_value if by_ranks <= RANKED else max(p_value, by_ranks)
    reach = _reach(difference, variance * (1.0 + rho) / (1.0 - rho), n)
    return SeriesStep(
        place, max(1, place - reach), min(n - 1, place + reach), before, after, change, p_value
    )


def _clipped(sides: Sequence[FloatArray]) -> list[FloatArray]:
    """Draw in the values that are far off the median of their side."""
    if sum(side.size for side in sides) < CLIPPED_FROM:
        return list(sides)
    medians = [float(np.median(side)) for side in sides]
    away = np.sort(np.concatenate([np.abs(s - m) for s, m in zip(sides, medians, strict=True)]))
    # A median takes one value of its side, or two, for itself.
    limit = CLIP * DEVIATION_OF_MAD * float(np.median(away[len(sides) :]))
    if limit == 0.0:
        return list(sides)
    return [np.clip(s, m - limit, m + limit) for s, m in zip(sides, medians, strict=True)]


def rank_p_value(before: FloatArray, after: FloatArray, *, rising: bool) -> float:
    """Return the one-sided p-value of Mann and Whitney (1947) that `after` is no greater
    (`rising`), or no smaller, than `before`: exact without ties and for up to `MOST_EXACT` pairs,
    else normal."""
    m, n = int(before.size), int(after.size)
    both = np.concatenate([before, after])
    above = float(average_ranks(both)[m:].sum()) - n * (n + 1) / 2.0
    deviation = (above - m * n / 2.0) * (1.0 if rising else -1.0)
    if m * n <= MOST_EXACT and np.unique(both).size == both.size:
        counts = _orders(m, n)
        return float(counts[ceil(m * n / 2.0 + deviation) :].sum() / counts.sum())
    return normal_beyond((deviation - 0.5) / sqrt(m * n * (m + n + 1) / 12.0))


@cache
def _orders(m: int, n: int) -> FloatArray:
    """Count the orders of m and n values in which each number of pairs is the right way round: the
    coefficients of the Gaussian binomial."""
    counts = np.zeros(m * n + 1)
    counts[0] = 1.0
    for k in range(1, n + 1):
        for place in range(m * n, m + k - 1, -1):
            counts[place] -= counts[place - m - k]
        for place in range(k, m * n + 1):
            counts[place] += counts[place - k]
    return counts


def _factor(count: int, rho: float) -> float:
    """Return the factor by which the variance of a mean of this many values exceeds the variance
    for independent values."""
    k = np.arange(1, count)
    return 1.0 + 2.0 * float(((1.0 - k / count) * rho**k).sum())


def _reach(difference: float, variance: float, n: int) -> int:
    """Return how many results to either side the step may be elsewhere."""
    if difference == 0.0:
        return n
    return min(n, ceil(BAI * variance / difference**2))


def _log_choices(n: int, k: int) -> float:
    return sum(log(n - i) - log(i + 1) for i in range(min(k, n - k)))


def _of_places(beyond: float, n: int) -> float:
    """Return the p-value of a step that was looked for at all places of a part of n values, from
    ``beyond``, the one-sided p-value at its own place.

    Siegmund (1988), "Confidence sets in change-point problems", International Statistical Review
    56, as DNAcopy has it (Olshen & al. 2004, Biostatistics 5), for the greatest of standard normal
    values; at most Bonferroni's.
    """
    places = n - 2 * LEAST + 1
    if beyond <= 0.0:
        return 0.0
    alone = 2.0 * beyond
    if places <= 1 or alone >= 1.0:
        return min(1.0, alone)
    b = -normal_quantile(beyond)
    at = np.linspace(LEAST / n, 1.0 - LEAST / n, 201)
    between = at * (1.0 - at)
    heights = _overshoot(b / np.sqrt(n * between)) / between
    area = float(np.trapezoid(heights, at))
    density = exp(-b * b / 2.0) / sqrt(2.0 * pi)
    tail = alone + b * density * area
    return min(1.0, places * alone, max(alone, tail))


def _overshoot(x: FloatArray) -> FloatArray:
    """Return Siegmund's correction for values at whole places only."""
    half = x / 2.0
    below = normal_probabilities(half)
    density = np.exp(-half * half / 2.0) / sqrt(2.0 * pi)
    found: FloatArray = (2.0 / x) * (below - 0.5) / (half * below + density)
    return found


# Matteson & James (2014), "A nonparametric approach for multiple change point analysis of
# multivariate data", JASA 109(505), for one dimension and distances to the power of 1. Apache Otava
# and, before it, Hunter (Fleming & al. 2023) look for changes by the same statistic.


def divide(values: FloatArray, least: int) -> tuple[int, int] | None:
    """Find where ``values`` are best divided: the index of the first value behind the change, and
    the end of the part from which it stands out.

    It is the place of the greatest of `divergences`. None where there are fewer than two sets of
    ``least``.
    """
    if values.size < 2 * least:
        return None
    found = divergences(values, least)
    row, column = np.unravel_index(int(np.argmax(found)), found.shape)
    return least + int(row), 2 * least + int(column)


def divergences(values: FloatArray, least: int) -> FloatArray:
    """Return the scaled energy distances between the values [0, t) and [t, k) for all places t
    (rows) and ends k (columns) that leave each of the two ``least`` values or more, 2 at least.

    They are m n / (m + n) times twice the mean distance between the two sets, less the mean
    distances within each: equations 5 to 7 of the paper. The end k lets a change be seen that a
    later one takes back. They are minus infinity where t and k leave too few.
    """
    n = int(values.size)
    # Sums over every rectangle of distances, from the corner.
    sums = np.zeros((n + 1, n + 1))
    sums[1:, 1:] = np.abs(values[:, None] - values[None, :]).cumsum(axis=0).cumsum(axis=1)
    diagonal = np.diagonal(sums)
    places, ends = np.arange(least, n - least + 1), np.arange(2 * least, n + 1)
    first, second = places[:, None].astype(float), (ends[None, :] - places[:, None]).astype(float)
    allowed = second >= least
    second = np.where(allowed, second, least)
    inside_first = diagonal[places][:, None]
    across = sums[np.ix_(places, ends)] - inside_first
    inside_second = diagonal[ends][None, :] - inside_first - 2.0 * across
    distance = (
        2.0 * across / (first * second)
        - inside_first / (first * (first - 1.0))
        - inside_second / (second * (second - 1.0))
    )
    found: FloatArray = np.where(allowed, first * second / (first + second) * distance, -np.inf)
    return found
