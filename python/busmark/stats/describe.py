"""Summary figures of one sample."""

from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import ArrayLike

from busmark.stats._check import FloatArray
from busmark.stats.ordered import Ordered


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
    ordered = Ordered.of(x)
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
    """Median distance of a sorted sample from its median. Distances rise to both sides of it, so
    the smallest so many of all are the smallest of either side: how many of each is found by
    halving, and nothing is put in order."""
    n = sample.size
    middle = n // 2
    below, above = median - sample[:middle][::-1], sample[middle:] - median

    def rank(k: int) -> float:
        """The k-th smallest distance, from 0."""
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
    """Bounds of the standard deviation of one of ``hops`` alike hops, ``std`` being of their sum.

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
