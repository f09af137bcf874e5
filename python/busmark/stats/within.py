"""Variation of a statistic inside one round of possibly autocorrelated samples."""

from math import isqrt, sqrt
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from busmark.stats._check import FloatArray, as_sample
from busmark.stats.percentiles import rank
from busmark.stats.round import Round

Statistic = Literal["median", "mean"] | float
"""The median, the mean, or a percentile given as its number (99.9)."""

MIN_FOR_CORRELATION = 16
"""Below this there are fewer than four batches of four, too few to see autocorrelation."""

NORMAL_MEAN_FROM = 1000
"""Samples from which the mean is taken as normal instead of being resampled."""


def evaluate(x: ArrayLike | Round, statistic: Statistic) -> float:
    """Return the statistic of one round.

    "median" averages the two middle values of an even sample, as `describe` does; a number is
    a percentile and, like `percentile`, always an observed value.

    Raises:
        ValueError: as `as_sample`, for an unknown name, or a percentile outside (0, 100).
    """
    whole = Round.of(x)
    if statistic == "median":
        return whole.ordered.median
    if statistic == "mean":
        return float(whole.series.mean())
    return float(whole.ordered.values[rank(_percent(statistic), whole.count) - 1])


def effective_sample_size(x: ArrayLike) -> float:
    """Return the number of independent samples whose mean varies as that of the series ``x``.

    Batch means with batches of length b = floor(sqrt(n)): the variance of the mean is s_b**2/a
    over a batches, and the result is n * s**2 / (b * s_b**2) (Flegal & Jones 2010, "Batch means
    and spectral variance estimators in Markov chain Monte Carlo", Annals of Statistics 38(2)),
    which takes linear time. ``x`` must be in time order.

    The result never exceeds n: a gain from negative autocorrelation is not credited. A series
    under 16 samples, or one that does not vary, returns n. Dependence that reaches further than
    one batch is not seen in full, so the result is then too large.

    Raises:
        ValueError: if ``x`` is empty, not one-dimensional, or holds NaN or an infinity.
    """
    series = np.asarray(x)
    if series.dtype != np.bool_ or series.ndim != 1 or series.size == 0:
        series = as_sample(x)
    n = series.size
    if n < MIN_FOR_CORRELATION:
        return float(n)
    length = isqrt(n)
    batches = n // length
    sums = series[: batches * length].reshape(batches, length).sum(axis=1)
    of_means = float(sums.var(ddof=1)) / length
    of_samples = _variance(series)
    if of_means <= of_samples:
        return float(n)
    return n * of_samples / of_means


def _variance(series: np.ndarray[tuple[int, ...], np.dtype[Any]]) -> float:
    """With divisor n - 1; of truth values by counting them, which takes a tenth of the time."""
    if series.dtype != np.bool_:
        return float(series.var(ddof=1))
    hits, n = int(np.count_nonzero(series)), series.size
    return hits * (n - hits) / (n * (n - 1.0))


def resampled_deviations(
    x: ArrayLike | Round, statistic: Statistic, size: int, rng: np.random.Generator
) -> FloatArray:
    """Draw ``size`` deviations of the resampled statistic from its value in ``x``.

    Resampling draws as many samples as `effective_sample_size`
    finds in the round (for a percentile: in the indicator of exceeding it), because resampling
    all n of an autocorrelated round would understate the variation.

    Raises:
        ValueError: as `evaluate`.
    """
    whole = Round.of(x)
    if statistic == "mean":
        return _mean_deviations(whole.series, size, rng)
    return _order_deviations(whole, _percent(statistic), size, rng)


def _order_deviations(x: Round, percent: float, size: int, rng: np.random.Generator) -> FloatArray:
    """Deviations of a resampled percentile, without resampling.

    The k-th smallest of n draws with replacement is x_(ceil(n U)) with U the k-th smallest of n
    uniform variates, and U ~ Beta(k, n - k + 1). That is exact. Scaling both parameters by m/n
    keeps the mean of U and gives it the variance that m independent samples would have.
    """
    n, values = x.count, x.ordered.values
    k = rank(percent, n)
    value = values[k - 1]
    shrink = effective_sample_size(x.series <= value) / n
    uniform = rng.beta(k * shrink, (n - k + 1) * shrink, size)
    index = np.clip(np.ceil(uniform * n).astype(np.int64) - 1, 0, n - 1)
    deviations: FloatArray = values[index] - value
    return deviations


def _mean_deviations(x: FloatArray, size: int, rng: np.random.Generator) -> FloatArray:
    """Deviations of a resampled mean: normal for a long round, resampled for a short one."""
    n = x.size
    effective = effective_sample_size(x)
    if n >= NORMAL_MEAN_FROM:
        return rng.normal(0.0, float(x.std(ddof=1)) / sqrt(effective), size)
    draws = rng.integers(0, n, (size, max(1, round(effective))), dtype=np.int32)
    deviations: FloatArray = x[draws].mean(axis=1) - x.mean()
    return deviations


def _percent(statistic: Statistic) -> float:
    """Translate a statistic other than the mean to a percentile."""
    if statistic == "median":
        return 50.0
    if isinstance(statistic, str):
        raise ValueError(f"statistic must be 'median', 'mean' or a percentile, got {statistic!r}")
    return float(statistic)
