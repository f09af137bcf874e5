"""Figures of the best part of a sample, as suites of the 2000s printed them."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike, NDArray

from busmark.stats._check import FloatArray, as_sample, narrowed
from busmark.stats.ordered import Ordered

Values = FloatArray | NDArray[np.int32]

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


@dataclass(frozen=True, slots=True)
class _Part:
    """The smallest ``count`` values: mean and sum of squared differences from it."""

    count: int
    mean: float
    squares: float


def best(x: ArrayLike | Ordered, shares: Sequence[float] = BEST) -> tuple[Best, ...]:
    """Describe the best, that is smallest, ``shares`` per cent of ``x``.

    The best p per cent of n values are the n p / 100 smallest, rounded down, as the suite counted
    them, but at least one. They show how far a few values decide mean and
    deviation. They are not robust estimates of anything: what is left out was chosen by its size.

    Values that are not sorted yet are not sorted here either: they are parted at each share, whole
    numbers as 32 bits where they fit, which takes half the time. Every value is summed once, and
    means and squares of neighbouring parts are merged (Chan, Golub and LeVeque, Am. Stat. 37,
    1983).

    Raises:
        ValueError: if ``x`` is empty, not one-dimensional, or holds NaN or an infinity, or if a
            share is not above 0 and at most 100.
    """
    sample = x.values if isinstance(x, Ordered) else _sample(x)
    counts = [_count(percent, sample.size) for percent in shares]
    ends = sorted(set(counts))
    values = sample if isinstance(x, Ordered) else _parted(sample, ends)
    # Squares are summed of distances from a value of the smallest part: no part is so narrow, and
    # so far from it, that their difference would lose more digits than the summing itself.
    centre = float(values[ends[0] - 1])
    apart: FloatArray = np.subtract(values, centre, dtype=np.float64)
    whole, parts = _Part(0, 0.0, 0.0), {}
    for begin, end in zip([0, *ends], ends, strict=False):
        whole = parts[end] = _merged(whole, _summed(apart[begin:end]))
    least = float(values.min())

    def described(percent: float, count: int) -> Best:
        part, greatest = parts[count], float(values[count - 1])
        std = float(np.sqrt(part.squares / (count - 1))) if count > 1 else None
        return Best(percent, count, least, centre + part.mean, greatest, std)

    return tuple(described(p, count) for p, count in zip(shares, counts, strict=True))


def _sample(x: ArrayLike) -> Values:
    found = narrowed(np.asarray(x))
    return found if found.ndim == 1 and found.dtype == np.int32 and found.size else as_sample(found)


def _count(percent: float, size: int) -> int:
    """Whole values in a share, at least one. Exact: 99.9 is 999 thousandths, not a bit less."""
    if not 0 < percent <= 100:
        raise ValueError(f"a share must be above 0 and at most 100, not {percent}")
    return max(1, int(size * Fraction(str(percent)) / 100))


def _parted(values: Values, ends: Sequence[int]) -> Values:
    """The values, of which the smallest of each of these counts come first, the greatest of them
    last. One after the other: numpy finds a single place several times faster than many."""
    parted = values.copy()
    begin = 0
    for end in ends:
        parted[begin:].partition(end - 1 - begin)
        begin = end
    return parted


def _summed(apart: FloatArray) -> _Part:
    """Sums of distances from the centre."""
    count = apart.size
    mean = float(apart.sum()) / count
    squares = float(np.einsum("i,i->", apart, apart)) - count * mean * mean
    return _Part(count, mean, max(0.0, squares))


def _merged(smaller: _Part, greater: _Part) -> _Part:
    """Both together."""
    total, gap = smaller.count + greater.count, greater.mean - smaller.mean
    between = gap * gap * smaller.count * greater.count / total
    return _Part(
        count=total,
        mean=smaller.mean + gap * greater.count / total,
        squares=smaller.squares + greater.squares + between,
    )
