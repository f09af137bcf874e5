"""One round of possibly autocorrelated samples, and the variation of a statistic inside it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from math import isqrt
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from busmark.stats._scipy import (
    beta_quantiles,
    chi_square_quantile,
    normal_probabilities,
    normal_quantiles,
)
from busmark.stats.sample import FloatArray, Ordered, as_sample, rank


@dataclass(frozen=True, slots=True)
class Round:
    """A validated round: percentiles need its values sorted, autocorrelation as they came.

    Attributes:
        series: shape (n,), in time order.
        ordered: the same values.
    """

    series: FloatArray
    ordered: Ordered
    _hits: dict[float, tuple[float, float]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    _own: list[tuple[float, float]] = field(
        default_factory=list, init=False, repr=False, compare=False
    )

    def variances(self) -> tuple[float, float]:
        """Return `batch_variances` of the series, for its mean and its effective size."""
        if not self._own:
            self._own.append(batch_variances(self.series))
        return self._own[0]

    def hit_variances(self, value: float) -> tuple[float, float]:
        """Return `batch_variances` of the indicator "at or below ``value``", which several
        statistics of a percentile ask for."""
        found = self._hits.get(value)
        if found is None:
            found = self._hits[value] = batch_variances(self.series <= value)
        return found

    @classmethod
    def from_values(cls, x: ArrayLike | Round, name: str = "x") -> Round:
        """Validate and sort ``x``, in time order, unless that is done.

        Raises:
            ValueError: if ``x`` is empty, not one-dimensional, or holds NaN or an infinity.
        """
        if isinstance(x, Round):
            return x
        series = as_sample(x, name)
        return cls(series, Ordered(np.sort(series)))

    @property
    def count(self) -> int:
        """Number of samples."""
        return int(self.series.size)


def batch_variances(series: np.ndarray[tuple[int, ...], np.dtype[Any]]) -> tuple[float, float]:
    """Return the variance of batch means times their length, and the variance of the samples."""
    n = series.size
    length = isqrt(n)
    batches = n // length
    whole = series[: batches * length].reshape(batches, length)
    if series.dtype == np.bool_:
        return _count_variance(whole) / length, _hit_variance(series)
    return float(whole.sum(axis=1).var(ddof=1)) / length, float(series.var(ddof=1))


def _count_variance(rows: np.ndarray[tuple[int, ...], np.dtype[np.bool_]]) -> float:
    """Return the variance of the number of hits per row, with divisor rows - 1. Counts are whole
    numbers: their squares are summed exactly, without their mean."""
    counts = np.add.reduce(rows.view(np.uint8), axis=1, dtype=np.int64)
    n, total = int(counts.size), int(counts.sum())
    squares = int(np.einsum("i,i->", counts, counts))
    return (n * squares - total * total) / (n * (n - 1.0))


def _hit_variance(hits: np.ndarray[tuple[int, ...], np.dtype[np.bool_]]) -> float:
    """Compute the variance with divisor n - 1 by counting, in a tenth of the time."""
    count, n = int(np.count_nonzero(hits)), hits.size
    return count * (n - count) / (n * (n - 1.0))


Statistic = Literal["median", "mean"] | float
"""The median, the mean, or a percentile given as its number (99.9)."""

MIN_FOR_CORRELATION = 16
"""Below this there are fewer than four batches of four, too few to see autocorrelation."""


def evaluate(x: ArrayLike | Round, statistic: Statistic) -> float:
    """Return the statistic of one round.

    "median" averages the two middle values of an even sample, as `describe` does, and so does the
    50th percentile; any other, like `percentile`, is an observed value.

    Raises:
        ValueError: as `as_sample`, for an unknown name, or a percentile outside (0, 100).
    """
    whole = Round.from_values(x)
    if statistic == "median":
        return whole.ordered.median
    if statistic == "mean":
        return float(whole.series.mean())
    return whole.ordered.percentile(_percent(statistic))


def effective_sample_size(x: ArrayLike | Round) -> float:
    """Return the number of independent samples whose mean has the variance of the mean of ``x``.

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
    if isinstance(x, Round):
        n = x.count
        return float(n) if n < MIN_FOR_CORRELATION else _effective(n, *x.variances())
    series = np.asarray(x)
    if series.dtype != np.bool_ or series.ndim != 1 or series.size == 0:
        series = as_sample(x)
    n = series.size
    if n < MIN_FOR_CORRELATION:
        return float(n)
    return _effective(n, *batch_variances(series))


def effective_hits(x: Round, value: float) -> float:
    """Return `effective_sample_size` of the indicator "at or below ``value``" in a round."""
    if x.count < MIN_FOR_CORRELATION:
        return float(x.count)
    return _effective(x.count, *x.hit_variances(value))


def _effective(n: int, of_means: float, of_samples: float) -> float:
    return float(n) if of_means <= of_samples else n * of_samples / of_means


def tail_support(rounds: Sequence[Round], percent: float) -> float:
    """Return the independent samples by which the shortest of ``rounds`` knows a percentile.

    It is the count of that round over how much the variance of batch means of the indicator "at or
    below the percentile" exceeds the variance for independent samples, in all rounds together.
    Because that is known from some dozens of batches only, its lower 99 % limit is taken
    (chi-squared): a round is not said to know less than its count for a reason of chance.

    Raises:
        ValueError: if there are no rounds, or for a percentile outside (0, 100).
    """
    if not rounds:
        raise ValueError("rounds is empty")
    fewest = min(r.count for r in rounds)
    excess, batches = 0.0, 0
    for each in rounds:
        value = each.ordered.percentile(percent)
        if each.count < MIN_FOR_CORRELATION or value >= each.ordered.values[-1]:
            continue
        of_means, of_samples = each.hit_variances(value)
        freedom = each.count // isqrt(each.count) - 1
        excess += freedom * of_means / of_samples
        batches += freedom
    if not batches:
        return float(fewest)
    least = excess / chi_square_quantile(0.99, batches)
    return fewest / max(least, 1.0)


def inner_variance(x: ArrayLike | Round, statistic: Statistic) -> float:
    """Return the variance of the statistic of one round from the variation inside the round.

    As many independent samples are assumed as `effective_sample_size` finds in the round (for a
    percentile: in the indicator of exceeding it), because all n of an autocorrelated round would
    understate the variation. For a mean it is s**2 / m. For a percentile it is the mean square by
    which a resampled one differs from it; nothing is drawn for that. The unit is the square of the
    unit of ``x``.

    Raises:
        ValueError: as `evaluate`.
    """
    whole = Round.from_values(x)
    if statistic == "mean":
        if whole.count < 2:
            return 0.0
        return whole.variances()[1] / effective_sample_size(whole)
    return _order_variance(whole, _percent(statistic))


BLOCKS = 8


def block_variance(
    x: ArrayLike, statistic: Statistic, *, fewest: int = MIN_FOR_CORRELATION
) -> float | None:
    """Return the variance of the statistic of one round from `BLOCKS` parts of it.

    It is the variance of theirs over their number, as of a mean. It knows less than
    `inner_variance`, for it has 7 degrees of freedom, but sees dependence that reaches further, up
    to an eighth of the round; a trend within the round is in it, too. None where a part has less
    than ``fewest`` of ``x``.

    Raises:
        ValueError: as `evaluate`.
    """
    series = as_sample(x)
    length = series.size // BLOCKS
    if length < fewest:
        return None
    parts = series[: length * BLOCKS].reshape(BLOCKS, length)
    return float(np.var([evaluate(part, statistic) for part in parts], ddof=1)) / BLOCKS


def _order_variance(x: Round, percent: float) -> float:
    """Return the variance of a resampled percentile, without resampling.

    The k-th smallest of n draws with replacement is x_(ceil(n U)) with U the k-th smallest of n
    uniform variates, and U ~ Beta(k, n - k + 1). That is exact (Maritz & Jarrett 1978, "A note on
    estimating the variance of the sample median", JASA 73). Scaling both parameters by m/n keeps
    the mean of U and gives it the variance that m independent samples would have.
    """
    n, values = x.count, x.ordered.values
    k = rank(percent, n)
    value = values[k - 1]
    shrink = effective_hits(x, value) / n
    uniform = beta_midpoints(k * shrink, (n - k + 1) * shrink)
    index = np.clip(np.ceil(uniform * n).astype(np.int64) - 1, 0, n - 1)
    return float(np.mean((values[index] - value) ** 2))


def _percent(statistic: Statistic) -> float:
    """Translate a statistic other than the mean to a percentile."""
    if statistic == "median":
        return 50.0
    if isinstance(statistic, str):
        raise ValueError(f"statistic must be 'median', 'mean' or a percentile, got {statistic!r}")
    return float(statistic)


# The inverse of the incomplete beta function takes some microseconds, and an inner variance asks
# for `POINTS` of them. As a function of the standard normal quantile of the same probability it is
# so smooth (Cornish & Fisher 1937), unless a parameter is small, that a polynomial through a tenth
# of the points is as exact as the numbers are; a test holds the two against each other. It is
# evaluated by the barycentric formula (Berrut & Trefethen 2004, "Barycentric Lagrange
# interpolation", SIAM Review 46(3)), which is one product of a constant matrix.

POINTS = 500
"""Points at which the distribution is evaluated."""

MIDPOINTS = (np.arange(POINTS) + 0.5) / POINTS

NODES = 24
"""Nodes of the polynomial."""

SMOOTH = 8.0
"""The least parameter from which on it will do."""


def beta_midpoints(a: float, b: float) -> FloatArray:
    """Return the quantiles at `MIDPOINTS` of the beta distribution with parameters ``a``, ``b``."""
    if min(a, b) < SMOOTH:
        return beta_quantiles(MIDPOINTS, a, b)
    probabilities, weights = _polynomial()
    # Not by `@`: for so small a product libraries of linear algebra start threads.
    result: FloatArray = np.einsum("ij,j->i", weights, beta_quantiles(probabilities, a, b))
    return result


@cache
def _polynomial() -> tuple[FloatArray, FloatArray]:
    """Return node probabilities, shape (nodes,), and the weight of each in each midpoint, shape
    (midpoints, nodes). Nodes are Chebyshev's of the second kind, so the ends are two of them."""
    at = normal_quantiles(MIDPOINTS)
    nodes = at[-1] * np.cos(np.pi * np.arange(NODES - 1, -1, -1) / (NODES - 1))
    nodes[0], nodes[-1] = at[0], at[-1]
    signs = np.where(np.arange(NODES) % 2, -1.0, 1.0)
    signs[[0, -1]] /= 2.0
    gaps = at[1:-1, np.newaxis] - nodes
    weights = np.zeros((POINTS, NODES))
    weights[1:-1] = signs / gaps
    weights[1:-1] /= weights[1:-1].sum(axis=1, keepdims=True)
    weights[0, 0] = weights[-1, -1] = 1.0
    return normal_probabilities(nodes), weights
