"""The distribution of a sample as it is drawn: densities, histograms, percentile curves."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from busmark.stats._scipy import gaussian_smooth
from busmark.stats.sample import FloatArray, Ordered, as_sample, rank

# Gaussian kernel estimates of a density and of its distribution function, by binning.
#
# The sum of n kernels at m points costs n m, which is too slow for ten million values. Here the
# sorted values are counted on a grid with steps of an eighth of the bandwidth, and the counts are
# smoothed (Silverman 1982, "Algorithm AS 176", Applied Statistics 31(1), who smooths by FFT; a
# kernel that ends after some bandwidths is as fast by convolution). Each value is divided between
# the two grid points next to it, the nearer having more (Jones & Lotwick 1984, "Remark AS R50",
# Applied Statistics 33(1)): so means do not change, even for modes narrower than a step. The
# variance of the kernel grows by at most 1/256, which takes 0.2 % from a peak; a straight line
# between two points of the grid takes as much again.

Indices = NDArray[np.int64]

WINDOW = (0.5, 99.5)
"""Percentiles between which a density is evaluated unless the caller says otherwise."""

POINTS = 120
BINS_PER_BANDWIDTH = 8
MAX_BINS = 32_768
MARGIN = 4
"""Bandwidths beyond the window: the kernel is cut off there (it then lacks 0.006 %)."""


@dataclass(frozen=True, slots=True)
class Smoothed:
    """A kernel estimate.

    Attributes:
        bandwidth: standard deviation of the kernel, as used.
        at: shape (m,), rising: where the estimate was evaluated.
        density: shape (m,), per unit of the data.
        cumulative: shape (m,), share of the smoothed distribution at or below ``at``.
    """

    bandwidth: float
    at: FloatArray
    density: FloatArray
    cumulative: FloatArray


def silverman_bandwidth(x: ArrayLike | Ordered) -> float:
    """Return 0.9 min(s, IQR / 1.34) n**(-1/5); 0 where all values are equal.

    Silverman (1986), "Density Estimation", eq. 3.31. Where the interquartile range is 0 the
    standard deviation s alone counts. It is right for one bell-shaped mode, keeps a long tail
    from blurring it, and is too wide for several narrow modes far apart.

    Raises:
        ValueError: as `Ordered.of`.
    """
    values = Ordered.from_values(x).values
    if values.size < 2:
        return 0.0
    spread = float(values.std(ddof=1))
    low, high = (float(values[rank(p, values.size) - 1]) for p in (25.0, 75.0))
    if high > low:
        spread = min(spread, (high - low) / 1.34)
    bandwidth: float = 0.9 * spread / values.size**0.2
    return bandwidth


def kernel_estimate(
    x: ArrayLike | Ordered,
    bandwidth: float | None = None,
    *,
    least: float = 0.0,
    points: int = POINTS,
    window: tuple[float, float] = WINDOW,
) -> Smoothed | None:
    """Smooth the distribution of ``x`` with a Gaussian kernel.

    ``bandwidth`` is `silverman_bandwidth` unless given, and never below ``least``, such as the
    step of the clock that made ``x``. A kernel so narrow that the window would need more than
    32,768 bins is widened; ``bandwidth`` of the result tells. Half of the points are evenly
    spaced over the window, three bandwidths beyond its percentiles; the others follow the
    values, so that no narrow mode falls between two. All values count, also those outside.

    None where the bandwidth is 0: values that are all equal have no density.

    The kernel smears over its bandwidth: a mode narrower than it looks as wide as it, and
    something of the density lies where no value can be, such as below 0.

    Raises:
        ValueError: if ``x`` is empty, not one-dimensional, or holds NaN or an infinity; if a
            bandwidth is negative or not finite, ``points`` < 4, or the window's percentiles are
            not in rising order within (0, 100).
    """
    values = Ordered.from_values(x).values
    if points < 4:
        raise ValueError(f"points must be at least 4, got {points}")
    if not window[0] < window[1]:
        raise ValueError(f"percentiles must rise, got {window}")
    if bandwidth is not None and not 0.0 <= bandwidth < np.inf:
        raise ValueError(f"bandwidth must be finite and not negative, got {bandwidth}")
    width = max(silverman_bandwidth(Ordered(values)) if bandwidth is None else bandwidth, least)
    if width == 0.0:
        return None
    first, last = (rank(percent, values.size) - 1 for percent in window)
    span = float(values[last] - values[first])
    # No finer than a grid can be, and than the numbers themselves are.
    finest = float(np.spacing(max(abs(values[0]), abs(values[-1])))) * BINS_PER_BANDWIDTH
    width = max(width, span * BINS_PER_BANDWIDTH / MAX_BINS, finest)
    low, high = float(values[first]) - 3.0 * width, float(values[last]) + 3.0 * width
    grid, density, ends, cumulative = _grid(values, width, low, high)
    spread = np.rint(np.linspace(first, last, points - points // 2)).astype(np.int64)
    at = np.unique(np.concatenate((np.linspace(low, high, points // 2), values[spread])))
    return Smoothed(width, at, np.interp(at, grid, density), np.interp(at, ends, cumulative))


def _grid(
    values: FloatArray, width: float, low: float, high: float
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Return points of a fine grid over the window and its margin, the density at each, the upper
    ends of the bins around them, and F at each end."""
    low, high = low - MARGIN * width, high + MARGIN * width
    bins = int(np.ceil((high - low) / width * BINS_PER_BANDWIDTH))
    grid = np.linspace(low, high, bins + 1)
    step = (high - low) / bins
    at = np.searchsorted(values, grid, side="left")
    smooth = gaussian_smooth(_shared(values, grid, at, step), width / step)
    cumulative = np.clip((at[0] + np.cumsum(smooth)) / values.size, 0.0, 1.0)
    return grid, smooth / (values.size * step), grid + step / 2.0, cumulative


def _shared(values: FloatArray, grid: FloatArray, at: Indices, step: float) -> FloatArray:
    """Return what each point of the grid has of the values within it, of which `at` are the first
    at or above each point. The upper of two points has of a value its distance from the lower one
    in steps: of a bin's values together, their sum tells it, and a sum of what is sorted is
    cheap."""
    counts = np.diff(at)
    filled = np.flatnonzero(counts)
    upper = np.zeros(counts.size)
    if filled.size:
        # From the first point: values far from 0 and close together have no digits to lose.
        distances = values[at[0] : at[-1]] - grid[0]
        sums = np.add.reduceat(distances, at[filled] - at[0])
        own = counts[filled]
        upper[filled] = np.clip((sums - own * (grid[filled] - grid[0])) / step, 0.0, own)
    shares = np.zeros(grid.size)
    shares[:-1] = counts - upper
    shares[1:] += upper
    return shares


BINS = 25
"""Bins of the central part, as in OpenDDSBench (Busch 2010)."""

CENTRAL = (5.0, 95.0)
"""Percentiles between which those bins lie: extremes would leave most of them empty."""


@dataclass(frozen=True, slots=True)
class Histogram:
    """Counts by bin.

    Attributes:
        edges: shape (bins + 1,), rising. A bin holds its lower edge; the last also its upper.
        counts: shape (bins,).
        below: values below the first edge.
        above: values above the last.
    """

    edges: FloatArray
    counts: tuple[int, ...]
    below: int
    above: int


def histogram(
    x: ArrayLike | Ordered, bins: int = BINS, between: tuple[float, float] = CENTRAL
) -> Histogram:
    """Count ``x`` in ``bins`` bins of equal width between two percentiles of it.

    The percentiles are observed values as `percentile` gives them. Where both are one value v
    there is a single bin, from v - 1/2 to v + 1/2, as for integers.

    A histogram's look depends on where its bins begin; a density's does not.

    Raises:
        ValueError: if ``x`` is empty, not one-dimensional, or holds NaN or an infinity; if
            ``bins`` < 1; or if the percentiles are not in rising order within (0, 100).
    """
    _check_bins(bins)
    values = Ordered.from_values(x).values
    if not between[0] < between[1]:
        raise ValueError(f"percentiles must rise, got {between}")
    low, high = (float(values[rank(percent, values.size) - 1]) for percent in between)
    if low == high:
        return _count(values, np.array([low - 0.5, high + 0.5]))
    return _count(values, np.linspace(low, high, bins + 1))


def log_histogram(x: ArrayLike | Ordered, bins: int = BINS) -> Histogram | None:
    """Count ``x`` in ``bins`` bins of equal ratio from its smallest positive value to its largest.

    Values of zero and less have no logarithm: they are in ``below``. None where all are such.
    Where one positive value is all there is, there is a single bin from half to twice it.

    Raises:
        ValueError: as `histogram`.
    """
    _check_bins(bins)
    values = Ordered.from_values(x).values
    first = int(np.searchsorted(values, 0.0, side="right"))
    if first == values.size:
        return None
    low, high = float(values[first]), float(values[-1])
    if low == high:
        return _count(values, np.array([low / 2.0, high * 2.0]))
    edges = np.geomspace(low, high, bins + 1)
    # The ends are observed values; a rounded power must not push them out.
    edges[0], edges[-1] = low, high
    return _count(values, edges)


def _count(values: FloatArray, edges: FloatArray) -> Histogram:
    at = np.searchsorted(values, edges, side="left")
    at[-1] = np.searchsorted(values, edges[-1], side="right")
    counts = tuple(int(c) for c in np.diff(at))
    return Histogram(edges, counts, int(at[0]), int(values.size - at[-1]))


def _check_bins(bins: int) -> None:
    if bins < 1:
        raise ValueError(f"bins must be at least 1, got {bins}")


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
    ordered = Ordered.from_values(x).values
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
    """Return the index of the first value of each bucket that is the one wanted there."""
    hits = np.flatnonzero(values == np.repeat(wanted, lengths))
    bucket = np.repeat(np.arange(lengths.size), lengths)[hits]
    return hits[np.concatenate(([True], bucket[1:] != bucket[:-1]))]
