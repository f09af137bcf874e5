"""Figures of the best part of a sample, as suites of the 2000s printed them."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from busmark.stats.ordered import Ordered
from busmark.stats.percentiles import rank

BEST = (100.0, 99.9, 99.0, 90.0)
"""Shares in the tables of the OpenSplice test suite."""


@dataclass(frozen=True, slots=True)
class Best:
    """The smallest ``percent`` per cent of a sample.

    Attributes:
        percent: share, 100 for all.
        count: values in it.
        minimum, mean, maximum: of these.
        std: with divisor count - 1; None for a single value.
    """

    percent: float
    count: int
    minimum: float
    mean: float
    maximum: float
    std: float | None


def best(x: ArrayLike | Ordered, shares: Sequence[float] = BEST) -> tuple[Best, ...]:
    """Describe the best, that is smallest, ``shares`` per cent of ``x``.

    The best p per cent of n values are the ceil(n p / 100) smallest, so that their greatest is
    the percentile p as `percentile` gives it. They show how far a few values decide mean and
    deviation. They are not robust estimates of anything: what is left out was chosen by its size.

    Raises:
        ValueError: if ``x`` is empty, not one-dimensional, or holds NaN or an infinity, or if a
            share is not above 0 and at most 100.
    """
    values = Ordered.of(x).values

    def part(percent: float) -> Best:
        count = values.size if percent == 100.0 else rank(percent, values.size)
        kept = values[:count]
        mean = float(kept.mean())
        std = float(np.sqrt(np.square(kept - mean).sum() / (count - 1))) if count > 1 else None
        return Best(percent, int(count), float(kept[0]), mean, float(kept[-1]), std)

    return tuple(part(percent) for percent in shares)
