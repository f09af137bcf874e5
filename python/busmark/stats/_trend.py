"""The Mann-Kendall test of a series against its order.

Kendall's rank correlation of the values with their positions, which have no ties. scipy has the
general test in `scipy.stats`, whose import takes longer than all statistics of a short campaign; a
test holds the two against each other.
"""

from functools import lru_cache
from math import factorial, inf, sqrt

import numpy as np

from busmark.stats._check import FloatArray
from busmark.stats._scipy import normal_beyond

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
