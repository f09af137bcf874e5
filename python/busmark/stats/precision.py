"""How precise the figure of a typical round is, from one value and one inner variance of each.

The interval is the one of `two_level`, except for the limits by the samples seen; here it is
computed without the samples, while rounds are still being added, and estimated for schedules that
were not run.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import inf, isfinite, pi, sqrt

import numpy as np
from numpy.typing import ArrayLike

from busmark.stats._scipy import normal_quantile, normal_quantiles, student_quantile
from busmark.stats.dependence import MIN_WIDENED
from busmark.stats.intervals import order_limits, typical
from busmark.stats.sample import FloatArray, as_positive, as_sample

LEVEL = 0.975
"""Level of the quantiles of a two-sided interval of 95 %."""

MEDIAN = pi / 2.0

FEW = 8
"""Below this many rounds an interval may be narrow because they are alike by chance."""

EARLY = 0.5
"""Share of the requested half-width that fewer rounds have to reach."""

MOST_ROUNDS = 100_000
"""`Spread.rounds_for` looks no further."""


def early(rounds: int) -> float:
    """Return the share of the requested half-width that lets this many rounds be the last.

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
class StatisticSpread:
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
    def from_rounds(cls, values: ArrayLike, inside: ArrayLike) -> StatisticSpread:
        """Return the spread of rounds with these values and inner variances, both of shape (n,), in
        the order of time.

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
        """Return half the length of the 95 % interval: of these rounds, or as expected for a number
        of rounds.

        The expected length is max(t(n-1) sqrt(between / n), z sqrt(inside / n)), for independent
        rounds that vary like these.

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
        """Return `half_width` over |value|; None where that is zero."""
        return self.half_width(rounds) / abs(self.value) if self.value else None

    def suffices(self, target: float) -> bool:
        """Return whether no round has to follow, where the relative half-width is to be at most
        ``target``: few rounds must be narrower, as `early` says."""
        width = self.relative_half_width()
        return width is not None and width <= early(self.rounds) * target

    def rounds_for(self, target: float) -> int:
        """Return the rounds that should bring the relative half-width to ``target``; at least 2.

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

    def with_samples(self, ratio: float) -> StatisticSpread:
        """Return the spread of rounds with ``ratio`` times as many samples: the inner variance is
        inverse to their number, other differences of rounds stay.

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
        return StatisticSpread(self.value, half, between, inside, self.rounds)


# How long to measure in a round, so that an interval is narrow in the least time.
#
# The question is the one of Kalibera & Jones (2013), "Rigorous benchmarking in reasonable time",
# ISMM: with a fixed cost of each round and a variance at either level, how much to repeat inside a
# round. Two things differ from their formula, which is `Variation.optimum`. The interval is the one
# of `typical`, which with few rounds narrows faster than the square root of their number; and some
# rounds are there already, of other lengths, each of which has one vote like any other. So the
# least time is found among the numbers of rounds that may follow, and becomes the formula's if many
# follow.

CONFIDENCE = 0.95
EXACT_TO = 40
"""Rounds up to which `reach` is computed from order statistics."""
STEP = 1.03
"""Numbers of rounds that are tried differ by this factor, or by one."""
BISECTIONS = 60
BY_CHANCE = 3.2
"""Independent rounds look alike by chance now and then, and `lengthening` makes the interval of n
longer by this over n in the mean."""
FAR = 12.0
"""Rounds are believed to be more alike than the variation inside them implies where that would make
them differ 1 + this over n times as much as n rounds do: chance does so once in forty times."""


@dataclass(frozen=True, slots=True)
class Variation:
    """How much the figure of a round varies.

    Attributes:
        between: variance from round to round, however long they are.
        inside: variance from what happens inside a round that is measured for one second; in one of
            t seconds it is ``inside / t``.
    """

    between: float
    inside: float

    @classmethod
    def from_rounds(cls, values: ArrayLike, inside: ArrayLike, seconds: ArrayLike) -> Variation:
        """Estimate the variation by rounds in the order of time: the figure of each, its variance
        from the variation inside the round, and how long it was measured, s.

        One bad round moves neither. ``inside`` is the median over rounds; ``between`` is what makes
        the interval of `typical` longer than the variation inside the rounds implies, 0 where it is
        not longer. Where rounds are much more alike, ``inside`` is what their interval implies.

        Raises:
            ValueError: for fewer than 2 rounds, unequal shapes, a length that is not positive, a
                negative variance, or a number that is not finite.
        """
        sample, inner = as_sample(values, "values"), as_sample(inside, "inside")
        lengths = as_positive(seconds, "seconds")
        if sample.size < 2 or not sample.size == inner.size == lengths.size:
            raise ValueError(
                f"need 2 rounds with all figures, got {sample.size}, {inner.size}, {lengths.size}"
            )
        if inner.min() < 0.0:
            raise ValueError("a variance is not negative")
        half = typical(sample, CONFIDENCE).half_width
        assert half is not None
        per_second = float(np.median(inner * lengths))
        deviation, n = half / reach(int(sample.size)), int(sample.size)
        alone = _harmonic(per_second / lengths)
        if alone > (1.0 + FAR / n) * deviation:
            # What repeats itself in every round makes none differ from another.
            return cls(0.0, per_second * (deviation / alone) ** 2)
        return cls(_beyond(per_second / lengths, deviation), per_second)

    def of_round(self, seconds: float) -> float:
        """Return the variance of the figure of a round of this length, s."""
        return self.between + self.inside / seconds

    def optimum(self, fixed_s: float) -> float:
        """Return the length of a round, s, at which a long campaign is shortest, where each takes
        ``fixed_s`` besides: sqrt(fixed_s inside / between); infinite if rounds do not differ,
        and 0 if samples do not differ either.
        """
        if self.between <= 0.0:
            return inf if self.inside > 0.0 else 0.0
        return sqrt(fixed_s * self.inside / self.between)


@dataclass(frozen=True, slots=True)
class Schedule:
    """Rounds that are to follow.

    Attributes:
        seconds: measured in each.
        rounds: number of them.
        reaches: whether the interval should then be as narrow as asked for.
    """

    seconds: float
    rounds: int
    reaches: bool


def schedule(
    variation: Variation,
    fixed_s: float,
    done: Sequence[float],
    half: float,
    *,
    least: int = 1,
    most: int,
    shortest: float,
    longest: float,
) -> Schedule:
    """Find the rounds that bring half the length of the 95 % interval to ``half`` in the least
    time; few rounds to the share of it that `early` asks for.

    ``done`` are the lengths of the rounds there are, s; ``fixed_s`` is what a round takes besides;
    from ``least`` to ``most`` rounds follow, none shorter
    than ``shortest`` or, where that is not more, longer than ``longest``. Rounds of
    deviations s_i count as the same number of rounds of their harmonic mean: the density of their
    figures at the median, which decides its variance, is the mean of 1 / s_i. Where no such rounds
    suffice, as many follow, and as long, as serves best: ``most``, of length `Variation.optimum`.

    Raises:
        ValueError: if ``half``, ``fixed_s`` or a length is not positive, or if ``least`` is below 1
            or above ``most``.
    """
    limits = (half, fixed_s, shortest, longest, *done)
    if not 1 <= least <= most or min(limits) <= 0.0:
        raise ValueError(f"need positive lengths, and a round: {limits}, {least} to {most}")
    longest = max(longest, shortest)
    there = sum(1.0 / sqrt(max(variation.of_round(s), 1e-300)) for s in done)
    best, shortest_s = None, inf
    # Numbers of rounds that are tried.
    found = [least]
    while found[-1] < most:
        found.append(min(most, max(found[-1] + 1, int(found[-1] * STEP))))
    for more in found:
        seconds = _enough(variation, len(done) + more, more, there, half)
        seconds = max(seconds, shortest)
        if seconds <= longest and (total := more * (fixed_s + seconds)) < shortest_s:
            best, shortest_s = Schedule(seconds, more, reaches=True), total
    if best is not None:
        return best
    seconds = min(max(variation.optimum(fixed_s), shortest), longest)
    return Schedule(seconds, most, reaches=False)


@lru_cache(maxsize=1024)
def reach(rounds: int) -> float:
    """Return half the length of the 95 % interval of `typical` that is expected of normal rounds of
    deviation 1."""
    longer = 1.0 + BY_CHANCE / rounds if rounds >= MIN_WIDENED else 1.0
    if rounds > EXACT_TO:
        return longer * normal_quantile(0.5 + CONFIDENCE / 2.0) * sqrt(pi / 2.0 / rounds)
    # Blom (1958): expected order statistics. The limits are linear in them.
    ranks = np.arange(1, rounds + 1, dtype=np.float64)
    expected = normal_quantiles(np.asarray((ranks - 0.375) / (rounds + 0.25), np.float64))
    low, high = order_limits(expected, CONFIDENCE)
    return longer * (high - low) / 2.0


def _enough(variation: Variation, rounds: int, more: int, there: float, half: float) -> float:
    """Return how long each of the rounds to come has to be; infinite where no length is enough."""
    missing = reach(rounds) * rounds / (early(rounds) * half) - there
    if missing <= 0.0:
        return 0.0
    own = (more / missing) ** 2 - variation.between
    return variation.inside / own if own > 0.0 else inf


def _beyond(inside: FloatArray, deviation: float) -> float:
    """Find the variance by which rounds differ besides, when the harmonic mean of their deviations
    is ``deviation``."""

    low, high = 0.0, deviation**2
    if not isfinite(high) or _harmonic(inside) >= deviation:
        return 0.0
    for _ in range(BISECTIONS):
        middle = (low + high) / 2.0
        if _harmonic(middle + inside) < deviation:
            low = middle
        else:
            high = middle
    return high


def _harmonic(variances: FloatArray) -> float:
    """Return the harmonic mean of deviations; 0 where one is 0."""
    if variances.min() <= 0.0:
        return 0.0
    return 1.0 / float(np.mean(1.0 / np.sqrt(variances)))
