"""Percentiles as observed values, and their distribution-free intervals.

The 50th is the median, of which there is one definition everywhere: of an even number of samples
the mean of the two middle ones, which need not be an observed value.
"""

from collections.abc import Sequence
from decimal import Decimal
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike

from busmark.stats._check import FloatArray, as_sample, check_confidence
from busmark.stats._rank import check_percent, rank
from busmark.stats._scipy import binomial_quantile
from busmark.stats.estimate import Estimate
from busmark.stats.ordered import Ordered

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
    ordered = Ordered.of(x)
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
    known = Ordered.of(x)
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
    values = Ordered.of(x).values
    wanted = as_sample(percents, "percents")
    if wanted.min() < 0.0 or wanted.max() > 100.0:
        raise ValueError("percents must lie between 0 and 100")
    ends = {0.0: 1, 100.0: int(values.size)}
    ranks = [ends[p] if p in ends else rank(p, values.size) for p in wanted.tolist()]
    result: FloatArray = values[np.array(ranks) - 1]
    return result
