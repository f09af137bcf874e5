"""Whether a latency distribution has more than one well separated mode."""

from dataclasses import dataclass
from itertools import pairwise
from math import exp, log1p, pi, sqrt

import numpy as np
from numpy.typing import ArrayLike

from busmark.stats._scipy import gaussian_smooth
from busmark.stats.clock import clock_step
from busmark.stats.sample import FloatArray, Ordered, as_positive

MIN_SHARE = 0.05
"""Least share of the samples that makes a mode; anything smaller is a tail."""

MAX_VALLEY = 0.5
"""Highest density between two modes, relative to the lower peak, that separates them."""

MIN_SIGMAS = 5.0
"""Least depth of a valley in standard errors of the density.

Five, not two or three, because the highest of many bumps meets the lowest of many dips.
"""

MAX_POINTS = 4000
MAX_BINS = 65536
BINS_PER_BANDWIDTH = 16
MARGIN = 5


@dataclass(frozen=True, slots=True)
class DensityMode:
    """One mode: ``location`` of its peak in units of the data, and ``share`` of the samples, which
    are those from ``low`` to ``high``: the valleys on both sides of it, or the extremes. A mode
    with a long tail has most of them far from its peak."""

    location: float
    share: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class DensityModes:
    """Modes of a distribution.

    Attributes:
        count: number of well separated modes.
        largest: the modes with the largest shares, at most two, largest first.
        valley_ratio: lowest density between those two over the density of the lower peak, both
            on the log scale (0 is complete separation); None when there is one mode.
    """

    count: int
    largest: tuple[DensityMode, ...]
    valley_ratio: float | None


def modes(x: ArrayLike | Ordered) -> DensityModes:
    """Find the well separated modes of a positive sample.

    The density of log(x) is estimated with a Gaussian kernel (Silverman 1986, "Density
    estimation", bandwidth 0.9 min(std, IQR/1.34) n**(-1/5)) on at most 4000 evenly spaced
    quantiles. A local maximum is a mode when the valley that separates it from higher ground is
    at most half as high and deeper than chance would dig it, and when it then holds at least
    5 % of the samples; peaks that fail are joined to a neighbour.

    The log scale puts modes of microseconds and of milliseconds on an equal footing; locations
    are peaks of the density of log(x) and lie left of peaks of the density of x when the mode
    is wide. Two modes closer than about three of their widths, or
    three steps of the clock (`clock_step`), count as one. Modes say that the
    sample mixes regimes, not what they are, nor whether they alternate or follow each other.

    Raises:
        ValueError: if ``x`` is empty, not one-dimensional, holds NaN or an infinity, or holds a
            value that is not positive.
    """
    ordered = Ordered.from_values(x).values
    as_positive(ordered[:1])
    if ordered[0] == ordered[-1]:
        only = float(ordered[0])
        return DensityModes(1, (DensityMode(only, 1.0, only, only),), None)
    points = _thin(ordered)
    bandwidth = _bandwidth(points, clock_step(Ordered(ordered)))
    grid, density = _density(np.log(points), bandwidth)
    peaks = _clear_peaks(density, bandwidth, int(ordered.size))
    peaks, shares, cuts = _large_peaks(peaks, grid, density, ordered)
    best = sorted(range(len(peaks)), key=lambda i: -shares[i])[:2]
    ends = [float(ordered[0]), *cuts, float(ordered[-1])]
    largest = tuple(DensityMode(exp(grid[peaks[i]]), shares[i], ends[i], ends[i + 1]) for i in best)
    valley = None
    if len(best) == 2:
        left, right = sorted(peaks[i] for i in best)
        lower = min(density[left], density[right])
        valley = float(density[left : right + 1].min() / lower)
    return DensityModes(len(peaks), largest, valley)


def _thin(ordered: FloatArray) -> FloatArray:
    """Return at most `MAX_POINTS` evenly spaced quantiles."""
    n = ordered.size
    if n <= MAX_POINTS:
        return ordered
    centres = (np.arange(MAX_POINTS) + 0.5) * n / MAX_POINTS
    thinned: FloatArray = ordered[centres.astype(np.int64)]
    return thinned


def _bandwidth(points: FloatArray, clock: float) -> float:
    """Return Silverman's bandwidth of log(points), but wide enough to bridge steps of the clock."""
    logs = np.log(points)
    low, high = np.quantile(logs, [0.25, 0.75])
    spread = float(logs.std())
    if high > low:
        spread = min(spread, float(high - low) / 1.34)
    silverman: float = 0.9 * spread / points.size**0.2
    # A coarse clock makes each of its steps a peak unless the kernel is as wide as a step. A few
    # values between the steps hide it from the least difference.
    steps = np.diff(points)
    least = float(steps[steps > 0.0].min(initial=np.inf))
    step = max(least, clock) / float(np.median(points))
    finest = float(logs[-1] - logs[0]) * BINS_PER_BANDWIDTH / MAX_BINS
    bridge = log1p(step) if np.isfinite(step) else 0.0
    own = float(np.spacing(np.abs(logs).max())) * BINS_PER_BANDWIDTH
    return max(silverman, finest, bridge, own)


def _density(logs: FloatArray, bandwidth: float) -> tuple[FloatArray, FloatArray]:
    """Return (grid, density): a Gaussian kernel estimate by smoothing a fine histogram."""
    low, high = logs[0] - MARGIN * bandwidth, logs[-1] + MARGIN * bandwidth
    bins = int(np.ceil((high - low) / bandwidth * BINS_PER_BANDWIDTH))
    counts, edges = np.histogram(logs, bins=bins, range=(low, high))
    width = float(edges[1] - edges[0])
    density = gaussian_smooth(counts / (logs.size * width), bandwidth / width)
    return (edges[:-1] + edges[1:]) / 2.0, density


def _clear_peaks(density: FloatArray, bandwidth: float, count: int) -> list[int]:
    """Keep the maxima set off by a valley that is deep and not the work of chance."""
    positions, prominences = peaks_and_prominences(density)
    heights = density[positions]
    # Variance of a Gaussian kernel estimate f is f / (2 sqrt(pi) n h); peak and valley add.
    noise = np.sqrt((2.0 * heights - prominences) / (2.0 * sqrt(pi) * count * bandwidth))
    clear = prominences >= np.maximum((1.0 - MAX_VALLEY) * heights, MIN_SIGMAS * noise)
    clear[np.argmax(heights)] = True
    return [p for p, keep in zip(positions, clear, strict=True) if keep]


def _large_peaks(
    peaks: list[int], grid: FloatArray, density: FloatArray, ordered: FloatArray
) -> tuple[list[int], list[float], list[float]]:
    """Drop the smallest peak until each holds `MIN_SHARE`; its samples go to a neighbour. Return
    the peaks, their shares and the valleys between them."""
    while True:
        valleys = [left + int(np.argmin(density[left:right])) for left, right in pairwise(peaks)]
        cuts = [exp(grid[valley]) for valley in valleys]
        below = [int(np.searchsorted(ordered, cut)) for cut in cuts]
        shares = [(b - a) / ordered.size for a, b in pairwise([0, *below, int(ordered.size)])]
        smallest = min(range(len(shares)), key=shares.__getitem__)
        if shares[smallest] >= MIN_SHARE or len(peaks) == 1:
            return peaks, shares, cuts
        peaks = peaks[:smallest] + peaks[smallest + 1 :]


# As `scipy.signal.find_peaks` finds them, whose package takes longer to import than all statistics
# of a short campaign; a test holds the two against each other.


def peaks_and_prominences(y: FloatArray) -> tuple[list[int], FloatArray]:
    """Find the positions of the local maxima of ``y``, shape (n,), and the topographic prominence
    of each: how far it is above the higher of the two lowest points between it and higher ground,
    or the end. The middle of a flat top is its position; an end of ``y`` is no maximum."""
    # The curve without repetitions: a flat top is one point of it.
    begins = np.flatnonzero(np.concatenate(([True], y[1:] != y[:-1])))
    ends = np.append(begins[1:], y.size) - 1
    steps = np.diff(y[begins])
    tops = np.flatnonzero((steps[:-1] > 0.0) & (steps[1:] < 0.0)) + 1
    positions = [int(p) for p in (begins[tops] + ends[tops]) // 2]
    prominences = np.array([_prominence(y, position) for position in positions], dtype=np.float64)
    return positions, prominences


def _prominence(y: FloatArray, peak: int) -> float:
    higher = y > y[peak]
    before, after = np.flatnonzero(higher[:peak]), np.flatnonzero(higher[peak:])
    left = int(before[-1]) + 1 if before.size else 0
    right = peak + int(after[0]) if after.size else y.size
    return float(y[peak] - max(y[left : peak + 1].min(), y[peak:right].min()))
