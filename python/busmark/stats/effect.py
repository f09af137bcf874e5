"""How large a difference is: by ranks, which no unit and no outlier changes."""

from collections.abc import Sequence
from math import sqrt

import numpy as np
from numpy.typing import ArrayLike

from busmark.stats._check import FloatArray, as_sample, check_confidence
from busmark.stats._levels import welch
from busmark.stats._scipy import normal_quantile, student_quantile
from busmark.stats.estimate import Estimate
from busmark.stats.ordered import Ordered

EXACT_PAIRS = 2500
"""Pairs up to which the distribution of the rank sum is computed exactly."""


def superiority(a: ArrayLike | Ordered, b: ArrayLike | Ordered) -> float:
    """Return the chance that a value of ``a`` is greater than one of ``b``, a tie being half.

    The A of Vargha & Delaney (2000), "A critique and improvement of the CL common language effect
    size statistics", J. of Educational and Behavioral Statistics 25. 0.5 is no effect; they call
    0.56, 0.64 and 0.71 small, medium and large. Cliff's delta (1993) is 2 A - 1.

    Raises:
        ValueError: if a sample is empty, not one-dimensional, or holds NaN or an infinity.
    """
    first, second = Ordered.of(a).values, Ordered.of(b).values
    below = np.searchsorted(second, first, side="left").sum(dtype=np.int64)
    up_to = np.searchsorted(second, first, side="right").sum(dtype=np.int64)
    return float(below + up_to) / 2.0 / (float(first.size) * second.size)


def cliffs_delta(a: ArrayLike | Ordered, b: ArrayLike | Ordered) -> float:
    """Return the chance that ``a`` is greater minus the chance that ``b`` is: 2 `superiority` - 1.

    Cliff (1993), "Dominance statistics", Psychological Bulletin 114.

    Raises:
        ValueError: as `superiority`.
    """
    return 2.0 * superiority(a, b) - 1.0


def superiority_over_rounds(
    rounds_a: Sequence[ArrayLike | Ordered],
    rounds_b: Sequence[ArrayLike | Ordered],
    confidence: float = 0.95,
) -> Estimate:
    """Return the mean `superiority` of all pairs of rounds, one of each side.

    Rounds are what is drawn, so the interval's variance is that of a two-sample U statistic with
    rounds as its units, var(row means) / n_a + var(column means) / n_b (DeLong, DeLong &
    Clarke-Pearson 1988, Biometrics 44, whose units are single values), with Student's t and the
    degrees of freedom of Welch. Limits lie within 0 and 1. Two sides that are wholly apart in
    every round have no variance and an interval of no width: it does not say how rare overlap is.

    One round on a side gives no interval.

    Raises:
        ValueError: as `superiority`, or if a side has no rounds.
    """
    check_confidence(confidence)
    first, second = [Ordered.of(r) for r in rounds_a], [Ordered.of(r) for r in rounds_b]
    if not first or not second:
        raise ValueError("a side has no rounds")
    table = np.array([[superiority(x, y) for y in second] for x in first])
    value = float(table.mean())
    count = sum(r.count for r in (*first, *second))
    fewest = min(len(first), len(second))
    if fewest < 2:
        return Estimate(value, None, None, None, count, fewest)
    parts = [float(table.mean(axis=1 - i).var(ddof=1)) / table.shape[i] for i in (0, 1)]
    t = student_quantile(0.5 + confidence / 2.0, welch(parts, (len(first), len(second))))
    half = t * sqrt(sum(parts))
    low, high = max(value - half, 0.0), min(value + half, 1.0)
    return Estimate(value, low, high, confidence, count, fewest)


def hodges_lehmann(a: ArrayLike, b: ArrayLike, confidence: float = 0.95) -> Estimate:
    """Return the median of all differences a_i - b_j, with its distribution-free interval.

    Hodges & Lehmann (1963), "Estimates of location based on rank tests", Annals of Mathematical
    Statistics 34. The limits are the k-th smallest and k-th greatest difference, with k from the
    distribution of the Mann-Whitney statistic (Moses 1953; Hollander & Wolfe 1999, section 4.3):
    exact up to 2,500 pairs, normal beyond. Meant for one figure per round and side, for all
    differences are computed. ``count`` is the number of values, ``rounds`` the smaller number.

    It estimates by how much one side lies above the other if they differ in location only. With
    so few values that no pair of differences gives the confidence there is no interval: 4 against
    4 are the fewest at 95 %.

    Raises:
        ValueError: as `superiority`, or if ``confidence`` is not strictly between 0 and 1.
    """
    check_confidence(confidence)
    first, second = as_sample(a, "a"), as_sample(b, "b")
    differences = np.sort((first[:, None] - second[None, :]).ravel())
    value = float(np.median(differences))
    count, fewest = int(first.size + second.size), int(min(first.size, second.size))
    k = _rank_of_limit(int(first.size), int(second.size), (1.0 - confidence) / 2.0)
    if k < 1:
        return Estimate(value, None, None, None, count, fewest)
    low, high = float(differences[k - 1]), float(differences[-k])
    return Estimate(value, low, high, confidence, count, fewest)


def _rank_of_limit(n: int, m: int, tail: float) -> int:
    """Greatest k with P(U <= k - 1) <= tail for the Mann-Whitney U of n and m values."""
    if n * m > EXACT_PAIRS:
        spread = sqrt(n * m * (n + m + 1) / 12.0)
        return int(np.floor(n * m / 2.0 + normal_quantile(tail) * spread))
    below = np.cumsum(_u_distribution(n, m))
    # A tail that is met exactly must not be lost to rounding.
    return int(np.searchsorted(below, tail * (1.0 + 1e-9), side="right"))


def _u_distribution(n: int, m: int) -> FloatArray:
    """Probabilities of U = 0 … n m (Mann & Whitney 1947): the greatest of i + j values is of the
    first side and above all j of the other, or of the other side."""
    row = [np.ones(1) for _ in range(m + 1)]
    for i in range(1, n + 1):
        grown = [np.ones(1)]
        for j in range(1, m + 1):
            counts = np.zeros(i * j + 1)
            counts[j:] += row[j]
            counts[: grown[-1].size] += grown[-1]
            grown.append(counts)
        row = grown
    probabilities: FloatArray = row[m] / row[m].sum()
    return probabilities
