"""Percentile plots: how latency, or the magnitude of jitter, grows towards the rarest samples."""

from __future__ import annotations

from collections.abc import Sequence

from busmark.analysis.model import Campaign, CaseSummary
from busmark.present.charts import look, panels
from busmark.present.charts.kinds.distributions import charts, told, with_floor
from busmark.present.charts.kinds.measures import Measure
from busmark.present.charts.panels import Keys
from busmark.present.charts.shapes import Axis, Curve, Picture, Point


def _draw(
    campaign: Campaign, keys: Keys, members: Sequence[CaseSummary], measure: Measure
) -> Picture:
    curves = []
    shown, floor = with_floor(campaign, members, measure)
    for case in shown:
        if curve := measure.curve(case):
            # A logarithmic axis has no place for equal stamps: no jitter at all.
            points = [
                Point(percent, value / look.MICRO, note=f"{round(percent, 5):g} %")
                for percent, value in zip(curve.percent, curve.value_ns, strict=True) if value > 0
            ]  # fmt: skip
            curves.append(Curve(case.label, look.label_of(campaign, case), points, marks=False))
    counts = [curve.count for case in members if (curve := measure.curve(case))]
    rests = "; the last points rest on one sample each" if all(map(measure.shape, members)) else ""
    return Picture(
        keys, members, Axis("percent of samples sent that are faster", "percent"),
        Axis(measure.magnitude(members), "log"), curves,
        f"{told(members, counts)}{rests}.{panels.back_text(members)}{floor}",
    )  # fmt: skip


CHARTS = charts(
    "percentiles", "percentiles, to the tail", "percentiles to the tail",
    "All counted rounds together. Each step to the right is ten times rarer; the last "
    "points rest on one sample each. For jitter: its magnitude. A lost sample is later "
    "than any: a curve ends where the lost begin.", _draw, Measure.curve,
)  # fmt: skip
