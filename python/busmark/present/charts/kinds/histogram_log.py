"""Histograms of all samples: bins of equal ratio from the smallest value to the largest."""

from __future__ import annotations

from collections.abc import Sequence
from math import nan

from busmark.analysis.case.shapes import Histogram
from busmark.analysis.model import Campaign, CaseSummary
from busmark.analysis.words import text
from busmark.present.charts import look, panels
from busmark.present.charts.kinds.distributions import charts, told, with_floor
from busmark.present.charts.kinds.measures import Measure
from busmark.present.charts.panels import Keys
from busmark.present.charts.shapes import Axis, Curve, Picture, Point


def _of(measure: Measure, case: CaseSummary) -> Histogram | None:
    shape = measure.shape(case)
    return shape.log_histogram if shape else None


def _draw(
    campaign: Campaign, keys: Keys, members: Sequence[CaseSummary], measure: Measure
) -> Picture:
    shown, floor = with_floor(campaign, members, measure)
    known = [(case, found) for case in shown if (found := _of(measure, case))]
    curves = [
        Curve(case.label, look.label_of(campaign, case), _outline(found), marks=False, steps=True)
        for case, found in known
    ]
    counts = [_total(found) for case, found in known if not case.is_floor]
    return Picture(
        keys, members, Axis(measure.magnitude(members), "log"),
        Axis("samples that came back in bin, %", "log"), curves,
        f"{told(members, counts)}. 25 bins of equal ratio from the smallest sample above 0 to the "
        f"largest.{panels.back_text(members)}{floor}",
    )  # fmt: skip


def _total(histogram: Histogram) -> int:
    return sum(histogram.counts) + histogram.below + histogram.above


def _outline(histogram: Histogram) -> list[Point]:
    """Steps along the bins; a logarithmic axis has no place for one without samples."""
    total = _total(histogram)
    counts = [*histogram.counts, histogram.counts[-1]]
    return [
        Point(edge / look.MICRO, 100 * count / total if count else nan, note=text.samples(count))
        for edge, count in zip(histogram.edges_ns, counts, strict=True)
    ]


CHARTS = charts(
    "histogram-log", "histogram of all samples, logarithmic", "histogram of everything",
    "25 bins of equal ratio from the smallest sample of each case to the largest, on a "
    "logarithmic axis: one sample in a million is still seen. For jitter: its "
    "magnitude. Only samples that came back: a lost sample is in no bin.", _draw, _of,
)  # fmt: skip
