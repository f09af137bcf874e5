"""Thinning of timelines that keeps every extreme."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from busmark.stats._check import FloatArray, as_sample


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
