"""One round in the two orders that statistics ask for."""

from __future__ import annotations

from dataclasses import dataclass

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
