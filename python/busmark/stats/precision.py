"""How precise a mean over rounds is, from one value and one inner variance of each round.

The interval is that of `two_level`, whose length depends on nothing else; here it is computed
without the samples, while rounds are still being added, and for schedules that were not run.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import ArrayLike

from busmark.stats._check import as_sample, check_confidence
from busmark.stats._levels import POOL
from busmark.stats._scipy import normal_quantile, student_quantile
from busmark.stats.round import Round
from busmark.stats.within import Statistic, resampled_deviations

MOST_ROUNDS = 100_000
"""`Spread.rounds_for` looks no further."""


def inner_variance(x: ArrayLike | Round, statistic: Statistic, seed: int) -> float:
    """Return the variance of a round's statistic from the variation inside the round.

    ``x`` has shape (n,), the samples of one round in time order. Its unit is that of ``x``
    squared.

    Raises:
        ValueError: as `two_level` for one round.
    """
    deviations = resampled_deviations(x, statistic, POOL, np.random.default_rng(seed))
    return float(np.mean(deviations**2))


@dataclass(frozen=True, slots=True)
class Spread:
    """How much a statistic varies, between rounds and inside them.

    Attributes:
        mean: of the rounds' values.
        between: variance of a round's value; it holds both levels.
        inside: mean variance of a round's value from the variation inside the round.
        rounds: number of rounds, at least 2.
    """

    mean: float
    between: float
    inside: float
    rounds: int

    @classmethod
    def of(cls, values: ArrayLike, inside: ArrayLike) -> Spread:
        """The spread of rounds with these values and inner variances, both of shape (n,).

        Raises:
            ValueError: for fewer than 2 rounds, unequal shapes, or a number that is not finite.
        """
        sample, inner = as_sample(values, "values"), as_sample(inside, "inside")
        if sample.size != inner.size or sample.size < 2:
            raise ValueError(f"need 2 rounds with both figures, got {sample.size}, {inner.size}")
        return cls(
            float(sample.mean()), float(sample.var(ddof=1)), float(inner.mean()), int(sample.size)
        )

    def half_width(self, rounds: int | None = None, confidence: float = 0.95) -> float:
        """Half the length of the interval of the mean: of these rounds, or expected of so many.

        max(t(n-1) S / sqrt(n), z sqrt(W / n)), see `bootstrap`.

        Raises:
            ValueError: for fewer than 2 rounds, or a confidence outside (0, 1).
        """
        check_confidence(confidence)
        n = self.rounds if rounds is None else rounds
        if n < 2:
            raise ValueError(f"an interval needs 2 rounds, got {n}")
        level = 0.5 + confidence / 2.0
        between = student_quantile(level, n - 1) * sqrt(self.between / n)
        return max(between, normal_quantile(level) * sqrt(self.inside / n))

    def relative_half_width(self, rounds: int | None = None) -> float | None:
        """`half_width` over |mean|; None where that is zero."""
        return self.half_width(rounds) / abs(self.mean) if self.mean else None

    def rounds_for(self, target: float) -> int:
        """Rounds after which the relative half-width should be at most ``target``; at least 2.

        Raises:
            ValueError: if ``target`` is not positive.
        """
        if target <= 0.0:
            raise ValueError(f"target must be positive, got {target}")
        low, high = 1, 2
        while high < MOST_ROUNDS and not self._meets(target, high):
            low, high = high, 2 * high
        while high - low > 1:
            middle = (low + high) // 2
            if self._meets(target, middle):
                high = middle
            else:
                low = middle
        return high

    def _meets(self, target: float, rounds: int) -> bool:
        return self.half_width(rounds) <= target * abs(self.mean)

    def with_samples(self, ratio: float) -> Spread:
        """The spread of rounds with ``ratio`` times as many samples: the inner variance is inverse
        to their number, what rounds differ by beyond it stays.

        Raises:
            ValueError: if ``ratio`` is not positive.
        """
        if ratio <= 0.0:
            raise ValueError(f"ratio must be positive, got {ratio}")
        inside = self.inside / ratio
        own = max(self.between - self.inside, 0.0)
        return Spread(self.mean, own + inside, inside, self.rounds)
