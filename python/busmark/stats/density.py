"""Gaussian kernel estimates of a density and of its distribution function, by binning.

The sum of n kernels at m points costs n m, which is too slow for ten million values. Here the
sorted values are counted on a grid with steps of an eighth of the bandwidth, and the counts are
smoothed (Silverman 1982, "Algorithm AS 176", Applied Statistics 31(1), who smooths by FFT; a kernel
that ends after some bandwidths is as fast by convolution). Each value is divided between the two
grid points next to it, the nearer having more (Jones & Lotwick 1984, "Remark AS R50", Applied
Statistics 33(1)): so means do not change, even for modes narrower than a step. The variance of the
kernel grows by at most 1/256, which takes 0.2 % from a peak; a straight line between two points of
the grid takes as much again.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from busmark.stats._check import FloatArray
from busmark.stats._rank import rank
from busmark.stats._scipy import gaussian_smooth
from busmark.stats.ordered import Ordered

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
    values = Ordered.of(x).values
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
    values = Ordered.of(x).values
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
    """Points of a fine grid over the window and its margin, density at each, the upper ends of
    the bins around them, and F at each end."""
    low, high = low - MARGIN * width, high + MARGIN * width
    bins = int(np.ceil((high - low) / width * BINS_PER_BANDWIDTH))
    grid = np.linspace(low, high, bins + 1)
    step = (high - low) / bins
    at = np.searchsorted(values, grid, side="left")
    smooth = gaussian_smooth(_shared(values, grid, at, step), width / step)
    cumulative = np.clip((at[0] + np.cumsum(smooth)) / values.size, 0.0, 1.0)
    return grid, smooth / (values.size * step), grid + step / 2.0, cumulative


def _shared(values: FloatArray, grid: FloatArray, at: Indices, step: float) -> FloatArray:
    """What each point of the grid has of the values within it, of which `at` are the first at or
    above each point. The upper of two points has of a value its distance from the lower one in
    steps: of a bin's values together, their sum tells it, and a sum of what is sorted is cheap."""
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
