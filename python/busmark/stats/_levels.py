"""What intervals of two levels are made of: rounds reduced to what an interval needs of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import sqrt

import numpy as np
from numpy.typing import ArrayLike

from busmark.stats._check import FloatArray
from busmark.stats._scipy import normal_quantile, student_quantile
from busmark.stats.estimate import Estimate
from busmark.stats.round import Round
from busmark.stats.typical import typical
from busmark.stats.within import Statistic, evaluate, inner_variance


@dataclass(frozen=True, slots=True)
class Level:
    """The figure of each round of one set, and how it varies.

    Attributes:
        values: the statistic of each round, in the order of time, shape (rounds,).
        inside: mean variance of a round's value from the variation inside the round.
        count: number of samples in all rounds.
        seen: the smallest and the largest of them; of a percentile above the 50th, instead of the
            smallest, the smallest median of a round.
    """

    values: FloatArray
    inside: float
    count: int
    seen: tuple[float, float]

    @property
    def rounds(self) -> int:
        """Number of rounds."""
        return int(self.values.size)

    @property
    def value(self) -> float:
        """Value of a typical round: the median of ``values``."""
        return float(np.median(self.values))

    def estimate(self, confidence: float = 0.95) -> Estimate:
        """The typical round with its interval."""
        found = typical(self.values, confidence, inside=self.inside, seen=self.seen)
        return replace(found, count=self.count)


def reduce_rounds(rounds: Sequence[ArrayLike | Round], statistic: Statistic) -> Level:
    """Evaluate one set of rounds, given in the order of time.

    Raises:
        ValueError: if there are no rounds, or as `as_sample` and `evaluate`.
    """
    samples = [Round.of(r, f"round {i}") for i, r in enumerate(rounds)]
    if not samples:
        raise ValueError("rounds is empty")
    values = np.array([evaluate(s, statistic) for s in samples])
    inside = 0.0
    if len(samples) > 1:
        inside = float(np.mean([inner_variance(s, statistic) for s in samples]))
    # A percentile above the 50th is above the median in every round, so in a typical one, too.
    upper = statistic not in ("median", "mean") and float(statistic) > 50.0
    lowest = [evaluate(s, "median") if upper else float(s.ordered.values[0]) for s in samples]
    seen = (min(lowest), max(float(s.ordered.values[-1]) for s in samples))
    return Level(values, inside, sum(s.count for s in samples), seen)


def half_length(t: float, variance: float, floor: float, confidence: float) -> float:
    """Half length of an interval: Student's, but never below what the inner variation implies."""
    z = normal_quantile(0.5 + confidence / 2.0)
    return max(t * sqrt(variance), z * sqrt(floor))


@dataclass(frozen=True, slots=True)
class Reach:
    """How far an interval reaches, as a test needs it.

    Attributes:
        under: below the value. over: above it.
        variance: squared standard error that Student's interval of this length would have, after
            McKean & Schrader (1984), "A comparison of methods for studentizing the sample median",
            Communications in Statistics B 13(6).
        rounds: number of rounds.
    """

    under: float
    over: float
    variance: float
    rounds: int

    @classmethod
    def of(cls, found: Estimate) -> Reach:
        """Levels of an estimate with an interval."""
        assert found.low is not None and found.high is not None and found.confidence is not None
        under, over = found.value - found.low, found.high - found.value
        t = student_quantile(0.5 + found.confidence / 2.0, found.rounds - 1)
        return cls(under, over, ((under + over) / (2.0 * t)) ** 2, found.rounds)

    def scaled(self, factor: float) -> Reach:
        """Levels of the figure times ``factor``."""
        return Reach(
            factor * self.under, factor * self.over, factor**2 * self.variance, self.rounds
        )


def welch(parts: Sequence[float], rounds: Sequence[int]) -> float:
    """Welch-Satterthwaite degrees of freedom for a sum of variances of means."""
    total = sum(parts)
    if total == 0.0:
        return float(min(rounds) - 1)
    return total**2 / sum(p**2 / (n - 1) for p, n in zip(parts, rounds, strict=True))
