"""What became of a figure from one set of rounds to another: an interval, and a test.

All functions take the new side first: a ratio is the first over the second, a difference the
first minus the second. Interval and test are one: `Change.p_value(at)` is at most 1 - confidence
exactly where the interval does not hold `at`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import exp, hypot, inf, log, log1p, sqrt

import numpy as np
from numpy.typing import ArrayLike

from busmark.stats._scipy import (
    beta_below,
    normal_beyond,
    normal_quantile,
    student_beyond,
    student_quantile,
)
from busmark.stats.intervals import Estimate, share_interval, typical
from busmark.stats.rounds import Round, Statistic, evaluate, inner_variance
from busmark.stats.sample import FloatArray, as_positive, as_sample, check_confidence


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
        """Estimate the typical round, with its interval."""
        found = typical(self.values, confidence, inside=self.inside, seen=self.seen)
        return replace(found, count=self.count)


def reduce_rounds(rounds: Sequence[ArrayLike | Round], statistic: Statistic) -> Level:
    """Evaluate one set of rounds, given in the order of time.

    Raises:
        ValueError: if there are no rounds, or as `as_sample` and `evaluate`.
    """
    samples = [Round.from_values(r, f"round {i}") for i, r in enumerate(rounds)]
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
    """Return half the length: Student's, but never below what the inner variation implies."""
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
    def from_estimate(cls, found: Estimate) -> Reach:
        """Return the reach of an estimate with an interval."""
        assert found.low is not None and found.high is not None and found.confidence is not None
        under, over = found.value - found.low, found.high - found.value
        t = student_quantile(0.5 + found.confidence / 2.0, found.rounds - 1)
        return cls(under, over, ((under + over) / (2.0 * t)) ** 2, found.rounds)

    def scaled(self, factor: float) -> Reach:
        """Return the reach for the figure times ``factor``."""
        return Reach(
            factor * self.under, factor * self.over, factor**2 * self.variance, self.rounds
        )


def welch(parts: Sequence[float], rounds: Sequence[int]) -> float:
    """Return the Welch-Satterthwaite degrees of freedom for a sum of variances of means."""
    total = sum(parts)
    if total == 0.0:
        return float(min(rounds) - 1)
    return total**2 / sum(p**2 / (n - 1) for p, n in zip(parts, rounds, strict=True))


@dataclass(frozen=True, slots=True)
class Change:
    """A ratio or a difference with its interval, and what its test needs.

    Attributes:
        estimate: the ratio or difference; without an interval there is no test either.
        centre: the estimate on the scale of the test: the logarithm where ``log`` is true.
        error: standard error on that scale, from the spread of rounds.
        freedom: its degrees of freedom, above 0; infinite for a normal one.
        floor: standard error that is there in any case, normal: the variation inside rounds.
        below: share of the interval's length that lies below the estimate, 0 to 1.
        log: whether the test is on logarithms.
        slack: how far the estimate may be too great, and too small, on that scale, whatever the
            rounds say; see `off_by`.
    """

    estimate: Estimate
    centre: float
    error: float
    freedom: float
    floor: float
    below: float
    log: bool
    slack: tuple[float, float] = (0.0, 0.0)

    def p_value(self, at: float) -> float | None:
        """Return the two-sided p-value of ``at`` as the true value; None without an interval.

        It turns the interval round: the smallest 1 - confidence at which ``at`` is outside, with
        the length divided between the sides as it is at the interval's own confidence.

        Raises:
            ValueError: if the test is on logarithms and ``at`` is not positive.
        """
        if self.estimate.low is None:
            return None
        if self.log and at <= 0.0:
            raise ValueError(f"a ratio is compared with a positive number, got {at}")
        distance = self.centre - (log(at) if self.log else at)
        distance = max(distance - self.slack[0], 0.0) or min(distance + self.slack[1], 0.0)
        if distance == 0.0:
            return 1.0
        share = self.below if distance > 0.0 else 1.0 - self.below
        if share == 0.0:
            return 0.0
        half = abs(distance) / (2.0 * share)
        by_rounds = 2.0 * student_beyond(half / self.error, self.freedom) if self.error else 0.0
        return max(by_rounds, 2.0 * normal_beyond(half / self.floor) if self.floor else 0.0)

    def off_by(self, mine: float, theirs: float) -> Change:
        """Return the change where each side may be off besides, by this share of itself either way,
        as times between two clocks are; both are below 1. Interval and test hold it."""
        slack = (log1p(theirs) - log1p(-mine), log1p(mine) - log1p(-theirs))
        own = self.estimate
        if own.low is None or own.high is None or not any(slack):
            return self
        low, high = own.low * exp(-slack[0]), own.high * exp(slack[1])
        if not self.log:
            slack = (own.low - low, high - own.high)
        return replace(self, estimate=replace(own, low=low, high=high), slack=slack)

    def reported(self, value: float) -> Change:
        """Return the change with ``value`` as its estimate: the ratio or difference of the figures
        that are stated beside it.

        A typical ratio of paired rounds is not the ratio of the typical rounds. By as much as the
        two differ the interval reaches further to both sides, so it covers either.

        Raises:
            ValueError: if the test is on logarithms and ``value`` is not positive.
        """
        own = self.estimate
        if own.low is None or own.high is None or own.confidence is None:
            return replace(self, estimate=replace(own, value=value))
        if self.log and value <= 0.0:
            raise ValueError(f"a ratio is positive, got {value}")
        on_scale = log if self.log else float
        centre, limits = on_scale(value), (on_scale(own.low), on_scale(own.high))
        middle = min(max(self.centre, limits[0]), limits[1])
        gap = abs(centre - middle)
        if gap <= 1e-12 * max(1.0, abs(centre)):
            return replace(
                self,
                estimate=replace(
                    own, value=value, low=min(own.low, value), high=max(own.high, value)
                ),
            )
        before, under, over = limits[1] - limits[0], middle - limits[0], limits[1] - middle
        under, over = under + gap, over + gap
        half, level = (under + over) / 2.0, 0.5 + own.confidence / 2.0
        t = student_quantile(level, self.freedom)
        # By the same factor as the interval; without variation all of it is between rounds.
        error = self.error * 2.0 * half / before if before else half / t
        floor = self.floor * 2.0 * half / before if before else 0.0
        low, high = centre - under, centre + over
        if self.log:
            low, high = exp(low), exp(high)
        estimate = replace(own, value=value, low=min(low, value), high=max(high, value))
        below = under / (under + over)
        return Change(estimate, centre, error, self.freedom, floor, below, self.log)


def ratio_of_levels(a: Level, b: Level, confidence: float = 0.95) -> Change:
    """Return the ratio of typical rounds, of two sets of rounds that were run apart.

    Each side has the interval of `typical` on logarithms. Its length is taken as a Student
    interval's (McKean & Schrader 1984), which gives it a standard error; the two are put together
    with the degrees of freedom of Welch (1947), "The generalization of 'Student's' problem when
    several different population variances are involved", Biometrika 34. The length is divided
    between the two sides as the intervals reach to either (Zou & Donner 2008, "Construction of
    confidence intervals about effect measures", Statistics in Medicine 27). Where the figure of a
    round is 0 there is no logarithm: then the errors are put together by linearisation (Hinkley
    1969, "On the ratio of two correlated normal random variables", Biometrika 56(3)), which needs a
    ``b`` that is known well.

    Raises:
        ValueError: if either estimand is not positive, or ``confidence`` is outside (0, 1).
    """
    if a.value <= 0.0 or b.value <= 0.0:
        raise ValueError(f"a ratio needs positive estimands, got {a.value} and {b.value}")
    return _of_typical(a, b, confidence)


def independent_ratio(a: ArrayLike, b: ArrayLike, confidence: float = 0.95) -> Change:
    """Return the ratio of figures of which each round gives one, of rounds that were run apart.

    ``a`` and ``b`` have shape (n,) and (m,), in the order of time. The method is the same as for
    `ratio_of_levels`; ``count`` is the number of rounds.

    Raises:
        ValueError: as `as_sample`, if a value is negative, or if the median of ``b`` is zero.
    """
    first, second = as_sample(a, "a"), as_sample(b, "b")
    if min(first.min(), second.min()) < 0.0 or np.median(second) == 0.0:
        raise ValueError("a ratio needs values that are not negative, and one above zero below it")
    sides = [Level(each, 0.0, int(each.size), (0.0, inf)) for each in (first, second)]
    return _of_typical(sides[0], sides[1], confidence)


def _of_typical(a: Level, b: Level, confidence: float) -> Change:
    check_confidence(confidence)
    on_logs = bool(min(a.values.min(), b.values.min()) > 0.0)
    rounds, count, value = (a.rounds, b.rounds), a.count + b.count, a.value / b.value
    if min(rounds) < 2:
        return _without_interval(value, count, min(rounds), log=on_logs)
    above, below = (_reach_of(side, confidence, on_logs=on_logs) for side in (a, b))
    if not on_logs:
        above, below = above.scaled(1.0 / b.value), below.scaled(value / b.value)
    parts = [above.variance, below.variance]
    under, over = hypot(above.under, below.over), hypot(above.over, below.under)
    return _change(
        log(value) if on_logs else value,
        sqrt(sum(parts)),
        welch(parts, rounds),
        0.0,
        under / (under + over) if under + over else 0.5,
        (count, min(rounds)),
        confidence,
        log_scale=on_logs,
    )


def _reach_of(side: Level, confidence: float, *, on_logs: bool) -> Reach:
    if not on_logs:
        return Reach.from_estimate(typical(side.values, confidence, inside=side.inside, shown=True))
    inside = side.inside / side.value**2
    return Reach.from_estimate(typical(np.log(side.values), confidence, inside=inside, shown=True))


def paired_change(a: ArrayLike, b: ArrayLike, confidence: float = 0.95) -> Change:
    """Return `paired_ratio`, with its test.

    Raises:
        ValueError: as `paired_ratio`.
    """
    check_confidence(confidence)
    first, second = as_positive(a, "a"), as_positive(b, "b")
    if first.size != second.size:
        raise ValueError(f"a and b must pair up, got {first.size} and {second.size} rounds")
    found = typical(np.log(first) - np.log(second), confidence, shown=True)
    n = found.rounds
    if n < 2:
        return _without_interval(exp(found.value), n, n, log=True)
    reach = Reach.from_estimate(found)
    length = reach.under + reach.over
    return _change(
        found.value,
        sqrt(reach.variance),
        n - 1.0,
        0.0,
        reach.under / length if length else 0.5,
        (n, n),
        confidence,
        log_scale=True,
    )


def difference_of_shares(
    hits_a: Sequence[int],
    counts_a: Sequence[int],
    hits_b: Sequence[int],
    counts_b: Sequence[int],
    confidence: float = 0.95,
) -> Change:
    """Return the difference of two shares of counted things, one pair of counts per round.

    The estimate is the difference of the means of the rounds' shares. The interval is Welch's, but
    never shorter than the interval of the totals: method 10 of Newcombe (1998), "Interval
    estimation for the difference between independent proportions", Statistics in Medicine 17, with
    the limits of `share_interval` for Wilson's. So none of n lost on both sides leaves room for
    what n cannot show, which the spread of the rounds, being zero, does not.

    Raises:
        ValueError: as `share_interval` for each round, or without any round.
    """
    check_confidence(confidence)
    sides = [(hits_a, counts_a), (hits_b, counts_b)]
    shares = [
        np.array([share_interval(h, n).value for h, n in zip(*side, strict=True)]) for side in sides
    ]
    if not all(s.size for s in shares):
        raise ValueError("a side has no round")
    rounds, count = (int(shares[0].size), int(shares[1].size)), sum(counts_a) + sum(counts_b)
    centre = float(shares[0].mean() - shares[1].mean())
    if min(rounds) < 2:
        return _without_interval(centre, count, min(rounds), log=False)
    first, second = (share_interval(sum(h), sum(n), confidence) for h, n in sides)
    under = sqrt(_reach(first, -1) ** 2 + _reach(second, 1) ** 2)
    over = sqrt(_reach(first, 1) ** 2 + _reach(second, -1) ** 2)
    parts = [float(s.var(ddof=1)) / n for s, n in zip(shares, rounds, strict=True)]
    floor = (under + over) / 2.0 / normal_quantile(0.5 + confidence / 2.0)
    return _change(
        centre,
        sqrt(sum(parts)),
        welch(parts, rounds),
        floor,
        under / (under + over),
        (count, min(rounds)),
        confidence,
        log_scale=False,
    )


def sign_test(count: int, pairs: int) -> float:
    """Return the two-sided p-value of the hypothesis that either side of a pair is as likely the
    greater one, where one side is in ``count`` of them.

    It is twice P(K >= count) for K ~ Binomial(pairs, 1/2), exact whatever pairs vary by (Dixon &
    Mood 1946, "The statistical sign test", Journal of the American Statistical Association 41).

    Raises:
        ValueError: if ``count`` is not between 0 and ``pairs``.
    """
    if not 0 <= count <= pairs:
        raise ValueError(f"{count} of {pairs} pairs")
    if count == 0:
        return 1.0
    return min(1.0, 2.0 * beta_below(0.5, float(count), pairs - count + 1.0))


def ratio_of_estimates(a: Estimate, b: Estimate, confidence: float = 0.95) -> Change:
    """Return the ratio of two estimates that have intervals of their own.

    The limits follow Zou & Donner (2008), "Construction of confidence intervals about effect
    measures", Statistics in Medicine 27, on logarithms; the test takes them as normal. So are
    intervals of another confidence brought to this one: each reach, on logarithms, times the ratio
    of the normal quantiles.

    Raises:
        ValueError: if a value or a limit is not positive, or a confidence is outside (0, 1).
    """
    check_confidence(confidence)
    sides = [_log_reaches(side, confidence) for side in (a, b)]
    value, count, rounds = a.value / b.value, a.count + b.count, min(a.rounds, b.rounds)
    if sides[0] is None or sides[1] is None:
        return _without_interval(value, count, rounds, log=True)
    (under_a, over_a), (under_b, over_b) = sides[0], sides[1]
    under, over = hypot(under_a, over_b), hypot(over_a, under_b)
    floor = (under + over) / 2.0 / normal_quantile(0.5 + confidence / 2.0)
    below = under / (under + over) if under + over else 0.5
    return _change(log(value), 0.0, inf, floor, below, (count, rounds), confidence, log_scale=True)


def _log_reaches(of: Estimate, confidence: float) -> tuple[float, float] | None:
    """Return how far the interval reaches below and above its value on logarithms, at
    `confidence`."""
    if of.value <= 0.0 or (of.low is not None and of.low <= 0.0):
        raise ValueError(f"a ratio needs positive estimates, got {of}")
    if of.low is None or of.high is None or of.confidence is None:
        return None
    check_confidence(of.confidence)
    scale = normal_quantile(0.5 + confidence / 2.0) / normal_quantile(0.5 + of.confidence / 2.0)
    return scale * log(of.value / of.low), scale * log(of.high / of.value)


def _change(
    centre: float,
    error: float,
    freedom: float,
    floor: float,
    below: float,
    basis: tuple[int, int],
    confidence: float,
    *,
    log_scale: bool,
) -> Change:
    """Make a change with the interval that belongs to it; ``basis`` is (count, rounds)."""
    t = student_quantile(0.5 + confidence / 2.0, freedom) if error else 0.0
    half = half_length(t, error**2, floor**2, confidence)
    limits = (centre - 2.0 * half * below, centre + 2.0 * half * (1.0 - below))
    value, low, high = (exp(v) if log_scale else v for v in (centre, *limits))
    estimate = Estimate(value, min(low, value), max(high, value), confidence, *basis)
    return Change(estimate, centre, error, freedom, floor, below, log_scale)


def _without_interval(value: float, count: int, rounds: int, *, log: bool) -> Change:
    """Make a change of one round, which says nothing of the variation between rounds."""
    return Change(Estimate(value, None, None, None, count, rounds), 0.0, 0.0, 1.0, 0.0, 0.5, log)


def _reach(share: Estimate, side: int) -> float:
    """Return how far the interval reaches below (-1) or above (1) its value."""
    assert share.low is not None and share.high is not None
    return share.value - share.low if side < 0 else share.high - share.value
