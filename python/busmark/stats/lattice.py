"""The step of the clock that a sample was taken with, as the sample itself shows it."""

import numpy as np

from busmark.stats.ordered import Ordered

POINTS = 4000
"""Quantiles that are looked at."""

SHARE = 0.95
"""Share of the samples that must lie on the steps: a few may come from a correction of the
clock."""

MIN_DISTINCT = 3
"""Different values, fewer of which have a common divisor by chance."""


def clock_step(x: Ordered, unit: float = 1.0) -> float:
    """Return the step, a multiple of ``unit``, of which the most frequent 95 % of ``x`` are all
    multiples; 0 where there is none, or too few different values to tell.

    A clock that counts in steps of 10 ns makes every difference of two readings a multiple of 10.
    Values that are no multiples of half a ``unit`` were not read off a clock with that unit. A
    clock whose step is no whole number of units (41.67 ns) is not recognised.
    """
    n = x.count
    at = np.linspace(0, n - 1, min(n, POINTS)).astype(np.int64)
    halves = x.values[at] / unit * 2.0
    whole = np.rint(halves)
    if np.abs(halves - whole).max() > 1e-6 or np.abs(whole).max() >= 2**53:
        return 0.0
    found, counts = np.unique(whole.astype(np.int64), return_counts=True)
    order = np.argsort(-counts, kind="stable")
    needed = int(np.searchsorted(np.cumsum(counts[order]), SHARE * at.size)) + 1
    if needed < MIN_DISTINCT:
        return 0.0
    divisor = int(np.gcd.reduce(found[order[:needed]]))
    return divisor / 2.0 * unit
