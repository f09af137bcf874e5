"""Percentile curves, thinned so that plots keep the tail."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from busmark.stats._check import FloatArray, as_sample
from busmark.stats.ordered import Ordered


def percentile_curve(
    x: ArrayLike | Ordered, max_points: int = 2000
) -> tuple[FloatArray, FloatArray]:
    """Return (values, percent) for a percentile plot, both of shape (m,), m <= ``max_points``.

    Values are distinct observed values in rising order: thinning drops some but never moves one.
    The smallest and the largest are always kept. When there are more than ``max_points``, the lower
    half is kept at even spacing of the share below and the upper half at even spacing of the
    logarithm of the share above, so that every decade of the tail gets its share of points and the
    most extreme samples are all kept. A straight line between two kept values is not data.

    A value that holds ranks i to j of n is the percentile for every percent in
    (100 (i - 1) / n, 100 j / n]; the point is put at the middle of that range (for one rank,
    Hazen's plotting position 100 (i - 1/2) / n). The largest value thus lies below 100 %, where a
    logarithmic axis of 100 - percent can show it, and `percentile` at any returned percent gives
    back the value.

    The last points rest on one sample each: they show what happened, not a stable percentile.

    Raises:
        ValueError: if ``x`` is empty, not one-dimensional, or holds NaN or an infinity, or if
            ``max_points`` < 4.
    """
    if max_points < 4:
        raise ValueError(f"max_points must be at least 4, got {max_points}")
    ordered = Ordered.of(x).values
    n = int(ordered.size)
    first = np.flatnonzero(np.concatenate(([True], ordered[1:] != ordered[:-1])))
    if first.size > max_points:
        first = np.unique(_ranks(n, max_points))
    values = np.unique(ordered[first])
    lower = np.searchsorted(ordered, values, side="left").astype(np.int64)
    upper = np.searchsorted(ordered, values, side="right").astype(np.int64)
    return values, 50.0 * (lower + upper) / n


def _ranks(n: int, max_points: int) -> NDArray[np.int64]:
    """Choose zero-based ranks: even in the lower half, logarithmic in the upper half."""
    upper = max_points // 2
    middle = n // 2
    even = np.linspace(0, middle, max_points - upper)
    beyond = np.geomspace(n - 1 - middle, 1, upper - 1)
    chosen = np.concatenate((even, n - 1 - beyond, [n - 1]))
    return np.rint(chosen).astype(np.int64)


def decimate(t: ArrayLike, y: ArrayLike, max_points: int) -> tuple[FloatArray, FloatArray]:
    """Thin the timeline (``t``, ``y``) to at most ``max_points`` points, keeping extremes.

    Time is cut into max_points // 2 buckets of equal duration; each bucket that holds samples
    keeps its smallest and its largest, in time order (the min-max part of Jugel et al. 2014,
    "M4: a visualization-oriented time series data aggregation", VLDB 7(10)). Every result point
    is an input point. A series that fits is returned whole.

    The result is for drawing. Its points are extremes, so their density and their mean say
    nothing about the series.

    Raises:
        ValueError: if either array is empty, not one-dimensional or holds NaN or an infinity,
            if they differ in length, if ``t`` decreases anywhere, or if ``max_points`` < 2.
    """
    times, values = as_sample(t, "t"), as_sample(y, "y")
    if times.size != values.size:
        raise ValueError(f"t and y must have the same length, got {times.size} and {values.size}")
    if max_points < 2:
        raise ValueError(f"max_points must be at least 2, got {max_points}")
    if np.any(times[1:] < times[:-1]):
        raise ValueError("t must not decrease")
    if times.size <= max_points:
        return times.copy(), values.copy()
    buckets = max_points // 2
    edges = np.linspace(times[0], times[-1], buckets + 1)[1:-1]
    begins = np.unique(np.concatenate(([0], np.searchsorted(times, edges, side="left"))))
    begins = begins[begins < times.size]
    lengths = np.diff(np.concatenate((begins, [times.size])))
    kept = np.unique(
        np.concatenate(
            [
                _first(values, extreme.reduceat(values, begins), lengths)
                for extreme in (np.minimum, np.maximum)
            ]
        )
    )
    return times[kept], values[kept]


def _first(values: FloatArray, wanted: FloatArray, lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    """Index of the first value of each bucket that is the one wanted there."""
    hits = np.flatnonzero(values == np.repeat(wanted, lengths))
    bucket = np.repeat(np.arange(lengths.size), lengths)[hits]
    return hits[np.concatenate(([True], bucket[1:] != bucket[:-1]))]
