"""How latencies and their variation are distributed: what histograms, densities and boxes draw.

All is made of sorted samples (`stats.Ordered`), so that each array is sorted once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import floor, log10

import numpy as np

from busmark import stats
from busmark.estimate.samples import Pool
from busmark.model.figure import FloatArray, Frozen, Quantity

CURVE_POINTS = 240
"""Points of a percentile curve up to the last sample."""


class Curve(Frozen):
    """Percentile curve of all samples: `value_ns` at `percent`."""

    quantity: Quantity
    count: int | None
    """Null where the source of an imported result does not say."""
    lost: int | None = 0
    """Samples that were sent beside those that `count` counts, and never came back. The curve ends
    where they begin. Null where that is not known; then it is of what came back alone."""
    percent: list[float]
    """Percent of the samples sent."""
    value_ns: list[float]


def back_share(count: int, lost: int | None) -> float:
    """What came back of what was sent, 1 where that is not known."""
    return count / (count + (lost or 0))


def curve(
    pooled: stats.Ordered, quantity: Quantity, points: int = CURVE_POINTS, lost: int | None = 0
) -> Curve:
    """To the most extreme sample; each decade of the tail has its share of points. `lost` samples
    are later than any."""
    values, percent = stats.percentile_curve(pooled, points)
    percent = percent * back_share(pooled.count, lost)
    return Curve(
        quantity=quantity,
        count=pooled.count,
        lost=lost,
        percent=[_tail_rounded(p) for p in percent.tolist()],
        value_ns=rounded(values, 1),
    )


def quantile_curve(
    pooled: stats.Ordered, quantity: Quantity, points: int, lost: int | None = 0
) -> Curve:
    """At evenly spaced per cent, from the smallest sample to the largest; of what was sent the
    latter may be less than 100 %."""
    percent = np.round(np.linspace(0.0, 100.0, points), 3)
    return Curve(
        quantity=quantity,
        count=pooled.count,
        lost=lost,
        percent=rounded(percent * back_share(pooled.count, lost), 4),
        value_ns=rounded(stats.quantiles(pooled, percent), 1),
    )


def rounded(values: FloatArray, places: int) -> list[float]:
    """As numbers of Python, which a page writes shortly."""
    result: list[float] = np.round(values, places).tolist()
    return result


def significant(values: FloatArray, digits: int = 4) -> list[float]:
    """With so many significant digits: for values of any magnitude."""
    return [float(f"{v:.{digits}g}") for v in values.tolist()]


def _tail_rounded(percent: float) -> float:
    """Keep four digits of the distance to 100 %: the axis shows that distance."""
    beyond = 100.0 - percent
    return percent if beyond <= 0 else round(percent, 4 - floor(log10(beyond)))


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


class Histogram(Frozen):
    """Counts by bin; a bin holds its lower edge, the last also its upper."""

    edges_ns: list[float]
    """One more than there are counts."""
    counts: list[int]
    below: int
    """Samples below the first edge, which are in no bin."""
    above: int


class Density(Frozen):
    """Gaussian kernel density: share of samples per nanosecond `per_ns` at `at_ns`."""

    bandwidth_ns: float
    """Standard deviation of the kernel, as used."""
    at_ns: list[float]
    """Rising, not evenly spaced: closer where there are many samples."""
    per_ns: list[float]


class SmoothedCdf(Frozen):
    """Gaussian kernel estimate of the share of the samples sent that is at or below `at_ns`."""

    bandwidth_ns: float
    at_ns: list[float]
    share: list[float]


class Shape(Frozen):
    """Distribution of all samples of a case together.

    Curves of the kernel run from the 0.5th to the 99.5th percentile and three bandwidths beyond;
    all samples count. Jitter is signed here, but for `log_histogram`, which has its magnitude.
    """

    quantity: Quantity
    count: int
    lost: int | None = 0
    """Samples that were sent and never came back; null where that is not known. They are later than
    any in `quantiles` and `smoothed_cdf`, and in no histogram or density."""
    histogram: Histogram
    """25 bins of equal width between the 5th and the 95th percentile."""
    log_histogram: Histogram | None
    """25 bins of equal ratio from the smallest positive value to the largest; null if none is."""
    density: Density
    """With Silverman's bandwidth."""
    density_10us: Density
    """With a bandwidth of 10 µs."""
    quantiles: Curve
    """At evenly spaced per cent, to the share that came back; turned round it is the empirical
    distribution function."""
    smoothed_cdf: SmoothedCdf


class RoundBox(Frozen):
    """One round: what a box with whiskers or a violin draws. Percentiles are of what was sent, and
    null where they fall among the lost, which are later than any."""

    round: int
    count: int
    """Samples that came back."""
    lost: int | None = 0
    """Null where that is not known; then all is of what came back."""
    min_ns: float
    p5_ns: float | None
    p25_ns: float | None
    median_ns: float | None
    p75_ns: float | None
    p95_ns: float | None
    max_ns: float
    """Largest among those that came back."""
    density: Density

    def drawn(self, name: str) -> float:
        """This percentile where it is drawn, ns: one among the lost at the latest that came back,
        where the record ends."""
        value: float | None = getattr(self, name)
        return self.max_ns if value is None else value


def shape_points(cases: int) -> int:
    """Points of each curve of a shape, in a campaign of this many cases."""
    return max(24, min(SHAPE_POINTS, POINT_BUDGET // max(1, cases)))


def box_points(rounds: int) -> int:
    """Points of the density of a round, in a campaign of this many rounds."""
    return max(12, min(BOX_POINTS, BOX_BUDGET // max(1, rounds)))


def shape(
    pooled: stats.Ordered,
    quantity: Quantity,
    points: int = SHAPE_POINTS,
    magnitude: stats.Ordered | None = None,
    lost: int | None = 0,
) -> Shape:
    """Shape of sorted samples (ns); `magnitude` are their absolute values if they are signed, and
    `lost` are later than any."""
    own = _smoothed(pooled, None, points)
    return Shape(
        quantity=quantity,
        count=pooled.count,
        lost=lost,
        histogram=_histogram(stats.histogram(pooled)),
        log_histogram=_log_histogram(magnitude or pooled),
        density=_density(own),
        density_10us=_density(_smoothed(pooled, FIXED_BANDWIDTH_NS, points)),
        quantiles=quantile_curve(pooled, quantity, points + 1, lost),
        smoothed_cdf=SmoothedCdf(
            bandwidth_ns=own.bandwidth,
            at_ns=rounded(own.at, 1),
            share=rounded(own.cumulative * back_share(pooled.count, lost), 5),
        ),
    )


def boxes(
    numbers: Sequence[int], pool: Pool, factor: float, points: int = BOX_POINTS,
    lost: Mapping[int, int] | None = None,
) -> list[RoundBox]:  # fmt: skip
    """A box for each round of `pool`, whose numbers are given; all times `factor`. `lost`: by round
    what never came back; None: it is not known."""
    rounds = zip(numbers, pool.rounds, strict=True)
    return [
        _box(
            number,
            one.ordered.scaled(factor),
            points,
            None if lost is None else lost.get(number, 0),
        )
        for number, one in rounds
    ]


def _box(number: int, values: stats.Ordered, points: int, lost: int | None) -> RoundBox:
    def at(statistic: stats.Statistic) -> float | None:
        found = stats.of_sent(values, lost or 0, statistic)
        return None if found == "lost" else found

    return RoundBox(
        round=number,
        count=values.count,
        lost=lost,
        min_ns=float(values.values[0]),
        p5_ns=at(5.0),
        p25_ns=at(25.0),
        median_ns=at("median"),
        p75_ns=at(75.0),
        p95_ns=at(95.0),
        max_ns=float(values.values[-1]),
        density=_density(_smoothed(values, None, points)),
    )


def _smoothed(values: stats.Ordered, bandwidth: float | None, points: int) -> stats.Smoothed:
    found = stats.kernel_estimate(values, bandwidth, least=CLOCK_STEP_NS, points=points)
    assert found is not None  # the least bandwidth is above 0
    return found


def _density(smoothed: stats.Smoothed) -> Density:
    return Density(
        bandwidth_ns=smoothed.bandwidth,
        at_ns=rounded(smoothed.at, 1),
        per_ns=significant(smoothed.density),
    )


def _log_histogram(values: stats.Ordered) -> Histogram | None:
    found = stats.log_histogram(values)
    return _histogram(found) if found else None


def _histogram(found: stats.Histogram) -> Histogram:
    return Histogram(
        edges_ns=found.edges.tolist(),
        counts=list(found.counts),
        below=found.below,
        above=found.above,
    )
