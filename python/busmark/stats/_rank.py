"""Ranks of percentiles, and of values."""

from decimal import ROUND_CEILING, Decimal
from functools import lru_cache

import numpy as np

from busmark.stats._check import FloatArray


@lru_cache(maxsize=16384)
def rank(percent: float, count: int) -> int:
    """Rank (1-based) of the sample that is the ``percent`` percentile of ``count`` samples.

    The rank is ceil(count * percent / 100), computed in decimal: in binary, 99.9 / 100 * 1000
    lies just above 999 and its ceiling would be one rank too high.

    Raises:
        ValueError: if ``percent`` is not strictly between 0 and 100, or ``count`` < 1.
    """
    check_percent(percent)
    if count < 1:
        raise ValueError(f"count must be at least 1, got {count}")
    exact = Decimal(repr(float(percent))) * count / 100
    return int(exact.to_integral_value(rounding=ROUND_CEILING))


def check_percent(percent: float) -> None:
    if not 0.0 < percent < 100.0:
        raise ValueError(f"percent must lie strictly between 0 and 100, got {percent}")


def average_ranks(x: FloatArray) -> FloatArray:
    """Ranks from 1; equal values have the mean of theirs."""
    _, place, counts = np.unique(x, return_inverse=True, return_counts=True)
    ranks: FloatArray = (np.cumsum(counts) - (counts - 1) / 2.0)[place]
    return ranks
