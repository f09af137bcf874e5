"""A sample that is sorted once and handed on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from busmark.stats._check import FloatArray, as_sample, narrowed
from busmark.stats._rank import rank


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
    def of(cls, x: ArrayLike | Ordered) -> Ordered:
        """Sort ``x``, unless it is sorted already.

        Raises:
            ValueError: if ``x`` is empty, not one-dimensional, or holds NaN or an infinity.
        """
        return x if isinstance(x, Ordered) else cls(np.sort(as_sample(x)))

    @classmethod
    def merged(cls, parts: Sequence[Ordered]) -> Ordered:
        """All values of several samples.

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
        """The observed value of rank ceil(n * percent / 100); for 50 it is `median`.

        Raises:
            ValueError: if ``percent`` is not strictly between 0 and 100.
        """
        return self.median if percent == 50.0 else float(self.values[rank(percent, self.count) - 1])

    def scaled(self, factor: float) -> Ordered:
        """The sample of every value times ``factor``.

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
    """Median of each row of ``x``, shape (..., n) with n >= 1, which holds no NaN."""
    n = x.shape[-1]
    middle = n // 2
    parted = np.partition(narrowed(x), middle, axis=-1)
    upper = np.asarray(parted[..., middle], dtype=x.dtype)
    lower = upper if n % 2 else np.asarray(parted[..., :middle].max(axis=-1), dtype=x.dtype)
    found: FloatArray = np.asarray((lower + upper) / 2.0, dtype=np.float64)
    return found
