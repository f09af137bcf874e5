"""The step of this machine's clock, by reading it many times."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable
from itertools import pairwise
from math import gcd

READINGS = 4000
SHARE = 0.95
"""Share of the differences that must lie on the steps: the kernel corrects its clock now and
then."""


def clock_step_ns() -> int | None:
    """By how many nanoseconds CLOCK_MONOTONIC counts, as differences of readings show it; None
    where it stood still. A clock whose step is no whole number of ns counts as one of 1 ns."""
    readings = [time.clock_gettime_ns(time.CLOCK_MONOTONIC) for _ in range(READINGS)]
    return step(later - earlier for earlier, later in pairwise(readings))


def step(differences: Iterable[int]) -> int | None:
    """The greatest number of which the most frequent of these are all multiples."""
    counts = Counter(each for each in differences if each > 0)
    needed, found, common = SHARE * counts.total(), 0, 0
    for value, count in counts.most_common():
        common, found = gcd(common, value), found + count
        if found >= needed:
            break
    return common or None
