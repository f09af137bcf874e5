"""Figures of the best part of a sample, as suites of the 2000s printed them."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from busmark.stats._check import FloatArray, as_sample
from busmark.stats.ordered import Ordered
from busmark.stats.percentiles import rank

BEST = (100.0, 99.9, 99.0, 90.0)
"""Shares in the tables of the OpenSplice test suite."""

GUESSED_FROM = 1000
"""Values from which a percentile is guessed."""

MARGIN = 0.05
"""By which the guess is lower: five times the standard error that it has there."""


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

    The best p per cent of n values are the ceil(n p / 100) smallest, so that their greatest is
    the percentile p as `percentile` gives it. They show how far a few values decide mean and
    deviation. They are not robust estimates of anything: what is left out was chosen by its size.

    Values that are not sorted yet are not sorted here either: only those above a guess of the
    smallest share are put in order. Every value is summed once, and means and squares of
    neighbouring parts are merged (Chan, Golub and LeVeque, Am. Stat. 37, 1983).

    Raises:
        ValueError: if ``x`` is empty, not one-dimensional, or holds NaN or an infinity, or if a
            share is not above 0 and at most 100.
    """
    values = x.values if isinstance(x, Ordered) else as_sample(x)
    size = int(values.size)
    counts = [size if percent == 100.0 else rank(percent, size) for percent in shares]
    ends = sorted(set(counts))
    # Squares are summed of distances from a value of the smallest part: no part is so narrow, and
    # so far from it, that their difference would lose more digits than the summing itself.
    if isinstance(x, Ordered):
        centre, above, whole = float(values[ends[0] - 1]), values, _Part(0, 0.0, 0.0)
    else:
        centre, above, whole = _split(values, ends[0])
        above = np.partition(above, [end - 1 - whole.count for end in ends])
    below, apart = whole.count, above - centre
    parts: dict[int, _Part] = {}
    for begin, end in zip([below, *ends], ends, strict=False):
        whole = parts[end] = _merged(whole, _summed(apart[begin - below : end - below]))
    least = float(values.min())

    def described(percent: float, count: int) -> Best:
        part, greatest = parts[count], float(above[count - 1 - below])
        std = float(np.sqrt(part.squares / (count - 1))) if count > 1 else None
        return Best(percent, count, least, centre + part.mean, greatest, std)

    return tuple(described(p, count) for p, count in zip(shares, counts, strict=True))


def _split(values: FloatArray, count: int) -> tuple[float, FloatArray, _Part]:
    """A value, all that are not below it, and the sums of the others, which are fewer than
    `count`: as many as a percentile of some of the values lets expect."""
    some = np.sort(values[:: max(1, values.size // GUESSED_FROM)])
    at = int(some.size * (count / values.size - MARGIN))
    centre = float(some[max(0, at)])
    above = values[values >= centre]
    below = int(values.size - above.size)
    if below >= count:  # The guess was of values that are not like the others.
        return centre, values, _Part(0, 0.0, 0.0)
    # What is above is at no distance here, and adds nothing to either sum.
    apart = np.minimum(values, centre)
    apart -= centre
    return centre, above, _summed(apart, below)


def _summed(apart: FloatArray, count: int | None = None) -> _Part:
    """Of distances from the centre; of `count` of them, if all others are 0."""
    count = apart.size if count is None else count
    if not count:
        return _Part(0, 0.0, 0.0)
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
