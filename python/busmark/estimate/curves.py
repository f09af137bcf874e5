"""The points of a case's curves: percentiles, timelines, rates, and what histograms, densities and
boxes draw."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import floor, log10, sqrt

import numpy as np
import polars as pl

from busmark import stats
from busmark.estimate.samples import Pool, Pools
from busmark.estimate.series import signed
from busmark.model.case import Curve
from busmark.model.figure import JITTER, FloatArray, Quantity

# All is made of sorted samples (`stats.Ordered`), so that each array is sorted once.

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
    (5, 5.0),
    (25, 25.0),
    (50, "median"),
    (75, 75.0),
    (95, 95.0),
)
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
        quantity,
        "percentiles",
        [_tail_rounded(p) for p in percent.tolist()],
        rounded(values, 1),
        "%",
        "ns",
        count=pooled.count,
        lost=lost,
    )


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
        name,
        "quantiles",
        rounded(percent * share, 4),
        rounded(stats.quantiles(pooled, percent), 1),
        "%",
        "ns",
        count=pooled.count,
        lost=lost,
    )
    yield _bins(name, "histogram", stats.histogram(pooled))
    if found := stats.log_histogram(magnitude or pooled):
        yield _bins(quantity, "log_histogram", found)
    own = _smoothed(pooled, None, points)
    yield _density(name, "density", own)
    yield _density(name, "density_10us", _smoothed(pooled, FIXED_BANDWIDTH_NS, points))
    yield Curve(
        name,
        "smoothed_ecdf",
        rounded(own.at, 1),
        rounded(own.cumulative * share, 5),
        "ns",
        "1",
        bandwidth=own.bandwidth,
    )


def boxes(
    numbers: Sequence[int],
    pool: Pool,
    factor: float,
    quantity: str,
    points: int = BOX_POINTS,
    lost: Mapping[int, int] | None = None,
) -> Iterator[Curve]:
    """Return a box and a density for each round of `pool`, whose numbers are given; all times
    `factor`. `lost`: by round what never came back; None: it is not known. A percentile that falls
    among the lost is null."""
    for number, one in zip(numbers, pool.rounds, strict=True):
        values = one.ordered.scaled(factor)
        gone = None if lost is None else lost.get(number, 0)
        inner = [stats.of_sent(values, gone or 0, statistic) for _, statistic in BOX]
        yield Curve(
            quantity,
            "box",
            [0, *(percent for percent, _ in BOX), 100],
            [
                float(values.values[0]),
                *(None if each == "lost" else each for each in inner),
                float(values.values[-1]),
            ],
            "%",
            "ns",
            "round",
            round=number,
            count=values.count,
            lost=gone,
        )
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
        quantity,
        kind,
        rounded(of.at, 1),
        per_ns,
        "ns",
        "1/ns",
        scope,
        round=number,
        bandwidth=of.bandwidth,
    )


def _bins(quantity: str, kind: str, of: stats.Histogram) -> Curve:
    """Return bins by their edges; samples beyond the first and the last edge have open bins."""
    inner = of.edges.tolist()
    edges = [None, *inner, None]
    middles = [(a + b) / 2 for a, b in pairwise(inner)]
    return Curve(
        quantity,
        kind,
        [None, *middles, None],
        [of.below, *of.counts, of.above],
        "ns",
        "",
        low=edges[:-1],
        high=edges[1:],
    )


OVERVIEW_POINTS = 2000
"""Points of the timeline of a whole round."""

OVERVIEW_BUDGET = 100_000

CURVE_BUDGET = 24_000
"""Points of a whole campaign."""

AUTOCORRELATION_LAGS = 60

DETAIL_POINTS = 5000
"""Samples at the end of the round that are shown one by one."""

DETAIL_BUDGET = 100_000
"""Points of a whole campaign: with many cases each shows fewer single samples."""

LOST_POINTS = 500


@dataclass(frozen=True, slots=True)
class Thinning:
    """How many points each curve of a case may have, so that a whole campaign stays small."""

    detail: int = DETAIL_POINTS
    overview: int = OVERVIEW_POINTS
    curve: int = CURVE_POINTS
    shape: int = SHAPE_POINTS
    box: int = BOX_POINTS

    @classmethod
    def for_campaign(cls, cases: int, rounds: int) -> Thinning:
        """Limit the points for a campaign of this many cases, and rounds of all of them."""
        return cls(
            detail=max(200, min(DETAIL_POINTS, DETAIL_BUDGET // max(1, cases))),
            overview=max(200, min(OVERVIEW_POINTS, OVERVIEW_BUDGET // max(1, cases))),
            curve=max(80, min(CURVE_POINTS, CURVE_BUDGET // max(1, cases))),
            shape=shape_points(cases),
            box=box_points(rounds),
        )

    def halved(self) -> Thinning:
        """Return half as many points, for what stands beside the main timeline."""
        return replace(self, detail=self.detail // 2, overview=self.overview // 2)


def distributed(
    pools: Pools,
    quantity: Quantity,
    factor: float,
    thinning: Thinning,
    lost: Mapping[int, int] | None,
) -> Iterator[Curve]:
    """Return how the latencies of a case and their variation are distributed, all times `factor`.
    `lost`: by round what never came back, which is later than any; None: it is not known."""
    if pools.latency is None:
        return
    latency = pools.latency.pooled.scaled(factor)
    gone = None if lost is None else sum(lost.values())
    yield percentiles(latency, quantity, thinning.curve, gone)
    yield from shape(latency, quantity, thinning.shape, lost=gone)
    yield from boxes(pools.numbers, pools.latency, factor, quantity, thinning.box, lost)
    if pools.jitter is None or pools.ipdv is None:
        return
    ipdv, jitter = (pool.pooled.scaled(factor) for pool in (pools.ipdv, pools.jitter))
    varied = JITTER[quantity]
    yield from shape(ipdv, varied, thinning.shape, magnitude=jitter)
    yield from boxes(pools.jitter_numbers, pools.jitter, factor, varied, thinning.box, {})
    yield percentiles(jitter, varied, thinning.curve)


def autocorrelation(number: int, latency_ns: FloatArray, quantity: Quantity) -> Iterator[Curve]:
    """Return the autocorrelation of round `number` in time order, and within what limits 95 % of
    it would lie if samples were independent; none if latency does not vary."""
    found = stats.autocorrelation(latency_ns, AUTOCORRELATION_LAGS) if latency_ns.size else None
    if found is None:
        return
    limit = 1.96 / sqrt(latency_ns.size)
    yield Curve(
        quantity,
        "autocorrelation",
        range(len(found)),
        rounded(found, 4),
        "",
        "",
        "round",
        round=number,
        low=[-limit] * len(found),
        high=[limit] * len(found),
        count=int(latency_ns.size),
    )


def of_rounds(values: Mapping[int, float], quantity: str, unit: str) -> Iterator[Curve]:
    """Return a value for each round, if there is one."""
    if values:
        yield Curve(quantity, "rounds", [*values], [*values.values()], "", unit)


def timeline(
    number: int,
    start_ns: FloatArray,
    value_ns: FloatArray,
    lost_start_ns: FloatArray,
    quantity: str,
    thinning: Thinning,
) -> Iterator[Curve]:
    """Return latency over the time of round `number` from times of sending and latencies, in any
    order: thinned, with the smallest and largest of every stretch; its last samples, every one,
    which may be the whole; and when samples were sent that never came back, evenly spread where
    there are many. None where there are no latencies, or no times."""
    if not value_ns.size or np.isnan(start_ns[0]):
        return
    detail = thinning.detail
    starts, values = start_ns, value_ns
    if (starts[1:] < starts[:-1]).any():
        order = np.argsort(starts, kind="stable")
        starts, values = starts[order], values[order]
    begin = min(starts[0], lost_start_ns.min()) if lost_start_ns.size else starts[0]
    seconds = (starts - begin) / 1e9

    def curve(kind: str, t: FloatArray, y: list[float | None], count: int) -> Curve:
        return Curve(
            quantity, kind, rounded(t, 6), y, "s", "ns", "round", round=number, count=count
        )

    if seconds.size > detail:
        t, y = stats.decimate(seconds, values, thinning.overview)
        yield curve("timeline", t, [*rounded(y, 1)], values.size)
    yield curve("detail", seconds[-detail:], [*rounded(values[-detail:], 1)], values.size)
    if lost_start_ns.size:
        lost = _spread(np.sort(lost_start_ns - begin)) / 1e9
        yield curve("lost", lost, [None] * lost.size, lost_start_ns.size)


def _spread(lost: FloatArray) -> FloatArray:
    """Choose at most `LOST_POINTS` of the times, evenly by rank, with the first and the last."""
    if lost.size <= LOST_POINTS:
        return lost
    chosen: FloatArray = lost[np.linspace(0, lost.size - 1, LOST_POINTS).round().astype(np.int64)]
    return chosen


def rate(number: int, intervals: pl.DataFrame, measured_s: float | None = None) -> Iterator[Curve]:
    """Return what the readers read over time, from the interval counters of round `number`, all
    writers together, at the middle of each interval.

    Intervals that begin after the measured time hold stragglers only and are left out.
    """
    end = None if measured_s is None else measured_s * 1e9
    intervals = intervals if end is None else intervals.filter(pl.col("start_ns") < end)
    rows = intervals.filter(
        (pl.col("role") == "receiver") & (pl.col("duration_ns") > 0)
    ).drop_nulls(["start_ns", "duration_ns", "samples"])
    if rows.is_empty():
        return
    # Readers and writers count in step but not to the nanosecond: gather what is in one step.
    step = float(np.median(rows["duration_ns"].to_numpy()))
    seconds = pl.col("duration_ns") / 1e9
    table = (
        rows.with_columns((pl.col("start_ns") / step).round().cast(pl.Int64).alias("step"))
        .group_by("step")
        .agg(
            ((pl.col("start_ns") + pl.col("duration_ns") / 2).mean() / 1e9).alias("t"),
            (pl.col("samples") / seconds).sum().alias("samples_per_s"),
            (pl.col("bytes") * 8 / 1e6 / seconds).sum().alias("mbit_per_s"),
        )
        .sort("step")
    )
    t = rounded(table["t"].to_numpy(), 4)
    for quantity, column, places, unit in (
        ("read_rate", "samples_per_s", 1, "1/s"),
        ("goodput", "mbit_per_s", 3, "Mbit/s"),
    ):
        y = rounded(table[column].to_numpy(), places)
        yield Curve(quantity, "timeline", t, y, "s", unit, "round", round=number)


def middle_round(values: dict[int, float]) -> int | None:
    """Return the round whose value is nearest to the median of all; the earliest of several."""
    if not values:
        return None
    middle = float(np.median(list(values.values())))
    return min(values, key=lambda number: (abs(values[number] - middle), number))
