"""Where the values of a series change: the statistic of E-divisive.

Matteson & James (2014), "A nonparametric approach for multiple change point analysis of
multivariate data", JASA 109(505), for one dimension and distances to the power of 1. Apache Otava
and, before it, Hunter (Fleming & al. 2023) look for changes by the same statistic.
"""

from __future__ import annotations

import numpy as np

from busmark.stats._check import FloatArray


def divide(values: FloatArray, least: int) -> tuple[int, int] | None:
    """Where ``values`` are best divided: the index of the first value behind the change, and the
    end of what it stands out from.

    It is the place of the greatest of `divergences`. None where there are fewer than two sets of
    ``least``.
    """
    if values.size < 2 * least:
        return None
    found = divergences(values, least)
    row, column = np.unravel_index(int(np.argmax(found)), found.shape)
    return least + int(row), 2 * least + int(column)


def divergences(values: FloatArray, least: int) -> FloatArray:
    """The scaled energy distances between the values [0, t) and [t, k) for all places t (rows) and
    ends k (columns) that leave each of the two ``least`` values or more, 2 at least.

    m n / (m + n) times twice the mean distance between the two sets, less the mean distances within
    each: equations 5 to 7 of the paper. The end k lets a change be seen that a later one takes
    back. Minus infinity where t and k leave too few.
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
