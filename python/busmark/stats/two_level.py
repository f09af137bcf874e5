"""Figures of a typical round, with intervals of two levels: rounds, and the samples within them.

The levels follow Kalibera & Jones (2013), "Rigorous benchmarking in reasonable time", ISMM:
processes are started anew for each round, and the samples of a round share what its processes have
in common. The estimand is the median over all rounds that could have been run of the round's
statistic: a typical round. It is not their mean, as there, because rounds of real campaigns are now
and then slower by half or more; few rounds cannot determine the mean of such a law (its intervals
cover 25 to 65 % at five rounds), but they can determine its median. The interval is computed by
`typical`, over the rounds, and is never shorter than the variation inside the rounds implies.

How often it covers, by laws of samples and of rounds, stands in docs/reference/coverage.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import log, sqrt

import numpy as np
from numpy.typing import ArrayLike

from busmark.stats._scipy import normal_quantile, student_quantile
from busmark.stats.change import (
    Change,
    Level,
    _change,
    paired_change,
    ratio_of_levels,
    reduce_rounds,
)
from busmark.stats.intervals import Estimate
from busmark.stats.rounds import Round, Statistic
from busmark.stats.sample import as_sample, check_confidence


def two_level(
    rounds: Sequence[ArrayLike | Round], statistic: Statistic, *, confidence: float = 0.95
) -> Estimate:
    """Return the median over rounds of a round's statistic, with an interval of both levels.

    ``rounds`` holds one array of shape (n_i,) per round, each in time order, and the rounds as they
    were run; lengths may differ and every round weighs the same. ``statistic`` is "median", "mean"
    or a percentile as its number. The limits are not above the largest sample and not below the
    smallest; for a percentile above the 50th not below the smallest median of a round. ``count`` is
    the total of samples.

    One round gives no interval: it says nothing of the variation between rounds. Whether
    rounds are long enough for a percentile is for the caller to check with `supported`; an
    interval cannot show the bias of a percentile beyond the data. An influence equal in all
    rounds, such as one machine or one build, is not in the interval.

    Raises:
        ValueError: if there are no rounds; if a round is empty, not one-dimensional or holds
            NaN or an infinity; if the statistic is unknown; or if ``confidence`` is outside (0, 1).
    """
    check_confidence(confidence)
    return reduce_rounds(rounds, statistic).estimate(confidence)


def level_estimate(level: Level, confidence: float = 0.95) -> Estimate:
    """Return what `two_level` does, of rounds that are reduced already."""
    return level.estimate(confidence)


def ratio(
    rounds_a: Sequence[ArrayLike | Round],
    rounds_b: Sequence[ArrayLike | Round],
    statistic: Statistic,
    *,
    confidence: float = 0.95,
) -> Estimate:
    """Return the estimand of `two_level` for ``rounds_a`` over that for ``rounds_b``.

    The two sets of rounds are independent; for interleaved rounds `paired_ratio` is sharper. The
    method is the same as for `ratio_of_levels`.

    ``count`` is the total of samples, ``rounds`` the smaller number of rounds. A side with one
    round leaves no interval. It is a ratio of typical rounds, not a typical ratio. An interval that
    excludes 1 shows a difference between these sets of rounds, not its cause.

    Raises:
        ValueError: as `two_level`, or if either estimand is not positive.
    """
    check_confidence(confidence)
    sides = [reduce_rounds(rounds, statistic) for rounds in (rounds_a, rounds_b)]
    return ratio_of_levels(sides[0], sides[1], confidence).estimate


def t_interval(round_values: ArrayLike, confidence: float = 0.95) -> Estimate:
    """Return the mean of one value per round with Student's interval.

    value +- t(1 - a/2, n - 1) * s / sqrt(n) (Student 1908, "The probable error of a mean").
    ``round_values`` has shape (n,), one figure per round: a rate, a loss share, a CPU share.
    ``count`` and ``rounds`` of the result are both n. One round gives no interval.

    It is exact for independent normal values. For skewed values with few rounds it covers less
    than it says, most of it missing on the side of the long tail. It cannot see an influence
    that was the same in every round, such as one machine or one day.

    Raises:
        ValueError: if ``round_values`` is empty, not one-dimensional, or holds NaN or an
            infinity, or if ``confidence`` is not strictly between 0 and 1.
    """
    check_confidence(confidence)
    values = as_sample(round_values, "round_values")
    n = int(values.size)
    mean = float(values.mean())
    if n < 2:
        return Estimate(mean, None, None, None, count=n, rounds=n)
    error = float(values.std(ddof=1)) / sqrt(n)
    half = student_quantile(0.5 + confidence / 2.0, n - 1) * error
    return Estimate(mean, mean - half, mean + half, confidence, count=n, rounds=n)


def paired_ratio(a: ArrayLike, b: ArrayLike, confidence: float = 0.95) -> Estimate:
    """Return the median of ``a[i] / b[i]`` over interleaved pairs of rounds.

    ``a`` and ``b`` have the same shape (n,): entry i of each comes from neighbouring rounds, so
    that slow changes of the machine cancel in the ratio. The interval is computed by `typical` on
    the logs of the ratios and transformed back, so exchanging a and b inverts value and limits
    exactly (for an even number the median is the geometric mean of the middle two). ``count`` and
    ``rounds`` are both n. One pair gives no interval.

    It is a typical ratio, not the ratio of totals or of means, and an interval that excludes 1
    does not say which of the two systems a third workload would favour.

    Raises:
        ValueError: if the arrays differ in length, are empty, or hold NaN, an infinity or a
            value that is not positive; or if ``confidence`` is not strictly between 0 and 1.
    """
    return paired_change(a, b, confidence).estimate


# What campaigns of the same differ by, as part of a change between campaigns that were run apart.
#
# Rounds of one campaign share its session: the temperature, the other tenants, the layout of memory
# since the last boot. Two campaigns of the very same differ by that, and their rounds do not show
# it; several campaigns of the baseline do.


def with_sessions(
    within: Change, candidate: float, baselines: Sequence[float], confidence: float = 0.95
) -> Change:
    """Return ``within`` with the differences between sessions in its interval.

    ``baselines`` are the figure of each campaign of the baseline, ``candidate`` the figure of the
    one campaign of the candidate. The change is from the mean of the baselines, on logarithms where
    ``within`` is; its interval is for one further value of Student's distribution, of variance s**2
    (1 + 1/k) with k - 1 degrees of freedom for k campaigns of standard deviation s (Hahn & Meeker
    1991, "Statistical intervals", section 4.4). It takes the session of the candidate for one like
    the baseline's. It is never shorter than ``within``.

    Raises:
        ValueError: if there are fewer than two ``baselines``, a value on logarithms is not
            positive, or ``confidence`` is outside (0, 1).
    """
    check_confidence(confidence)
    if len(baselines) < 2:
        raise ValueError(f"needs two campaigns of the baseline, got {len(baselines)}")
    values = np.array([candidate, *baselines], dtype=np.float64)
    if within.log and values.min() <= 0.0:
        raise ValueError("a ratio needs values above 0")
    if within.log:
        values = np.log(values)
    count, of = len(baselines), within.estimate
    centre = float(values[0] - values[1:].mean())
    error = float(values[1:].std(ddof=1)) * sqrt(1.0 + 1.0 / count)
    floor = 0.0
    if of.low is not None and of.high is not None:
        low, high = (log(of.low), log(of.high)) if within.log else (of.low, of.high)
        floor = (high - low) / 2.0 / normal_quantile(0.5 + confidence / 2.0)
    return _change(
        centre,
        error,
        count - 1.0,
        floor,
        0.5,
        (of.count, of.rounds),
        confidence,
        log_scale=within.log,
    )
