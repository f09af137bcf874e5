"""Summary figures of one sample, of its best part, and of differences between neighbours."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import sqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray

from busmark.stats.sample import FloatArray, Ordered, as_sample, narrowed


@dataclass(frozen=True, slots=True)
class Description:
    """Summary figures of one sample; None marks a figure the sample does not define.

    Attributes:
        count: number of samples.
        median: middle value (mean of the two middle values when ``count`` is even).
        mad: raw median absolute deviation from the median. It is not multiplied by 1.4826,
            so it does not estimate a normal standard deviation.
        mean: arithmetic mean.
        std: standard deviation with divisor count - 1; None when count < 2.
        minimum: smallest value.
        maximum: largest value.
        skewness: adjusted Fisher-Pearson coefficient G1; None when count < 3 or all equal.
        kurtosis: bias-corrected excess kurtosis G2 (0 for a normal distribution); None when
            count < 4 or all equal.
    """

    count: int
    median: float
    mad: float
    mean: float
    std: float | None
    minimum: float
    maximum: float
    skewness: float | None
    kurtosis: float | None


def describe(x: ArrayLike | Ordered) -> Description:
    """Describe a one-dimensional sample.

    The shape figures follow Joanes & Gill (1998), "Comparing measures of sample skewness and
    kurtosis", The Statistician 47(1), which is also what common statistics packages report.

    Mean, standard deviation, skewness and kurtosis of latencies are dominated by a few extreme
    samples; they say little about a typical one. No figure here says how far it would move if
    the measurement were repeated.

    Raises:
        ValueError: if ``x`` is empty, not one-dimensional, or holds NaN or an infinity.
    """
    ordered = Ordered.from_values(x)
    sample, count, median = ordered.values, ordered.count, ordered.median
    skewness, kurtosis = _shape(sample)
    return Description(
        count=count,
        median=median,
        mad=_mad(sample, median),
        mean=float(sample.mean()),
        std=float(sample.std(ddof=1)) if count >= 2 else None,
        minimum=float(sample[0]),
        maximum=float(sample[-1]),
        skewness=skewness,
        kurtosis=kurtosis,
    )


def _mad(sample: FloatArray, median: float) -> float:
    """Return the median distance of a sorted sample from its median. Distances rise to both sides
    of it, so the k smallest of all are the smallest of either side: how many of each is found by
    halving, and nothing is put in order."""
    n = sample.size
    middle = n // 2
    below, above = median - sample[:middle][::-1], sample[middle:] - median

    def rank(k: int) -> float:
        """Return the k-th smallest distance, counted from 0."""
        low, high = max(0, k + 1 - above.size), min(k + 1, below.size)
        while low < high:
            taken = (low + high) // 2
            # Among the k + 1 smallest, are there more on the side below?
            if below[taken] < above[k - taken]:
                low = taken + 1
            else:
                high = taken
        ends = [float(below[low - 1])] if low else []
        ends += [float(above[k - low])] if k + 1 > low else []
        return max(ends)

    return (rank((n - 1) // 2) + rank(n // 2)) / 2.0


def _shape(sample: FloatArray) -> tuple[float | None, float | None]:
    """Return (G1, G2), each None where it is undefined."""
    n = sample.size
    mean = float(sample.mean())
    deviation = sample - mean
    spread = sqrt(float(np.mean(deviation**2)))
    # Below this the deviations are rounding error of the mean, and the ratios are noise.
    if n < 3 or spread <= abs(mean) * float(np.finfo(np.float64).eps):
        return None, None
    scaled = deviation / spread
    # Products: powers of floats other than 2 are many times slower.
    squared = scaled * scaled
    g1 = float(np.mean(squared * scaled))
    skewness = g1 * sqrt(n * (n - 1)) / (n - 2)
    if n < 4:
        return skewness, None
    g2 = float(np.mean(squared * squared)) - 3.0
    kurtosis = (n - 1) / ((n - 2) * (n - 3)) * ((n + 1) * g2 + 6.0)
    return skewness, kurtosis


def hop_deviation(std: float, hops: int = 2) -> tuple[float, float]:
    """Bound the standard deviation of one of ``hops`` alike hops, ``std`` being of their sum.

    With deviation s of a hop and correlation r between any two, var(sum) = k s**2 (1 + (k-1) r).
    So s is std / sqrt(k) where hops are independent, std / k where they move together, and between
    the two where r is between 0 and 1: for a round trip, 0.5 std to 0.707 std. Negative
    correlation, where a slow way out goes with a fast way back, would make it greater than that.

    Only mean and deviation can be had this way. The extremes of a path are not sums of its hops'
    extremes.

    Raises:
        ValueError: if ``std`` is negative or not finite, or ``hops`` < 1.
    """
    if not 0.0 <= std < float("inf"):
        raise ValueError(f"std must be finite and not negative, got {std}")
    if hops < 1:
        raise ValueError(f"hops must be at least 1, got {hops}")
    return std / hops, std / sqrt(hops)


Values = FloatArray | NDArray[np.int32]

BEST = (100.0, 99.9, 99.0, 90.0)
"""Shares in the tables of the OpenSplice test suite."""


@dataclass(frozen=True, slots=True)
class BestPart:
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


def best(x: ArrayLike | Ordered, shares: Sequence[float] = BEST) -> tuple[BestPart, ...]:
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

    def described(percent: float, count: int) -> BestPart:
        part, greatest = parts[count], float(values[count - 1])
        std = float(np.sqrt(part.squares / (count - 1))) if count > 1 else None
        return BestPart(percent, count, least, centre + part.mean, greatest, std)

    return tuple(described(p, count) for p, count in zip(shares, counts, strict=True))


def _sample(x: ArrayLike) -> Values:
    found = narrowed(np.asarray(x))
    return found if found.ndim == 1 and found.dtype == np.int32 and found.size else as_sample(found)


def _count(percent: float, size: int) -> int:
    """Return the number of values in a share, at least one. 99.9 is exactly 999 thousandths."""
    if not 0 < percent <= 100:
        raise ValueError(f"a share must be above 0 and at most 100, not {percent}")
    return max(1, int(size * Fraction(str(percent)) / 100))


def _parted(values: Values, ends: Sequence[int]) -> Values:
    """Part the values: the smallest of each of these counts come first, the greatest of them last.
    Take one count after the other: numpy finds a single place several times faster than many."""
    parted = values.copy()
    begin = 0
    for end in ends:
        parted[begin:].partition(end - 1 - begin)
        begin = end
    return parted


def _summed(apart: FloatArray) -> _Part:
    """Sum the distances from the centre, and their squares about the mean."""
    count = apart.size
    mean = float(apart.sum()) / count
    squares = float(np.einsum("i,i->", apart, apart)) - count * mean * mean
    return _Part(count, mean, max(0.0, squares))


def _merged(smaller: _Part, greater: _Part) -> _Part:
    total, gap = smaller.count + greater.count, greater.mean - smaller.mean
    between = gap * gap * smaller.count * greater.count / total
    return _Part(
        count=total,
        mean=smaller.mean + gap * greater.count / total,
        squares=smaller.squares + greater.squares + between,
    )


Indices = NDArray[np.int64]


def ipdv(latency: ArrayLike, seq: ArrayLike) -> FloatArray:
    """Return the signed inter-packet delay variation of consecutive samples.

    ``latency`` and ``seq`` have shape (n,), one entry per received sample in order of arrival.
    For each sequence number s that arrived together with s + 1, the result holds
    latency(s + 1) - latency(s), in order of s (RFC 3393, Demichelis & Chimento 2002, with the
    selection function "consecutive packets"). A pair across a lost sample is left out, since it
    would mix the loss into the variation. Samples that overtook each other are put back in
    order, and of a duplicated sample the first arrival counts. The result may be empty.

    A constant clock offset cancels in each difference; clock drift does not. The differences of
    neighbours say nothing about slow changes of latency.

    Raises:
        ValueError: if either array is empty or not one-dimensional, if they differ in length,
            if ``latency`` holds NaN or an infinity, or if ``seq`` is not of an integer type.
    """
    delays = as_sample(latency, "latency")
    numbers = np.asarray(seq)
    if not np.issubdtype(numbers.dtype, np.integer):
        raise ValueError(f"seq must be of an integer type, got {numbers.dtype}")
    if numbers.shape != delays.shape:
        raise ValueError(f"latency and seq differ in shape: {delays.shape} and {numbers.shape}")
    first, second = consecutive(numbers)
    variation: FloatArray = delays[second] - delays[first]
    return variation


def consecutive(seq: ArrayLike, step: int = 1) -> tuple[Indices, Indices]:
    """Return the indices of s and of s + ``step`` for each such pair of numbers in ``seq``.

    ``seq`` has shape (n,), in order of arrival; if a number occurs twice the first counts. Both
    results have the same shape, in order of s. ``step`` above 1 is for series of which only every
    n-th sample is measured.

    Raises:
        ValueError: if ``seq`` is not one-dimensional or not of an integer type, or ``step`` < 1.
    """
    numbers = np.asarray(seq)
    if not np.issubdtype(numbers.dtype, np.integer) or numbers.ndim != 1:
        raise ValueError(f"seq must be one row of integers, got {numbers.ndim} of {numbers.dtype}")
    if step < 1:
        raise ValueError(f"step must be at least 1, got {step}")
    # Compared by increment: a difference of unsigned numbers in rising order cannot wrap.
    if (numbers[1:] > numbers[:-1]).all():
        follows = np.flatnonzero(numbers[1:] - numbers[:-1] == step)
        return follows, follows + 1
    ordered, index = np.unique(numbers, return_index=True)
    follows = np.flatnonzero(ordered[1:] - ordered[:-1] == step)
    return index[follows], index[follows + 1]
