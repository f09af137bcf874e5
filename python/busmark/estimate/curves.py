"""The points of a case's curves: percentiles, timelines, rates."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import sqrt

import numpy as np
import polars as pl
from pydantic import Field

from busmark import stats
from busmark.estimate.resources import SystemSeries
from busmark.estimate.samples import Pools
from busmark.estimate.shapes import (
    BOX_POINTS,
    CURVE_POINTS,
    SHAPE_POINTS,
    Curve,
    RoundBox,
    Shape,
    box_points,
    boxes,
    curve,
    rounded,
    shape,
    shape_points,
)
from busmark.model.figure import JITTER, FloatArray, Frozen, Quantity

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


class Timeline(Frozen):
    """Latency over the time of one round; times in seconds from its first sample."""

    quantity: Quantity
    round: int
    count: int
    t_s: list[float]
    """Thinned, smallest and largest of every stretch kept; empty when `detail` is the whole."""
    value_ns: list[float]
    detail_t_s: list[float]
    """The last samples of the round, every one."""
    detail_value_ns: list[float]
    lost_t_s: list[float]
    """When samples were sent that never came back: all, or 500 that are spread evenly over them."""
    lost: int = 0
    """How many there are."""


class RoundValues(Frozen):
    """One figure per counted round."""

    rounds: list[int]
    values: list[float]
    unit: str


class RateSeries(Frozen):
    """Goodput at the reader over the time of one round."""

    round: int
    t_s: list[float]
    """Middle of each interval, from the begin of the measurement."""
    samples_per_s: list[float]
    mbit_per_s: list[float]


class Autocorrelation(Frozen):
    """How alike latencies some samples apart are, in the round that `timeline` shows."""

    round: int
    count: int
    values: list[float]
    """At lag 0, 1, 2, …"""
    limit: float
    """Within which 95 % of them would lie if samples were independent."""


class CaseSeries(Frozen):
    """Series of one case; absent if it was not measured."""

    curve: Curve | None = None
    """To the last sample: for a logarithmic axis of the distance to 100 %."""
    shape: Shape | None = None
    """Shape of the quantity of `curve`."""
    timeline: Timeline | None = None
    autocorrelation: Autocorrelation | None = None
    boxes: list[RoundBox] = Field(default=[])
    """A box for each counted round, of the quantity of `curve`."""
    jitter: Shape | None = None
    """Signed variation from each sample to the next."""
    jitter_curve: Curve | None = None
    """Curve of its magnitude."""
    jitter_boxes: list[RoundBox] = Field(default=[])
    """Boxes of its magnitude, for each counted round that has two consecutive samples."""
    jitter_timeline: Timeline | None = None
    """Signed, at the later sample's time; of the same round as `timeline`."""
    medians: RoundValues | None = None
    rate: RateSeries | None = None
    system: list[SystemSeries] = Field(default=[])
    """One for each node; empty if no counters were read."""


@dataclass(frozen=True, slots=True)
class Thinning:
    """How many points each curve of a case may have, so that a whole campaign stays small."""

    detail: int = DETAIL_POINTS
    overview: int = OVERVIEW_POINTS
    curve: int = CURVE_POINTS
    shape: int = SHAPE_POINTS
    box: int = BOX_POINTS

    @classmethod
    def of(cls, cases: int, rounds: int) -> Thinning:
        """For a campaign of this many cases, and rounds of all of them."""
        return cls(
            detail=detail_points(cases),
            overview=max(200, min(OVERVIEW_POINTS, OVERVIEW_BUDGET // max(1, cases))),
            curve=max(80, min(CURVE_POINTS, CURVE_BUDGET // max(1, cases))),
            shape=shape_points(cases),
            box=box_points(rounds),
        )

    def halved(self) -> Thinning:
        """For what stands beside the main timeline: half of its points."""
        return replace(self, detail=self.detail // 2, overview=self.overview // 2)


def distributed(
    pools: Pools, quantity: Quantity, factor: float, thinning: Thinning,
    lost: Mapping[int, int] | None,
) -> CaseSeries:  # fmt: skip
    """How the latencies of a case and their variation are distributed, all times `factor`. `lost`:
    by round what never came back, which is later than any; None: it is not known."""
    if pools.latency is None:
        return CaseSeries()
    latency = pools.latency.pooled.scaled(factor)
    gone = None if lost is None else sum(lost.values())
    drawn = CaseSeries(
        curve=curve(latency, quantity, thinning.curve, gone),
        shape=shape(latency, quantity, thinning.shape, lost=gone),
        boxes=boxes(pools.numbers, pools.latency, factor, thinning.box, lost),
    )
    if pools.jitter is None:
        return drawn
    jitter = pools.jitter.pooled.scaled(factor)
    signed = pools.signed_jitter().scaled(factor)
    varied = JITTER[quantity]
    changes = {
        "jitter": shape(signed, varied, thinning.shape, magnitude=jitter),
        "jitter_curve": curve(jitter, varied, thinning.curve),
        "jitter_boxes": boxes(pools.jitter_numbers, pools.jitter, factor, thinning.box, {}),
    }
    return drawn.model_copy(update=changes)


def autocorrelation(number: int, latency_ns: FloatArray) -> Autocorrelation | None:
    """Autocorrelation of round `number` in time order; None if latency does not vary."""
    found = stats.autocorrelation(latency_ns, AUTOCORRELATION_LAGS) if latency_ns.size else None
    if found is None:
        return None
    return Autocorrelation(
        round=number,
        count=int(latency_ns.size),
        values=rounded(found, 4),
        limit=1.96 / sqrt(latency_ns.size),
    )


def timeline(
    number: int,
    start_ns: FloatArray,
    value_ns: FloatArray,
    lost_start_ns: FloatArray,
    quantity: Quantity,
    thinning: Thinning,
) -> Timeline | None:
    """The timeline of round `number` from times of sending and latencies, in any order; None where
    there are no latencies, or no times."""
    if not value_ns.size or np.isnan(start_ns[0]):
        return None
    detail = thinning.detail
    starts, values = start_ns, value_ns
    if (starts[1:] < starts[:-1]).any():
        order = np.argsort(starts, kind="stable")
        starts, values = starts[order], values[order]
    begin = min(starts[0], lost_start_ns.min()) if lost_start_ns.size else starts[0]
    seconds = (starts - begin) / 1e9
    whole = seconds.size <= detail
    t, y = (
        (seconds[:0], values[:0]) if whole else stats.decimate(seconds, values, thinning.overview)
    )
    return Timeline(
        quantity=quantity,
        round=number,
        count=int(values.size),
        t_s=rounded(t, 6),
        value_ns=rounded(y, 1),
        detail_t_s=rounded(seconds[-detail:], 6),
        detail_value_ns=rounded(values[-detail:], 1),
        lost_t_s=rounded(_spread(np.sort(lost_start_ns - begin)) / 1e9, 6),
        lost=int(lost_start_ns.size),
    )


def _spread(lost: FloatArray) -> FloatArray:
    """As many as are shown, the first and the last among them."""
    if lost.size <= LOST_POINTS:
        return lost
    chosen: FloatArray = lost[np.linspace(0, lost.size - 1, LOST_POINTS).round().astype(np.int64)]
    return chosen


def detail_points(cases: int) -> int:
    """Single samples that each of this many cases may show."""
    return max(200, min(DETAIL_POINTS, DETAIL_BUDGET // max(1, cases)))


def rate(
    number: int, intervals: pl.DataFrame, measured_s: float | None = None
) -> RateSeries | None:
    """Goodput over time from the interval counters of round `number`, all writers together.

    Intervals that begin after the measured time hold stragglers only and are left out.
    """
    end = None if measured_s is None else measured_s * 1e9
    intervals = intervals if end is None else intervals.filter(pl.col("start_ns") < end)
    rows = intervals.filter(
        (pl.col("role") == "receiver") & (pl.col("duration_ns") > 0)
    ).drop_nulls(["start_ns", "duration_ns", "samples"])
    if rows.is_empty():
        return None
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
    return RateSeries(
        round=number,
        t_s=rounded(table["t"].to_numpy(), 4),
        samples_per_s=rounded(table["samples_per_s"].to_numpy(), 1),
        mbit_per_s=rounded(table["mbit_per_s"].to_numpy(), 3),
    )


def middle_round(values: dict[int, float]) -> int | None:
    """The round whose value is nearest to the median of all; the earliest of several."""
    if not values:
        return None
    middle = float(np.median(list(values.values())))
    return min(values, key=lambda number: (abs(values[number] - middle), number))
