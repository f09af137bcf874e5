"""Histograms of the middle: bins of equal width between the 5th and the 95th percentile."""

from __future__ import annotations

from collections.abc import Sequence

from busmark.analysis.case.shapes import Shape
from busmark.analysis.model import Campaign, CaseSummary
from busmark.analysis.words import text
from busmark.present.charts import look
from busmark.present.charts.kinds.distributions import beside_floor, charts
from busmark.present.charts.kinds.measures import Measure
from busmark.present.charts.panels import Keys
from busmark.present.charts.shapes import Curve, Picture, Point

FEW = 3
"""Cases up to which areas are filled: more would hide each other."""


def _draw(
    campaign: Campaign, keys: Keys, members: Sequence[CaseSummary], measure: Measure
) -> Picture:
    known = measure.shapes(members)
    fill = 0.25 if len(known) <= FEW else 0.0
    curves = [
        Curve(
            case.label, look.label_of(campaign, case), _outline(shape), marks=False, steps=True,
            fill=fill,
        )
        for case, shape in known
    ]  # fmt: skip
    return beside_floor(
        campaign, keys, members, measure, "samples that came back in bin, %", curves,
        "25 bins between the 5th and the 95th percentile of what came back; a tenth of it lies "
        "beyond.", apart=True,
    )  # fmt: skip


def _outline(shape: Shape) -> list[Point]:
    """Steps along the bins, in per cent of all samples."""
    counts = shape.histogram.counts
    return [
        Point(edge / look.MICRO, 100 * count / shape.count, note=text.samples(count))
        for edge, count in zip(shape.histogram.edges_ns, (*counts, counts[-1]), strict=True)
    ]


CHARTS = charts(
    "histogram", "histogram", "histogram",
    "25 bins between the 5th and the 95th percentile of each case. What lies beyond them is in "
    "none; the histogram of everything has it. Only samples that came back: a lost sample is in "
    "no bin.",
    _draw,
)  # fmt: skip
