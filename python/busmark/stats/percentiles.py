"""Percentiles as observed values, and their distribution-free intervals.

The 50th is the median, of which there is one definition everywhere: of an even number of samples
the mean of the two middle ones, which need not be an observed value.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from functools import lru_cache
from math import sqrt
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from busmark.stats._scipy import (
    beta_quantile,
    binomial_quantile,
    chi_square_quantile,
    student_quantile,
)
from busmark.stats.intervals import Estimate
from busmark.stats.rounds import Round, Statistic, effective_hits, evaluate
from busmark.stats.sample import (
    FloatArray,
    Ordered,
    as_sample,
    check_confidence,
    check_percent,
    rank,
)

LADDER: tuple[float, ...] = (50.0, 75.0, 90.0, 95.0, 99.0, 99.9, 99.99, 99.999, 99.9999)
"""Percentiles a report may show, each only where `supported` allows it."""

MIN_BEYOND = 10
"""Fewest samples expected beyond a percentile for it to be reported.

The number beyond a percentile is close to Poisson in the tail, so with m expected its relative
standard error is about 1/sqrt(m). Ten gives about 32 %: the probability attached to the
reported value is then known to about a third. With one sample expected beyond, the figure is in
effect the largest value seen and its probability is hardly known at all.
"""


@lru_cache(maxsize=4096)
def supported(percent: float, count: float) -> bool:
    """Say whether ``count`` samples support a percentile.

    True when at least `MIN_BEYOND` samples are expected on each side of it: the median needs
    20 samples, the 99th percentile 1000, the 99.9999th ten million. Autocorrelated samples
    carry less information than their number: of them ``count`` is what `tail_support` gives.

    Raises:
        ValueError: if ``percent`` is not strictly between 0 and 100, or ``count`` < 0.
    """
    check_percent(percent)
    if count < 0:
        raise ValueError(f"count must not be negative, got {count}")
    share = Decimal(repr(float(percent))) / 100
    return Decimal(repr(float(count))) * min(share, 1 - share) >= MIN_BEYOND


def percentile(x: ArrayLike, percent: float) -> float:
    """Return the percentile of ``x`` as an observed value.

    This is the inverse of the empirical distribution function, definition 1 of Hyndman & Fan
    (1996), "Sample quantiles in statistical packages": the smallest sample with at least
    ``percent`` per cent of all samples at or below it. Nothing is interpolated, so the result
    is a latency that occurred. It does not check `supported`.

    Raises:
        ValueError: if ``x`` is empty, not one-dimensional or holds NaN or an infinity, or if
            ``percent`` is not strictly between 0 and 100.
    """
    sample = as_sample(x)
    if percent == 50.0:
        return float(np.median(sample))
    position = rank(percent, sample.size) - 1
    return float(np.partition(sample, position)[position])


def percentiles(
    x: ArrayLike | Ordered, ladder: Sequence[float] = LADDER
) -> dict[float, float | None]:
    """Return the percentiles of ``ladder``, None for each that ``x`` does not support.

    Definitions: see `percentile` and `supported`. The keys keep the ladder's order.

    Raises:
        ValueError: as `percentile`.
    """
    ordered = Ordered.from_values(x)
    return {p: ordered.percentile(p) if supported(p, ordered.count) else None for p in ladder}


def percentile_interval(
    x: ArrayLike | Ordered, percent: float, confidence: float = 0.95
) -> Estimate:
    """Return a percentile with its distribution-free confidence interval.

    The limits are the order statistics x_(l) and x_(u) with P(K < l) <= a/2 and
    P(K >= u) <= a/2, where K ~ Binomial(n, percent/100) counts the samples below the true
    percentile and a = 1 - confidence (David & Nagaraja 2003, "Order Statistics", section 7.1).
    Whatever the distribution, coverage is at least ``confidence``. Where the sample is too
    small for either rank to exist, there is no interval.

    It holds for independent, identically distributed samples only. Consecutive latencies of
    one run rarely are, and the interval of one run says nothing about the next run; use
    `two_level` over several rounds for that.

    Raises:
        ValueError: as `percentile`, or if ``confidence`` is not strictly between 0 and 1.
    """
    check_confidence(confidence)
    known = Ordered.from_values(x)
    n, ordered, value = known.count, known.values, known.percentile(percent)
    tail = (1.0 - confidence) / 2.0
    lower = binomial_quantile(tail, n, percent / 100.0)
    upper = binomial_quantile(1.0 - tail, n, percent / 100.0) + 1
    if lower < 1 or upper > n:
        return Estimate(value, None, None, None, count=n, rounds=1)
    low, high = float(ordered[lower - 1]), float(ordered[upper - 1])
    return Estimate(value, low, high, confidence, count=n, rounds=1)


def quantiles(x: ArrayLike | Ordered, percents: ArrayLike) -> FloatArray:
    """Return the quantile function of ``x`` at ``percents``, shape (m,), as observed values.

    Definition 1 of Hyndman & Fan as in `percentile`; 0 is the smallest value, 100 the largest.
    Turned round, it is the empirical distribution function. It does not check `supported`.

    Raises:
        ValueError: as `percentile`, but 0 and 100 are allowed.
    """
    values = Ordered.from_values(x).values
    wanted = as_sample(percents, "percents")
    if wanted.min() < 0.0 or wanted.max() > 100.0:
        raise ValueError("percents must lie between 0 and 100")
    ends = {0.0: 1, 100.0: int(values.size)}
    ranks = [ends[p] if p in ends else rank(p, values.size) for p in wanted.tolist()]
    result: FloatArray = values[np.array(ranks) - 1]
    return result


# Percentiles of what was sent, where some of it never came back.
#
# A lost sample is later than any that came back. So it counts in the rank of every percentile; a
# percentile whose rank falls among the lost has no value.


def among_lost(statistic: Statistic, back: int, lost: int) -> bool:
    """Return whether the statistic of ``back`` samples and ``lost`` ones falls among the lost.

    The mean does not: it can only cover what came back.

    Raises:
        ValueError: if a count is negative, or both are zero.
    """
    if min(back, lost) < 0 or back + lost == 0:
        raise ValueError(f"counts must not be negative, and one above 0: got {back} and {lost}")
    if statistic == "mean":
        return back == 0
    sent = back + lost
    if statistic in ("median", 50.0):
        # The mean of the two middle values of an even number: both must be known.
        return sent // 2 + 1 > back
    return rank(float(statistic), sent) > back


def of_sent(back: ArrayLike | Ordered, lost: int, statistic: Statistic) -> float | Literal["lost"]:
    """Return the statistic of ``back`` and ``lost`` samples that are later than all of them; "lost"
    where it falls among these.

    Raises:
        ValueError: as `evaluate` and `among_lost`.
    """
    values = back.values if isinstance(back, Ordered) else np.asarray(back, dtype=np.float64)
    if among_lost(statistic, int(values.size), lost):
        return "lost"
    if lost and statistic != "mean":
        values = np.concatenate((values, np.full(lost, values.max())))
    # With the lost behind them values that were in order still are.
    return evaluate(
        Round(values, Ordered(values)) if isinstance(back, Ordered) else values, statistic
    )


def with_lost(
    start: FloatArray, back: FloatArray, lost_start: FloatArray, stand_in: float
) -> FloatArray:
    """Put ``back`` and the lost in order of sending, ``stand_in`` in the place of each lost one.

    Percentiles that do not fall among the lost (`among_lost`) describe what was sent, whatever the
    stand-in is, as long as no value is above it; and what depends on the order, as the effective
    sample size does, sees when samples were lost. If nothing says when they were sent (NaN), the
    lost are last.
    """
    if not lost_start.size:
        return back
    values = np.concatenate((back, np.full(lost_start.size, stand_in)))
    order = np.argsort(np.concatenate((start, lost_start)), kind="stable")
    ordered: FloatArray = values[order]
    return ordered


# Percentiles of all rounds together, with an interval that respects the rounds.
#
# The interval is Woodruff's (1952, "Confidence intervals for medians and other position measures",
# JASA 47): limits for the share of samples at or below the percentile, read off the pooled
# distribution. Those limits are the ones of Clopper & Pearson for clustered counts (Korn & Graubard
# 1998, "Confidence intervals for proportions with small expected number of positive counts", Survey
# Methodology 24), of an effective sample size: the one of the variance of the pooled share, times
# (t(n-1) / t(rounds-1))**2 for few rounds. Nothing is assumed of the distribution.
#
# As in `two_level`, the variance has two levels, between the rounds' shares and inside the rounds,
# and the interval is never shorter than the variation inside the rounds alone implies.


def pooled_percentile(
    rounds: Sequence[Round], pooled: Ordered, percent: float, confidence: float = 0.95
) -> Estimate:
    """Return a percentile of ``pooled``, which is all ``rounds`` merged.

    A limit beyond the largest or smallest sample is not known: then there is no interval. Nor is
    there one where rounds differ so much in the tail that one or two of them decide the percentile:
    no method knows a mixture of many rounds from so few. One round gives none. `two_level` is of
    a typical round, this of all samples; the two values differ.

    Raises:
        ValueError: if ``rounds`` is empty or does not add up to ``pooled``, if ``percent`` is not
            strictly between 0 and 100, or ``confidence`` not between 0 and 1.
    """
    check_confidence(confidence)
    n, values = pooled.count, pooled.values
    if sum(r.count for r in rounds) != n:
        raise ValueError(f"rounds hold {sum(r.count for r in rounds)} samples, pooled holds {n}")
    value = pooled.percentile(percent)
    none = Estimate(value, None, None, None, n, len(rounds))
    if len(rounds) < 2:
        return none
    share, tail = percent / 100.0, (1.0 - confidence) / 2.0
    between, inside = _variances(rounds, value)
    if _skewed(between, inside, len(rounds), share):
        return none
    effective = float(n)
    if between > 0.0:
        level = 1.0 - tail
        price = student_quantile(level, n - 1.0) / student_quantile(level, len(rounds) - 1.0)
        effective = min(effective, share * (1.0 - share) / between * price**2)
    if inside > 0.0:
        effective = min(effective, share * (1.0 - share) / inside)
    # So few that all of them may well lie on one side: that limit is beyond the data.
    if max(share, 1.0 - share) ** effective > tail:
        return none
    hits = share * effective
    low = beta_quantile(tail, hits, effective - hits + 1.0)
    high = beta_quantile(1.0 - tail, hits + 1.0, effective - hits)
    first, last = (min(max(int(np.ceil(limit * n)), 1), n) - 1 for limit in (low, high))
    low_value, high_value = min(float(values[first]), value), max(float(values[last]), value)
    return Estimate(value, low_value, high_value, confidence, n, len(rounds))


def _variances(rounds: Sequence[Round], value: float) -> tuple[float, float]:
    """Return variances of the pooled share at or below ``value``: from how the rounds' shares
    differ (as of a ratio of totals), and from the variation inside the rounds, whose samples are
    autocorrelated."""
    sizes = np.array([r.count for r in rounds], dtype=np.float64)
    hits = np.array([np.searchsorted(r.ordered.values, value, side="right") for r in rounds])
    total, shares = float(sizes.sum()), hits / sizes
    residuals = hits - sizes * (float(hits.sum()) / total)
    n = len(rounds)
    between = n / (n - 1) * float(np.square(residuals).sum()) / total**2
    effective = np.array([effective_hits(r, value) for r in rounds])
    inside = float((np.square(sizes / total) * shares * (1.0 - shares) / effective).sum())
    return between, inside


def _skewed(between: float, inside: float, rounds: int, share: float) -> bool:
    """Return whether the rounds' shares beyond a percentile are too skewed for Student's t.

    Cochran (1977, "Sampling Techniques", section 2.15) asks for n > 25 G1**2 values of skewness G1.
    Few shares do not reveal their skewness, but their spread does: shares t whose logits are
    normal, with a small coefficient of variation c, have G1 = 3 c (1 - 2 t). The lower 95 % limit
    of c is taken, so that intervals are not given where c came out small and withheld where it came
    out large; and without what is within rounds, whose skewness is in the binomial limits.
    """
    least = between * (rounds - 1) / chi_square_quantile(0.95, rounds - 1.0) - inside
    if least <= 0.0:
        return False
    smaller = min(share, 1.0 - share)
    spread = sqrt(least * rounds) / smaller
    return rounds <= 25.0 * (3.0 * spread * (1.0 - 2.0 * smaller)) ** 2
