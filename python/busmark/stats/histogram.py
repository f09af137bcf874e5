"""Histograms with even and with logarithmic bins; what lies outside is counted, never hidden."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from busmark.stats._check import FloatArray
from busmark.stats._rank import rank
from busmark.stats.ordered import Ordered

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
    values = Ordered.of(x).values
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
    values = Ordered.of(x).values
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
