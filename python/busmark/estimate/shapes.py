"""How latencies and their variation are distributed: what histograms, densities and boxes draw.

All is made of sorted samples (`stats.Ordered`), so that each array is sorted once.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from math import floor, log10

import numpy as np

from busmark import stats
from busmark.estimate.samples import Pool
from busmark.estimate.series import Curve, signed
from busmark.model.figure import FloatArray

CURVE_POINTS = 240
"""Points of a percentile curve up to the last sample."""

FIXED_BANDWIDTH_NS = 10_000.0
"""10 µs, as in OpenDDSBench (Busch 2010), so that its charts can be set beside ours."""

CLOCK_STEP_NS = 1.0
"""No density is drawn finer than the stamps are."""

SHAPE_POINTS = 120
"""Points of each curve of a shape."""

BOX_POINTS = 40
"""Points of the density of one round."""

POINT_BUDGET = 12_000
"""Points of a kind of curve in a whole campaign: with many cases each has fewer points."""

BOX_BUDGET = 20_000

BOX: tuple[tuple[float, stats.Statistic], ...] = (
    (5, 5.0), (25, 25.0), (50, "median"), (75, 75.0), (95, 95.0),
)  # fmt: skip
"""Percentiles of a box between its smallest and its largest value."""


def shape_points(cases: int) -> int:
    """Return the points of each curve of a shape, in a campaign of this many cases."""
    return max(24, min(SHAPE_POINTS, POINT_BUDGET // max(1, cases)))


def box_points(rounds: int) -> int:
    """Return the points of the density of a round, in a campaign of this many rounds."""
    return max(12, min(BOX_POINTS, BOX_BUDGET // max(1, rounds)))


def rounded(values: FloatArray, places: int) -> list[float]:
    """Return numbers of Python, which a page writes shortly."""
    result: list[float] = np.round(values, places).tolist()
    return result


def percentiles(
    pooled: stats.Ordered, quantity: str, points: int = CURVE_POINTS, lost: int | None = 0
) -> Curve:
    """Return the curve to the most extreme sample; each decade of the tail has its share of points.
    `lost` samples are later than any; None: not known, then it is of what came back alone."""
    values, percent = stats.percentile_curve(pooled, points)
    percent = percent * _back_share(pooled.count, lost)
    return Curve(
        quantity, "percentiles", [_tail_rounded(p) for p in percent.tolist()], rounded(values, 1),
        "%", "ns", count=pooled.count, lost=lost,
    )  # fmt: skip


def _back_share(count: int, lost: int | None) -> float:
    """Return what came back of what was sent, 1 where that is not known."""
    return count / (count + (lost or 0))


def _tail_rounded(percent: float) -> float:
    """Keep four digits of the distance to 100 %: the axis shows that distance."""
    beyond = 100.0 - percent
    return percent if beyond <= 0 else round(percent, 4 - floor(log10(beyond)))


def shape(
    pooled: stats.Ordered,
    quantity: str,
    points: int = SHAPE_POINTS,
    magnitude: stats.Ordered | None = None,
    lost: int | None = 0,
) -> Iterator[Curve]:
    """Return the shape of sorted samples (ns). `magnitude` are their absolute values if they are
    signed, and all but the logarithmic histogram has the sign. `lost` samples are later than any in
    quantiles and the smoothed distribution function, and in no histogram or density.

    Curves of the kernel run from the 0.5th to the 99.5th percentile and three bandwidths beyond;
    all samples count.
    """
    name = signed(quantity) if magnitude else quantity
    share = _back_share(pooled.count, lost)
    # The largest sample may be at less than 100 % of all that was sent.
    percent = np.round(np.linspace(0.0, 100.0, points + 1), 3)
    yield Curve(
        name, "quantiles", rounded(percent * share, 4),
        rounded(stats.quantiles(pooled, percent), 1), "%", "ns", count=pooled.count, lost=lost,
    )  # fmt: skip
    yield _bins(name, "histogram", stats.histogram(pooled))
    if found := stats.log_histogram(magnitude or pooled):
        yield _bins(quantity, "log_histogram", found)
    own = _smoothed(pooled, None, points)
    yield _density(name, "density", own)
    yield _density(name, "density_10us", _smoothed(pooled, FIXED_BANDWIDTH_NS, points))
    yield Curve(
        name, "smoothed_ecdf", rounded(own.at, 1), rounded(own.cumulative * share, 5), "ns", "1",
        bandwidth=own.bandwidth,
    )  # fmt: skip


def boxes(
    numbers: Sequence[int], pool: Pool, factor: float, quantity: str, points: int = BOX_POINTS,
    lost: Mapping[int, int] | None = None,
) -> Iterator[Curve]:  # fmt: skip
    """Return a box and a density for each round of `pool`, whose numbers are given; all times
    `factor`. `lost`: by round what never came back; None: it is not known. A percentile that falls
    among the lost is null."""
    for number, one in zip(numbers, pool.rounds, strict=True):
        values = one.ordered.scaled(factor)
        gone = None if lost is None else lost.get(number, 0)
        inner = [stats.of_sent(values, gone or 0, statistic) for _, statistic in BOX]
        yield Curve(
            quantity, "box", [0, *(percent for percent, _ in BOX), 100],
            [float(values.values[0]), *(None if each == "lost" else each for each in inner),
             float(values.values[-1])],
            "%", "ns", "round", round=number, count=values.count, lost=gone,
        )  # fmt: skip
        yield _density(quantity, "density", _smoothed(values, None, points), "round", number)


def _smoothed(values: stats.Ordered, bandwidth: float | None, points: int) -> stats.Smoothed:
    found = stats.kernel_estimate(values, bandwidth, least=CLOCK_STEP_NS, points=points)
    assert found is not None  # the least bandwidth is above 0
    return found


def _density(
    quantity: str, kind: str, of: stats.Smoothed, scope: str = "case", number: int | None = None
) -> Curve:
    per_ns = [float(f"{value:.4g}") for value in of.density.tolist()]
    return Curve(
        quantity, kind, rounded(of.at, 1), per_ns, "ns", "1/ns", scope, round=number,
        bandwidth=of.bandwidth,
    )  # fmt: skip


def _bins(quantity: str, kind: str, of: stats.Histogram) -> Curve:
    """Return bins by their edges; samples beyond the first and the last edge have open bins."""
    inner = of.edges.tolist()
    edges = [None, *inner, None]
    middles = [(a + b) / 2 for a, b in pairwise(inner)]
    return Curve(
        quantity, kind, [None, *middles, None], [of.below, *of.counts, of.above], "ns", "",
        low=edges[:-1], high=edges[1:],
    )  # fmt: skip
