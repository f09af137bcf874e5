"""Whether rounds are autocorrelated, and what that costs.

Rounds that follow each other are not independent where the machine changes slowly. The correlation
of neighbours is taken from ranks, so that one bad round does not decide it: one minus half the rank
version of von Neumann's ratio (Bartels 1982, "The rank version of von Neumann's ratio test for
randomness", JASA 77(377)).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import permutations
from math import factorial, inf, sqrt

import numpy as np
from numpy.typing import ArrayLike

from busmark.stats._scipy import beta_below, kruskal_p_value, normal_beyond
from busmark.stats.sample import FloatArray, as_sample, average_ranks, medians

MIN_TESTED = 5
"""Fewest rounds of a test: of four, the most telling order has a chance of 8 %."""

MIN_WIDENED = 8
"""Fewest rounds whose correlation widens an interval. With fewer it is known so badly that
intervals of independent rounds would grow by half."""

MAX_CORRELATION = 0.7
"""An estimate above it says little of how far above it is."""

SHOWN = 0.05
"""p-value at which a correlation is said to show."""

EXACT_TO = 8
"""Rounds up to which all orders are counted: 40,320."""


@dataclass(frozen=True, slots=True)
class Dependence:
    """How alike successive rounds are.

    Attributes:
        correlation: of the ranks of successive rounds, their autocorrelation at lag 1; -1 to 1.
            Five rounds that only rise have 0.4.
        true: what it is likely to be of any number of rounds: from the ratio of the test, with the
            bias of few rounds removed, and no more than 1 from 0.
        p_value: chance of an order as telling as this, or more, of independent rounds; one-sided,
            for it is likeness that makes intervals too narrow.
        rounds: number of rounds.
    """

    correlation: float
    true: float
    p_value: float
    rounds: int


def dependence(values: ArrayLike) -> Dependence | None:
    """Test whether ``values``, one per round in the order of time, are independent of their order.

    None for fewer than `MIN_TESTED` rounds, or where all are equal. The p-value is exact up to
    `EXACT_TO` rounds; beyond, Bartels' beta distribution. A trend is found too.

    Raises:
        ValueError: if ``values`` is empty, not one-dimensional, or holds NaN or an infinity.
    """
    sample = as_sample(values, "values")
    n = int(sample.size)
    if n < MIN_TESTED or np.ptp(sample) == 0.0:
        return None
    ranks = average_ranks(sample)
    squares = float(np.square(ranks - ranks.mean()).sum())
    ratio, found = float(np.square(np.diff(ranks)).sum()) / squares, autocorrelation(ranks, 1)
    assert found is not None  # they are not all equal
    if n <= EXACT_TO:
        null = _orders(n)
        p_value = float(np.searchsorted(null, ratio + 1e-9)) / null.size
    else:
        # Bartels' approximation: the ratio, which lies between 0 and 4, is beta distributed.
        variance = 4.0 * (n - 2) * (5.0 * n * n - 2 * n - 9) / (5.0 * n * (n + 1) * (n - 1) ** 2)
        shape = 2.0 / variance - 0.5
        p_value = beta_below(min(max(ratio / 4.0, 0.0), 1.0), shape, shape)
    true = min(max(_unbiased(1.0 - ratio / 2.0, n), -1.0), 1.0)
    return Dependence(float(found[1]), true, p_value, n)


def lengthening(values: ArrayLike, *, shown: bool = False) -> float:
    """Return the factor by which the order of ``values`` makes an interval longer.

    It is sqrt(d / (1 - (d - 1) / (n - 1))), where d is the factor by which the variance of a mean
    of n values exceeds the variance for independent ones, 1 + 2 sum (1 - k/n) rho^k (Anderson 1971,
    "The Statistical Analysis of Time Series", section 8.2), and the denominator the factor by which
    their spread is too small. `dependence` finds rho; the factor is 1 where rho is not above 0, and
    for fewer than `MIN_WIDENED` rounds. At most `MAX_CORRELATION` is believed.

    A correlation counts even where no test shows it: with ten rounds whose neighbours correlate by
    0.5 a test does in three of ten campaigns, and the others need the length as much. With
    ``shown`` only a correlation with a p-value of at most `SHOWN` counts.
    """
    sample = as_sample(values, "values")
    n = int(sample.size)
    found = dependence(sample) if n >= MIN_WIDENED else None
    if found is None or found.true <= 0.0 or (shown and found.p_value > SHOWN):
        return 1.0
    rho = min(found.true, MAX_CORRELATION)
    k = np.arange(1, n)
    excess = 2.0 * float(((1.0 - k / n) * rho**k).sum())
    return sqrt((1.0 + excess) / (1.0 - excess / (n - 1)))


def _unbiased(r: float, n: int) -> float:
    """Correct a serial correlation about an estimated mean, too small by (1 + 4 rho) / n: Marriott
    & Pope (1954), "Bias in the estimation of autocorrelations", Biometrika 41."""
    return r + (1.0 + 4.0 * r) / n


@cache
def _orders(n: int) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    """Return the ratio of all orders of n different values, ascending."""
    ranks = np.array(list(permutations(range(n))), dtype=np.float64)
    squares = np.square(np.diff(ranks, axis=1)).sum(axis=1)
    return np.sort(squares / (n * (n * n - 1) / 12.0))


def autocorrelation(x: ArrayLike, lags: int) -> FloatArray | None:
    """Return the autocorrelation of ``x`` at lags 0 to min(``lags``, n - 1); None if constant.

    r_k = sum_t (x_t - m)(x_{t+k} - m) / sum_t (x_t - m)**2 (Box & Jenkins 1970, section 2.1.5),
    computed by FFT. ``x`` has shape (n,), in time order. For independent values about 95 % of the
    r_k lie within 1.96 / sqrt(n) of 0.

    It sees linear dependence only, and a few extreme values decide it as they decide a variance.

    Raises:
        ValueError: if ``x`` is empty, not one-dimensional, or holds NaN or an infinity, or if
            ``lags`` < 0.
    """
    if lags < 0:
        raise ValueError(f"lags must not be negative, got {lags}")
    series = as_sample(x)
    deviation = series - series.mean()
    squares = float(np.square(deviation).sum())
    if np.ptp(series) == 0.0 or squares == 0.0:
        return None
    kept = min(lags, series.size - 1) + 1
    # Padded, so that at none of these lags its end meets its beginning.
    size = 1 << int(series.size + kept - 2).bit_length()
    power = np.abs(np.fft.rfft(deviation, size)) ** 2
    result: FloatArray = np.fft.irfft(power, size)[:kept] / squares
    return result


MIN_BLOCKS = 5
"""Fewest blocks tested: with four, even a perfect trend has a two-sided p-value of 2/24."""


@dataclass(frozen=True, slots=True)
class SeriesDrift:
    """How a series changed over its length.

    Attributes:
        relative_change: (median of last third - median of first third) / |median of first
            third|; None when the series is shorter than three or that median is zero.
        p_value: two-sided p-value of the Mann-Kendall trend test on the block medians; None
            when there are too few samples for five blocks.
        blocks: number of blocks the test used; 0 when it was not done.
    """

    relative_change: float | None
    p_value: float | None
    blocks: int


def drift(x: ArrayLike, blocks: int = 20) -> SeriesDrift:
    """Measure the drift of a series in time order.

    The series is cut into ``blocks`` runs of nearly equal length (fewer when it is short), and
    Kendall's rank correlation of their medians with time is tested (Mann 1945, "Nonparametric
    tests against trend", Econometrica 13(3); Kendall 1975). Medians make single outliers
    harmless, and blocks take most of the autocorrelation out of the test.

    The test sees a monotonic trend only: a bump that returns to its start gives a large
    p-value. It takes block medians as independent, so autocorrelation that reaches across
    blocks makes p too small. With many samples a trend can be certain and of no importance,
    therefore thresholds on both figures are left to the caller.

    Raises:
        ValueError: if ``x`` is empty, not one-dimensional, or holds NaN or an infinity, or if
            ``blocks`` < 5.
    """
    if blocks < MIN_BLOCKS:
        raise ValueError(f"blocks must be at least {MIN_BLOCKS}, got {blocks}")
    series = as_sample(x)
    n = int(series.size)
    change = None
    if n >= 3:
        start, end = (float(medians(part)) for part in (series[: n // 3], series[-(n // 3) :]))
        change = (end - start) / abs(start) if start != 0.0 else None
    used = min(blocks, n)
    if used < MIN_BLOCKS:
        return SeriesDrift(change, None, 0)
    p_value = trend_p_value(_block_medians(series, used))
    # Equal medians have no tau, but every ordering of them is as extreme as the one seen.
    return SeriesDrift(change, 1.0 if p_value is None else p_value, used)


def _block_medians(series: FloatArray, blocks: int) -> FloatArray:
    """Return medians of the blocks of `numpy.array_split`; the first may have one value more."""
    length, longer = divmod(int(series.size), blocks)
    cut = longer * (length + 1)
    found = [
        medians(part.reshape(-1, width))
        for part, width in ((series[:cut], length + 1), (series[cut:], length))
        if part.size
    ]
    return np.concatenate(found)


# Kendall's rank correlation of the values with their positions, which have no ties. scipy has the
# general test in `scipy.stats`, whose import takes longer than all statistics of a short campaign;
# a test holds the two against each other.

TREND_EXACT_TO = 33
"""Values up to which all orders are counted."""


def trend_p_value(y: FloatArray) -> float | None:
    """Return the two-sided p-value of the rank correlation of ``y``, shape (n,), with its order;
    None where all values are equal, or there is only one."""
    n = int(y.size)
    pairs = n * (n - 1) // 2
    earlier, later = np.triu_indices(n, 1)
    falling = int(np.count_nonzero(y[earlier] > y[later]))
    counts = np.unique(y, return_counts=True)[1]
    tied = int((counts * (counts - 1) // 2).sum())
    if tied == pairs:
        return None
    if not tied and (n <= TREND_EXACT_TO or min(falling, pairs - falling) <= 1):
        return _exact(n, min(falling, pairs - falling))
    m = n * (n - 1.0)
    ties = int((counts * (counts - 1.0) * (2 * counts + 5)).sum())
    z = (pairs - tied - 2 * falling) / sqrt((m * (2 * n + 5) - ties) / 18)
    return 2.0 * normal_beyond(abs(z))


@lru_cache(maxsize=4096)
def _exact(n: int, falling: int) -> float:
    """Return the share of orders of n different values in which as few pairs fall, or as few rise.

    Orders are counted by the number of their inversions (Kendall 1970, "Rank correlation methods",
    chapter 5).
    """
    if n <= 2 or 4 * falling == n * (n - 1):
        return 1.0
    if falling <= 1:
        return 2.0 / factorial(n - falling) if n - falling <= 170 else 0.0
    orders = np.zeros(falling + 1)
    orders[:2] = 1.0
    for values in range(3, n + 1):
        orders = np.cumsum(orders)
        if values <= falling:
            orders[values:] -= orders[: falling + 1 - values]
    share = 2.0 * float(orders.sum()) / factorial(n)
    return min(share, 1.0) if share < inf else 1.0


MIN_GROUP = 5
"""Fewest values of a group: below, the chi-square approximation of the test is poor (Kruskal &
Wallis 1952, section 3)."""


@dataclass(frozen=True, slots=True)
class GroupDifference:
    """How groups differ.

    Attributes:
        p_value: of the Kruskal-Wallis test that all groups come from one distribution.
        spread: greatest minus smallest median.
        lowest: index of the group of the smallest median.
        highest: index of the group of the greatest.
    """

    p_value: float
    spread: float
    lowest: int
    highest: int


def difference(groups: Sequence[ArrayLike]) -> GroupDifference | None:
    """Test whether ``groups``, each of shape (n_i,), differ in location; None for fewer than two
    groups of at least `MIN_GROUP` values, or where all values are equal.

    Smaller groups are left out, indices refer to ``groups``. Kruskal & Wallis (1952), "Use of ranks
    in one-criterion variance analysis", JASA 47(260).

    Raises:
        ValueError: if a group that counts is not one-dimensional, or holds NaN or an infinity.
    """
    samples = {i: as_sample(g, f"group {i}") for i, g in enumerate(groups) if np.size(g)}
    known = {i: sample for i, sample in samples.items() if sample.size >= MIN_GROUP}
    if len(known) < 2 or np.ptp(np.concatenate(list(known.values()))) == 0.0:
        return None
    medians = {i: float(np.median(sample)) for i, sample in known.items()}
    lowest, highest = min(medians, key=medians.__getitem__), max(medians, key=medians.__getitem__)
    return GroupDifference(
        kruskal_p_value(list(known.values())), medians[highest] - medians[lowest], lowest, highest
    )


# A campaign of a hundred cases that each test at 5 % shows five differences where there are none.


def holm(p_values: ArrayLike) -> FloatArray:
    """Adjust for the chance of any false finding: Holm (1979), Scandinavian J. of Statistics 6.

    Shape (m,), in the order of ``p_values``. Findings with an adjusted value of at most a hold one
    that is false with a probability of at most a, however the tests depend on each other.

    Raises:
        ValueError: if ``p_values`` is empty, not one-dimensional, or holds a number outside [0, 1].
    """
    p = as_sample(p_values, "p_values")
    if p.min() < 0.0 or p.max() > 1.0:
        raise ValueError("p_values must lie between 0 and 1")
    order = np.argsort(p, kind="stable")
    steps = np.maximum.accumulate(p[order] * np.arange(p.size, 0, -1))
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(steps, 1.0)
    return adjusted
