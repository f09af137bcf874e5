"""Goodput over the time of one round."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from busmark.analysis.model import Campaign, CaseSummary
from busmark.present.charts import look, panels
from busmark.present.charts.kinds.kind import ChartKind
from busmark.present.charts.shapes import Axis, Curve, Picture, Point


def _draw(campaign: Campaign, cases: Sequence[CaseSummary]) -> Iterator[Picture]:
    """Mbit/s by interval."""
    for keys, members in panels.split(cases, panels.where):
        curves = [curve for case in members if (curve := _curve(campaign, case))]
        points = panels.span_text([len(curve.points) for curve in curves])
        yield Picture(
            keys, members,
            Axis("time since the begin of the measurement, s"),
            Axis("goodput, Mbit/s", from_zero=True),
            curves, f"one round each, the middle one; {points} intervals.",
        )  # fmt: skip


def _curve(campaign: Campaign, case: CaseSummary) -> Curve | None:
    rate = case.series and case.series.rate
    if not rate:
        return None
    note = f"round {rate.round}"
    points = [Point(t, v, note=note) for t, v in zip(rate.t_s, rate.mbit_per_s, strict=True)]
    return Curve(case.label, look.label_of(campaign, case), points, marks=False)


CHART = ChartKind(
    "goodput-time", "Goodput over time", "throughput",
    "The round whose goodput is nearest to the middle one, interval by interval.",
    "throughput cases with counters by interval",
    lambda case: case.series and case.series.rate, _draw, of_series=True,
)  # fmt: skip
