"""What the plots show: thinned so that a page stays small, never so that an extreme is lost."""

from __future__ import annotations

from math import floor, log10

import numpy as np
import polars as pl

from busmark import stats
from busmark.analysis.figures import FloatArray, Frozen, Quantity
from busmark.analysis.resources import SystemSeries

CURVE_POINTS = 240
"""Of a percentile curve."""

OVERVIEW_POINTS = 2000
"""Of the timeline of a whole round."""

DETAIL_POINTS = 5000
"""Samples at the end of the round that are shown one by one."""

DETAIL_BUDGET = 100_000
"""Of a whole campaign: with many cases each shows fewer single samples."""

LOST_POINTS = 500


class Curve(Frozen):
    """Percentile curve of all samples: latency `value_ns` at `percent`."""

    quantity: Quantity
    count: int
    percent: list[float]
    value_ns: list[float]


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
    """When samples were sent that never came back, at most 500 of them."""


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


class CaseSeries(Frozen):
    """Of one case; absent where it was not measured."""

    curve: Curve | None = None
    timeline: Timeline | None = None
    medians: RoundValues | None = None
    rate: RateSeries | None = None
    system: SystemSeries | None = None


def curve(rounds: list[FloatArray], quantity: Quantity) -> Curve | None:
    """Percentile curve of all rounds together (ns)."""
    rounds = [r for r in rounds if r.size]
    if not rounds:
        return None
    pooled = np.concatenate(rounds)
    values, percent = stats.percentile_curve(pooled, CURVE_POINTS)
    return Curve(
        quantity=quantity,
        count=int(pooled.size),
        percent=[_tail_rounded(p) for p in percent.tolist()],
        value_ns=_rounded(values, 1),
    )


def _tail_rounded(percent: float) -> float:
    """Keep four digits of the distance to 100 %: the axis shows that distance."""
    beyond = 100.0 - percent
    return percent if beyond <= 0 else round(percent, 4 - floor(log10(beyond)))


def timeline(
    number: int,
    start_ns: FloatArray,
    value_ns: FloatArray,
    lost_start_ns: FloatArray,
    quantity: Quantity,
    detail: int = DETAIL_POINTS,
) -> Timeline | None:
    """The timeline of round `number` from times of sending and latencies, in any order."""
    if not value_ns.size:
        return None
    order = np.argsort(start_ns, kind="stable")
    values = value_ns[order]
    starts = start_ns[order]
    begin = min(starts[0], lost_start_ns.min()) if lost_start_ns.size else starts[0]
    seconds = (starts - begin) / 1e9
    whole = seconds.size <= detail
    t, y = (seconds[:0], values[:0]) if whole else stats.decimate(seconds, values, OVERVIEW_POINTS)
    return Timeline(
        quantity=quantity,
        round=number,
        count=int(values.size),
        t_s=_rounded(t, 6),
        value_ns=_rounded(y, 1),
        detail_t_s=_rounded(seconds[-detail:], 6),
        detail_value_ns=_rounded(values[-detail:], 1),
        lost_t_s=_rounded(np.sort(lost_start_ns - begin)[:LOST_POINTS] / 1e9, 6),
    )


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
        t_s=_rounded(table["t"].to_numpy(), 4),
        samples_per_s=_rounded(table["samples_per_s"].to_numpy(), 1),
        mbit_per_s=_rounded(table["mbit_per_s"].to_numpy(), 3),
    )


def middle_round(values: dict[int, float]) -> int | None:
    """The round whose value is nearest to the median of all; the earliest of several."""
    if not values:
        return None
    middle = float(np.median(list(values.values())))
    return min(values, key=lambda number: (abs(values[number] - middle), number))


def _rounded(values: FloatArray, places: int) -> list[float]:
    return [round(v, places) for v in values.tolist()]
