"""The points of a case's curves: percentiles, timelines, rates."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from math import sqrt

import numpy as np
import polars as pl

from busmark import stats
from busmark.estimate.samples import Pools
from busmark.estimate.series import Curve
from busmark.estimate.shapes import (
    BOX_POINTS,
    CURVE_POINTS,
    SHAPE_POINTS,
    box_points,
    boxes,
    percentiles,
    rounded,
    shape,
    shape_points,
)
from busmark.model.figure import JITTER, FloatArray, Quantity

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
    def of(cls, cases: int, rounds: int) -> Thinning:
        """For a campaign of this many cases, and rounds of all of them."""
        return cls(
            detail=max(200, min(DETAIL_POINTS, DETAIL_BUDGET // max(1, cases))),
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
) -> Iterator[Curve]:  # fmt: skip
    """Return how the latencies of a case and their variation are distributed, all times `factor`.
    `lost`: by round what never came back, which is later than any; None: it is not known."""
    if pools.latency is None:
        return
    latency = pools.latency.pooled.scaled(factor)
    gone = None if lost is None else sum(lost.values())
    yield percentiles(latency, quantity, thinning.curve, gone)
    yield from shape(latency, quantity, thinning.shape, lost=gone)
    yield from boxes(pools.numbers, pools.latency, factor, quantity, thinning.box, lost)
    if pools.jitter is None:
        return
    jitter = pools.jitter.pooled.scaled(factor)
    varied = JITTER[quantity]
    yield from shape(pools.signed_jitter().scaled(factor), varied, thinning.shape, magnitude=jitter)
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
        quantity, "autocorrelation", range(len(found)), rounded(found, 4), "", "", "round",
        round=number, low=[-limit] * len(found), high=[limit] * len(found),
        count=int(latency_ns.size),
    )  # fmt: skip


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
    """As many as are shown, the first and the last among them."""
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
    for quantity, column, places, unit in (("read_rate", "samples_per_s", 1, "1/s"),
                                           ("goodput", "mbit_per_s", 3, "Mbit/s")):  # fmt: skip
        y = rounded(table[column].to_numpy(), places)
        yield Curve(quantity, "timeline", t, y, "s", unit, "round", round=number)


def middle_round(values: dict[int, float]) -> int | None:
    """The round whose value is nearest to the median of all; the earliest of several."""
    if not values:
        return None
    middle = float(np.median(list(values.values())))
    return min(values, key=lambda number: (abs(values[number] - middle), number))
