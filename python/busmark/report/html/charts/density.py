"""Kernel densities: bandwidth from the data, or the 10 µs of older measurements."""

from __future__ import annotations

from collections.abc import Sequence

from busmark.analysis.model import Campaign, CaseSummary
from busmark.analysis.shapes import Density, Shape
from busmark.analysis.text import figure_text, number
from busmark.report.html.charts import style
from busmark.report.html.charts.chart import Keys, Panel, Trace
from busmark.report.html.charts.subject import Subject, caption, floor_line

PER_CENT_PER_MICRO = 1e5
"""Share per nanosecond as per cent per microsecond."""


class FromData:
    """Silverman's bandwidth."""

    NAME = "density"
    EXPLANATION = (
        "Gaussian kernel density, its bandwidth by Silverman's rule, from the 0.5th to the 99.5th "
        "percentile. The area below each curve is 100 %."
    )

    @staticmethod
    def density(shape: Shape) -> Density:
        """The one that is drawn."""
        return shape.density

    @classmethod
    def panel(
        cls, campaign: Campaign, keys: Keys, members: Sequence[CaseSummary], subject: Subject
    ) -> Panel:
        """A curve for each case; the floor as a line."""
        drawn = [(case, cls.density(s)) for case in members if (s := subject.shape(case))]
        traces = [_curve(campaign, case, density) for case, density in drawn]
        tops = [v for trace in traces for v in trace["y"]]
        floor, told = floor_line(campaign, members[0], max(tops, default=1.0), subject)
        layout = {
            "xaxis": subject.linear_axis(members),
            "yaxis": style.axis("percent of the samples per µs", rangemode="tozero"),
        }
        widths = sorted(density.bandwidth_ns / style.MICRO for _, density in drawn)
        told = f" Bandwidth {_span(widths)} µs.{told}"
        shown = caption(keys, members, subject, told)
        return Panel(keys, [*traces, *floor], layout, shown, cls.EXPLANATION)


class Fixed(FromData):
    """10 µs."""

    NAME = "density, 10 µs"
    EXPLANATION = (
        "Gaussian kernel density with a bandwidth of 10 µs, as OpenDDSBench draws it (2010): for "
        "charts beside those. What is quicker than some 10 µs is smeared over its axis."
    )

    @staticmethod
    def density(shape: Shape) -> Density:
        """The one that is drawn."""
        return shape.density_10us


def _curve(campaign: Campaign, case: CaseSummary, density: Density) -> Trace:
    label = style.label_of(campaign, case)
    return {
        "x": style.micro(density.at_ns),
        "y": [style.short(per * PER_CENT_PER_MICRO) for per in density.per_ns],
        "name": label.text,
        "mode": "lines",
        "line": style.line(label),
        "hovertemplate": "%{y:.3~g} % per µs at %{x:.4~g} µs",
    }


def _span(values: Sequence[float]) -> str:
    if not values:
        return figure_text(None)
    low, high = number(values[0]), number(values[-1])
    return low if low == high else f"{low} to {high}"
