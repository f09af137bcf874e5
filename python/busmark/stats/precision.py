"""How precise the figure of a typical round is, from one value and one inner variance of each.

The interval is the one of `two_level`, except for the limits by the samples seen; here it is
computed without the samples, while rounds are still being added, and estimated for schedules that
were not run.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import pi, sqrt

from numpy.typing import ArrayLike

from busmark.stats._check import as_sample
from busmark.stats._scipy import normal_quantile, student_quantile
from busmark.stats.typical import typical

LEVEL = 0.975
"""Level of the quantiles of a two-sided interval of 95 %."""

MEDIAN = pi / 2.0

FEW = 8
"""Below so many rounds an interval may be narrow because they are alike by chance."""

EARLY = 0.5
"""Share of the requested half-width that fewer rounds have to reach."""

MOST_ROUNDS = 100_000
"""`Spread.rounds_for` looks no further."""


def early(rounds: int) -> float:
    """The share of the half-width asked for that so many rounds have to reach, for none to follow.

    Who looks after every round and stops at the first narrow interval stops where rounds happen to
    be alike, and then the interval covers less than it says (Chow & Robbins 1965, "On the
    asymptotic theory of fixed-width sequential confidence intervals for the mean", Annals of
    Mathematical Statistics 36; the asymptotic validity of Glynn & Whitt 1992, Annals of Applied
    Probability 2, says nothing of few rounds). Worst are stops at a few rounds where many were
    needed. So few rounds are asked for more, as early looks at a clinical trial are (O'Brien &
    Fleming 1979, "A multiple testing procedure for clinical trials", Biometrics 35). Rounds that
    are alike for good reason still stop at once, for they are not near the limit.
    """
    return EARLY if rounds < FEW else 1.0


@dataclass(frozen=True, slots=True)
class Spread:
    """How much a statistic varies, between rounds and inside them.

    Attributes:
        value: of a typical round.
        half: half the length of its 95 % interval.
        between: n times the squared standard error of ``value`` that a Student interval of the same
            length would have; what is inside the rounds is in it.
        inside: mean variance of a round's value from the variation inside the round.
        rounds: number of rounds, at least 2.
    """

    value: float
    half: float
    between: float
    inside: float
    rounds: int

    @classmethod
    def of(cls, values: ArrayLike, inside: ArrayLike) -> Spread:
        """The spread of rounds with these values and inner variances, both of shape (n,), in the
        order of time.

        Raises:
            ValueError: for fewer than 2 rounds, unequal shapes, or a number that is not finite.
        """
        sample, inner = as_sample(values, "values"), as_sample(inside, "inside")
        n = int(sample.size)
        if n != inner.size or n < 2:
            raise ValueError(f"need 2 rounds with both figures, got {n}, {inner.size}")
        variance = float(inner.mean())
        whole, outer = typical(sample, inside=variance), typical(sample)
        assert whole.half_width is not None and outer.half_width is not None
        error = outer.half_width / student_quantile(LEVEL, n - 1)
        return cls(whole.value, whole.half_width, n * error**2, variance, n)

    def half_width(self, rounds: int | None = None) -> float:
        """Half the length of the 95 % interval: of these rounds, or as expected for a number of
        rounds.

        Expected is max(t(n-1) sqrt(between / n), z sqrt(inside / n)): as of independent rounds that
        vary like these.

        Raises:
            ValueError: for fewer than 2 rounds.
        """
        if rounds is None:
            return self.half
        if rounds < 2:
            raise ValueError(f"an interval needs 2 rounds, got {rounds}")
        between = student_quantile(LEVEL, rounds - 1) * sqrt(self.between / rounds)
        return max(between, normal_quantile(LEVEL) * sqrt(self.inside / rounds))

    def relative_half_width(self, rounds: int | None = None) -> float | None:
        """`half_width` over |value|; None where that is zero."""
        return self.half_width(rounds) / abs(self.value) if self.value else None

    def suffices(self, target: float) -> bool:
        """Whether no round has to follow, where the relative half-width is to be at most
        ``target``: few rounds must be narrower, as `early` says."""
        width = self.relative_half_width()
        return width is not None and width <= early(self.rounds) * target

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
        return self.half_width(rounds) <= target * abs(self.value)

    def with_samples(self, ratio: float) -> Spread:
        """The spread of rounds with ``ratio`` times as many samples: the inner variance is inverse
        to their number, what rounds differ by beyond it stays.

        Raises:
            ValueError: if ``ratio`` is not positive.
        """
        if ratio <= 0.0:
            raise ValueError(f"ratio must be positive, got {ratio}")
        inside = self.inside / ratio
        # The median of n values varies by pi/2 times as much as their mean.
        own = max(self.between - MEDIAN * self.inside, 0.0)
        between = own + MEDIAN * inside
        half = student_quantile(LEVEL, self.rounds - 1) * sqrt(between / self.rounds)
        return Spread(self.value, half, between, inside, self.rounds)
