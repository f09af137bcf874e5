"""Samples: validated, ranked, sorted once and handed on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, Decimal
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

FloatArray = NDArray[np.float64]


def as_sample(x: ArrayLike, name: str = "x") -> FloatArray:
    """Return ``x`` as a one-dimensional, non-empty, finite float array.

    A missing or infinite measurement has no place in an estimate; dropping it silently would
    change the population being described, so it is refused instead.

    Raises:
        ValueError: if ``x`` is not one-dimensional, is empty, or holds NaN or an infinity.
    """
    sample = np.asarray(x, dtype=np.float64)
    if sample.ndim != 1:
        raise ValueError(f"{name} must be one-dimensional, got {sample.ndim} dimensions")
    if sample.size == 0:
        raise ValueError(f"{name} is empty")
    # One pass without a temporary array: a sum is finite unless a member is not, and only the
    # rare overflow of a sum of finite members needs the element-wise check.
    with np.errstate(over="ignore", invalid="ignore"):
        total = sample.sum()
    if not np.isfinite(total) and not np.isfinite(sample).all():
        raise ValueError(f"{name} holds NaN or an infinite value")
    return sample


def as_positive(x: ArrayLike, name: str = "x") -> FloatArray:
    """Return ``x`` as `as_sample` does, and require every value to be above zero.

    Raises:
        ValueError: as `as_sample`, or if a value is zero or negative.
    """
    sample = as_sample(x, name)
    if sample.min() <= 0.0:
        raise ValueError(f"{name} must be positive: a value of zero or below has no logarithm")
    return sample


def check_confidence(confidence: float) -> None:
    """Require a confidence level strictly between 0 and 1.

    Raises:
        ValueError: if it is not.
    """
    if not 0.0 < confidence < 1.0:
        raise ValueError(f"confidence must lie strictly between 0 and 1, got {confidence}")


def narrowed(x: NDArray[Any]) -> NDArray[Any]:
    """Return whole numbers in 32 bits where they fit, which are parted in half the time; anything
    else is returned unchanged."""
    if x.dtype != np.int64 or not x.size:
        return x
    limits = np.iinfo(np.int32)
    return x.astype(np.int32) if limits.min <= x.min() and x.max() <= limits.max else x


@lru_cache(maxsize=16384)
def rank(percent: float, count: int) -> int:
    """Return the rank (1-based) of the ``percent`` percentile of ``count`` samples.

    The rank is ceil(count * percent / 100), computed in decimal: in binary, 99.9 / 100 * 1000
    lies just above 999 and its ceiling would be one rank too high.

    Raises:
        ValueError: if ``percent`` is not strictly between 0 and 100, or ``count`` < 1.
    """
    check_percent(percent)
    if count < 1:
        raise ValueError(f"count must be at least 1, got {count}")
    exact = Decimal(repr(float(percent))) * count / 100
    return int(exact.to_integral_value(rounding=ROUND_CEILING))


def check_percent(percent: float) -> None:
    if not 0.0 < percent < 100.0:
        raise ValueError(f"percent must lie strictly between 0 and 100, got {percent}")


def average_ranks(x: FloatArray) -> FloatArray:
    """Return ranks from 1; equal values have the mean of their ranks."""
    _, place, counts = np.unique(x, return_inverse=True, return_counts=True)
    ranks: FloatArray = (np.cumsum(counts) - (counts - 1) / 2.0)[place]
    return ranks


@dataclass(frozen=True, slots=True)
class Ordered:
    """A validated sample in rising order.

    Sorting is most of what a percentile, a histogram or a density costs. Functions that take
    ``ArrayLike | Ordered`` sort the one and use the other directly.

    Attributes:
        values: shape (n,), n >= 1, finite, rising.
    """

    values: FloatArray

    @classmethod
    def from_values(cls, x: ArrayLike | Ordered) -> Ordered:
        """Sort ``x``, unless it is sorted already.

        Raises:
            ValueError: if ``x`` is empty, not one-dimensional, or holds NaN or an infinity.
        """
        return x if isinstance(x, Ordered) else cls(np.sort(as_sample(x)))

    @classmethod
    def merged(cls, parts: Sequence[Ordered]) -> Ordered:
        """Merge all values of several samples.

        Raises:
            ValueError: if there are none.
        """
        if not parts:
            raise ValueError("parts is empty")
        if len(parts) == 1:
            return parts[0]
        # A sort that finds the runs merges them, which takes a third of the time.
        return cls(np.sort(np.concatenate([p.values for p in parts]), kind="stable"))

    @property
    def count(self) -> int:
        """Number of values."""
        return int(self.values.size)

    @property
    def median(self) -> float:
        """Middle value; the mean of the two middle ones of an even number."""
        return float(self.values[(self.count - 1) // 2] + self.values[self.count // 2]) / 2.0

    def percentile(self, percent: float) -> float:
        """Return the observed value of rank ceil(n * percent / 100); for 50 it is `median`.

        Raises:
            ValueError: if ``percent`` is not strictly between 0 and 100.
        """
        return self.median if percent == 50.0 else float(self.values[rank(percent, self.count) - 1])

    def scaled(self, factor: float) -> Ordered:
        """Return the sample of every value times ``factor``.

        Raises:
            ValueError: if ``factor`` is not positive.
        """
        if factor <= 0.0:
            raise ValueError(f"factor must be positive, got {factor}")
        return Ordered(self.values * factor)


# `numpy.median` asks for both middle values at once, and for the greatest, to find NaN: for several
# places numpy has no vector instructions. Here one place is found, and the other is the greatest of
# what lies before it.


def medians(x: NDArray[np.float64] | NDArray[np.int64]) -> FloatArray:
    """Return the median of each row of ``x``, shape (..., n) with n >= 1, which holds no NaN."""
    n = x.shape[-1]
    middle = n // 2
    parted = np.partition(narrowed(x), middle, axis=-1)
    upper = np.asarray(parted[..., middle], dtype=x.dtype)
    lower = upper if n % 2 else np.asarray(parted[..., :middle].max(axis=-1), dtype=x.dtype)
    found: FloatArray = np.asarray((lower + upper) / 2.0, dtype=np.float64)
    return found
