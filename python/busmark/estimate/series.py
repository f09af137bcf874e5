"""The series of a case, point by point: what charts draw, from its analysis."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, pairwise

import numpy as np
import polars as pl

from busmark.compare.campaign import Campaign
from busmark.estimate.columns import SERIES
from busmark.estimate.curves import Autocorrelation, CaseSeries, RateSeries, Timeline
from busmark.estimate.resources import SystemSeries
from busmark.estimate.shapes import Density, Histogram, RoundBox, Shape
from busmark.store.columns import polars_type

Values = Sequence[float | None]


@dataclass(frozen=True, slots=True)
class Points:
    """Points of one curve; the fields are columns."""

    quantity: str
    kind: str
    x: Values
    y: Values
    x_unit: str
    unit: str
    scope: str = "case"
    of: str | None = None
    round: int | None = None
    low: Values | None = None
    high: Values | None = None


def table(campaign: Campaign) -> pl.DataFrame:
    """Return the series of all cases; columns are `columns.SERIES`."""
    curves = [(case.id, of) for case in campaign.cases if case.series
              for of in of_case(case.series)]  # fmt: skip
    curve = np.repeat(np.arange(len(curves)), [len(of.x) for _, of in curves])
    columns = []
    for column in SERIES:
        kind, name = polars_type(column.kind), column.name
        if name in ("x", "y", "low", "high"):
            points = (getattr(of, name) or [None] * len(of.x) for _, of in curves)
            columns.append(pl.Series(name, [*chain.from_iterable(points)], kind, strict=False))
        else:
            values = [case if name == "case" else getattr(of, name) for case, of in curves]
            columns.append(pl.Series(name, values, kind).gather(curve))
    return pl.DataFrame(columns)


def of_case(series: CaseSeries) -> Iterator[Points]:
    """Return the curves of a case."""
    if curve := series.curve:
        yield _percentiles(curve.quantity, curve.percent, curve.value_ns)
    if series.shape:
        yield from _shape(series.shape, series.shape.quantity)
        yield from _boxes(series.shape.quantity, series.boxes)
    if jitter := series.jitter:
        yield from _shape(jitter, _signed(jitter.quantity))
        yield from _boxes(jitter.quantity, series.jitter_boxes)
    if curve := series.jitter_curve:
        yield _percentiles(curve.quantity, curve.percent, curve.value_ns)
    if series.timeline:
        yield from _timeline(series.timeline, series.timeline.quantity)
    if varied := series.jitter_timeline:
        yield from _timeline(varied, _signed(varied.quantity))
    if series.autocorrelation and series.timeline:
        yield _autocorrelation(series.timeline.quantity, series.autocorrelation)
    if medians := series.medians:
        latency = series.curve.quantity if series.curve else "latency"
        quantity = latency if medians.unit == "ns" else "goodput"
        yield Points(quantity, "rounds", medians.rounds, medians.values, "", medians.unit)
    if series.rate:
        yield from _rate(series.rate)
    for system in series.system:
        yield from _system(system)


def _percentiles(quantity: str, percent: Values, value_ns: Values) -> Points:
    return Points(quantity, "percentiles", percent, value_ns, "%", "ns")


def _signed(jitter: str) -> str:
    """Name of the variation with its sign."""
    return jitter.replace("jitter", "ipdv")


def _shape(shape: Shape, quantity: str) -> Iterator[Points]:
    even = shape.quantiles
    yield Points(quantity, "quantiles", even.percent, even.value_ns, "%", "ns")
    yield _bins(quantity, "histogram", shape.histogram)
    if shape.log_histogram:
        yield _bins(shape.quantity, "log_histogram", shape.log_histogram)
    yield _density(quantity, "density", shape.density)
    yield _density(quantity, "density_10us", shape.density_10us)
    smooth = shape.smoothed_cdf
    yield Points(quantity, "smoothed_ecdf", smooth.at_ns, smooth.share, "ns", "1")


def _bins(quantity: str, kind: str, of: Histogram) -> Points:
    """Bins by their edges; samples beyond the first and the last edge have open bins."""
    edges = [None, *of.edges_ns, None]
    middles = [(a + b) / 2 for a, b in pairwise(of.edges_ns)]
    return Points(
        quantity, kind, [None, *middles, None], [of.below, *of.counts, of.above], "ns", "",
        low=edges[:-1], high=edges[1:],
    )  # fmt: skip


def _density(quantity: str, kind: str, of: Density) -> Points:
    return Points(quantity, kind, of.at_ns, of.per_ns, "ns", "1/ns")


def _boxes(quantity: str, boxes: Iterable[RoundBox]) -> Iterator[Points]:
    for box in boxes:
        values = (box.min_ns, box.p5_ns, box.p25_ns, box.median_ns, box.p75_ns, box.p95_ns,
                  box.max_ns)  # fmt: skip
        yield Points(
            quantity, "box", (0, 5, 25, 50, 75, 95, 100), values, "%", "ns", "round",
            round=box.round,
        )  # fmt: skip
        yield replace(_density(quantity, "density", box.density), scope="round", round=box.round)


def _timeline(of: Timeline, quantity: str) -> Iterator[Points]:
    for kind, x, y in (
        ("timeline", of.t_s, of.value_ns),
        ("detail", of.detail_t_s, of.detail_value_ns),
        ("lost", of.lost_t_s, [None] * len(of.lost_t_s)),
    ):
        yield Points(quantity, kind, x, y, "s", "ns", "round", round=of.round)


def _autocorrelation(quantity: str, of: Autocorrelation) -> Points:
    count = len(of.values)
    return Points(
        quantity, "autocorrelation", range(count), of.values, "", "", "round", round=of.round,
        low=[-of.limit] * count, high=[of.limit] * count,
    )  # fmt: skip


def _rate(of: RateSeries) -> Iterator[Points]:
    for quantity, y, unit in (("read_rate", of.samples_per_s, "1/s"),
                              ("goodput", of.mbit_per_s, "Mbit/s")):  # fmt: skip
        yield Points(quantity, "timeline", of.t_s, y, "s", unit, "round", round=of.round)


def _system(of: SystemSeries) -> Iterator[Points]:
    """What participants used, at the end of each interval."""
    for one in of.participants:
        name = f"{one.participant} on {of.node}" if of.node else one.participant
        for quantity, y, unit in (
            ("cpu_user", one.cpu_user, "CPU"),
            ("cpu_system", one.cpu_system, "CPU"),
            ("switches", one.switches_per_s, "1/s"),
            ("memory", one.rss_bytes, "B"),
        ):
            if y:
                yield Points(
                    quantity, "timeline", of.t_s[1:], y, "s", unit, "participant", name, of.round
                )
