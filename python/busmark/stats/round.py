"""One round in the two orders that statistics ask for."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import isqrt
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from busmark.stats._check import FloatArray, as_sample
from busmark.stats.ordered import Ordered


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
        """`batch_variances` of the series, which its mean and its effective size ask for."""
        if not self._own:
            self._own.append(batch_variances(self.series))
        return self._own[0]

    def hit_variances(self, value: float) -> tuple[float, float]:
        """`batch_variances` of the indicator "at or below ``value``", which several statistics of a
        percentile ask for."""
        found = self._hits.get(value)
        if found is None:
            found = self._hits[value] = batch_variances(self.series <= value)
        return found

    @classmethod
    def of(cls, x: ArrayLike | Round, name: str = "x") -> Round:
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
    """The variance of batch means times their length, and the variance of the samples."""
    n = series.size
    length = isqrt(n)
    batches = n // length
    whole = series[: batches * length].reshape(batches, length)
    if series.dtype == np.bool_:
        return _count_variance(whole) / length, _hit_variance(series)
    return float(whole.sum(axis=1).var(ddof=1)) / length, float(series.var(ddof=1))


def _count_variance(rows: np.ndarray[tuple[int, ...], np.dtype[np.bool_]]) -> float:
    """Variance of the number of hits in each row, with divisor rows - 1. Counts are whole numbers:
    their squares are summed exactly, without their mean."""
    counts = np.add.reduce(rows.view(np.uint8), axis=1, dtype=np.int64)
    n, total = int(counts.size), int(counts.sum())
    squares = int(np.einsum("i,i->", counts, counts))
    return (n * squares - total * total) / (n * (n - 1.0))


def _hit_variance(hits: np.ndarray[tuple[int, ...], np.dtype[np.bool_]]) -> float:
    """With divisor n - 1, by counting, which takes a tenth of the time."""
    count, n = int(np.count_nonzero(hits)), hits.size
    return count * (n - count) / (n * (n - 1.0))
