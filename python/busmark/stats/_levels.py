"""What the two-level bootstrap is made of: rounds reduced, an interval's length and division."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import ArrayLike

from busmark.stats._check import FloatArray
from busmark.stats._scipy import normal_quantile
from busmark.stats.round import Round
from busmark.stats.within import Statistic, evaluate, resampled_deviations

POOL = 1000
"""Deviations prepared per round; each drawn round takes one of them at random."""


@dataclass(frozen=True, slots=True)
class Level:
    """The estimand of one set of rounds and its variation.

    Attributes:
        mean: mean over rounds of the round's statistic.
        variance: of ``mean``, from the spread of the rounds; it holds both levels.
        floor: variance of ``mean`` from the variation inside the rounds alone.
        rounds: number of rounds.
        count: number of samples in all rounds.
        replicates: resampled values of ``mean``, shape (resamples,).
        values: the statistic of each round, shape (rounds,).
    """

    mean: float
    variance: float
    floor: float
    rounds: int
    count: int
    replicates: FloatArray
    values: FloatArray

    def log_replicates(self) -> FloatArray:
        """Logs of the replicates; one carried to zero or below is held just above zero."""
        logs: FloatArray = np.log(np.maximum(self.replicates, 1e-6 * self.mean))
        return logs


def reduce_rounds(
    rounds: Sequence[ArrayLike | Round],
    statistic: Statistic,
    resamples: int,
    rng: np.random.Generator,
) -> Level:
    """Evaluate one set of rounds and draw its replicates.

    Raises:
        ValueError: if there are no rounds, or as `as_sample` and `evaluate`.
    """
    samples = [Round.of(r, f"round {i}") for i, r in enumerate(rounds)]
    if not samples:
        raise ValueError("rounds is empty")
    n = len(samples)
    values = np.array([evaluate(s, statistic) for s in samples])
    mean = float(values.mean())
    count = sum(s.count for s in samples)
    if n < 2:
        return Level(mean, 0.0, 0.0, n, count, np.full(resamples, mean), values)
    pool = np.stack([resampled_deviations(s, statistic, POOL, rng) for s in samples])
    between = float(values.var(ddof=1))
    inside = float(np.mean(pool**2))
    # Keep in the drawn rounds only the variance that the inner level does not add again.
    kept = 1.0 - inside * n / ((n - 1) * between) if between > 0.0 else 0.0
    outer = sqrt(max(kept, 0.0)) * (values - mean)
    drawn = rng.integers(0, n, (resamples, n))
    inner = pool[drawn, rng.integers(0, POOL, (resamples, n))]
    replicates = mean + (outer[drawn] + inner).mean(axis=1)
    return Level(mean, between / n, inside / n, n, count, replicates, values)


def half_length(t: float, variance: float, floor: float, confidence: float) -> float:
    """Half length of an interval: Student's, but never below what the inner variation implies."""
    z = normal_quantile(0.5 + confidence / 2.0)
    return max(t * sqrt(variance), z * sqrt(floor))


def share_below(replicates: FloatArray, confidence: float) -> float:
    """The share of an interval's length that lies below the estimate, as replicates divide theirs.

    Their own mean is taken as their centre, so that the resampling bias of an extreme percentile
    does not push the whole interval to one side.
    """
    tail = (1.0 - confidence) / 2.0
    low, high = np.quantile(replicates, [tail, 1.0 - tail])
    length = float(high - low)
    share = (float(replicates.mean()) - float(low)) / length if length > 0.0 else 0.5
    return min(max(share, 0.0), 1.0)


def divide(
    centre: float, half: float, replicates: FloatArray, confidence: float
) -> tuple[float, float]:
    """Divide a length of 2 * ``half`` about ``centre`` as the replicates divide theirs."""
    share = share_below(replicates, confidence)
    return centre - 2.0 * half * share, centre + 2.0 * half * (1.0 - share)


def welch(parts: Sequence[float], rounds: Sequence[int]) -> float:
    """Welch-Satterthwaite degrees of freedom for a sum of variances of means."""
    total = sum(parts)
    if total == 0.0:
        return float(min(rounds) - 1)
    return total**2 / sum(p**2 / (n - 1) for p, n in zip(parts, rounds, strict=True))
