"""Whether a series changes over its length."""

from dataclasses import dataclass
from functools import lru_cache
from math import factorial, inf, sqrt

import numpy as np
from numpy.typing import ArrayLike

from busmark.stats._check import FloatArray, as_sample
from busmark.stats._scipy import normal_beyond
from busmark.stats.ordered import medians

MIN_BLOCKS = 5
"""Fewest blocks tested: with four, even a perfect trend has a two-sided p-value of 2/24."""


@dataclass(frozen=True, slots=True)
class Drift:
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


def drift(x: ArrayLike, blocks: int = 20) -> Drift:
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
        return Drift(change, None, 0)
    p_value = trend_p_value(_block_medians(series, used))
    # Equal medians have no tau, but every ordering of them is as extreme as the one seen.
    return Drift(change, 1.0 if p_value is None else p_value, used)


def _block_medians(series: FloatArray, blocks: int) -> FloatArray:
    """Medians of the blocks of `numpy.array_split`, of which the first may have one value more."""
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

EXACT_TO = 33
"""Values up to which all orders are counted."""


def trend_p_value(y: FloatArray) -> float | None:
    """Two-sided p-value of the rank correlation of ``y``, shape (n,), with its order; None where
    all values are equal, or there is only one."""
    n = int(y.size)
    pairs = n * (n - 1) // 2
    earlier, later = np.triu_indices(n, 1)
    falling = int(np.count_nonzero(y[earlier] > y[later]))
    counts = np.unique(y, return_counts=True)[1]
    tied = int((counts * (counts - 1) // 2).sum())
    if tied == pairs:
        return None
    if not tied and (n <= EXACT_TO or min(falling, pairs - falling) <= 1):
        return _exact(n, min(falling, pairs - falling))
    m = n * (n - 1.0)
    ties = int((counts * (counts - 1.0) * (2 * counts + 5)).sum())
    z = (pairs - tied - 2 * falling) / sqrt((m * (2 * n + 5) - ties) / 18)
    return 2.0 * normal_beyond(abs(z))


@lru_cache(maxsize=4096)
def _exact(n: int, falling: int) -> float:
    """Share of the orders of n different values in which as few pairs fall, or as few rise.

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
