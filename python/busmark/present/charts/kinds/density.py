"""Kernel densities: bandwidth from the data, or the 10 µs of older measurements."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from busmark.analysis.case.shapes import Density, Shape
from busmark.analysis.model import Campaign, CaseSummary
from busmark.analysis.words.text import number, scale_for
from busmark.present.charts import look
from busmark.present.charts.kinds.curves import density_points
from busmark.present.charts.kinds.distributions import Draw, beside_floor, charts
from busmark.present.charts.kinds.measures import Measure
from busmark.present.charts.panels import Keys
from busmark.present.charts.shapes import Curve, Picture, Point


def _drawing(of: Callable[[Shape], Density]) -> Draw:
    def draw(
        campaign: Campaign, keys: Keys, members: Sequence[CaseSummary], measure: Measure
    ) -> Picture:
        known = measure.shapes(members)
        curves = [
            Curve(
                case.label, look.label_of(campaign, case),
                [Point(at, per) for at, per in density_points(of(shape), shape)], marks=False,
            )
            for case, shape in known
        ]  # fmt: skip
        explained = (
            f"Gaussian kernel, bandwidth {_span([of(shape) for _, shape in known])}, cut off at "
            "the smallest and the largest sample; the central 99 %, of what came back."
        )
        return beside_floor(campaign, keys, members, measure, "density, 1/µs", curves, explained)

    return draw


def _span(densities: Sequence[Density]) -> str:
    widths = [density.bandwidth_ns for density in densities]
    low, high = min(widths), max(widths)
    scale = scale_for([low])
    shown = dict.fromkeys(number(value / scale.factor) for value in (low, high))
    return f"{' to '.join(shown)} {scale.unit}"


CHARTS = (
    *charts(
        "density", "density", "density",
        "Gaussian kernel density, its bandwidth by Silverman's rule, from the 0.5th to the 99.5th "
        "percentile. The area below each curve is what came back.",
        _drawing(lambda shape: shape.density),
    ),
    *charts(
        "density-10us", "density, 10 µs", "density, 10 µs",
        "Gaussian kernel density with a bandwidth of 10 µs, as OpenDDSBench draws it (2010): for "
        "charts beside those. What is quicker than some 10 µs is smeared over its axis.",
        _drawing(lambda shape: shape.density_10us),
    ),
)  # fmt: skip
