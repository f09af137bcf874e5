"""The charts: one file each, one line here. Every form that draws a shape has all charts of it."""

from busmark.present.charts.kinds import (
    ascent,
    autocorrelation,
    capacity,
    density,
    endpoints,
    existing,
    goodput,
    histogram,
    histogram_log,
    layers,
    medians,
    memory,
    on_the_wire,
    overviews,
    percentiles,
    quantiles,
    rate,
    resources,
    rounds,
    sizes,
    timeline,
)
from busmark.present.charts.kinds.kind import ChartKind
from busmark.present.charts.shapes import Picture

CHARTS: tuple[ChartKind, ...] = (
    *layers.CHARTS,
    goodput.CHART,
    *sizes.CHARTS,
    ascent.CHART,
    capacity.CHART,
    *on_the_wire.CHARTS,
    existing.CHART,
    endpoints.CHART,
    memory.CHART,
    *overviews.CHARTS,
    medians.CHART,
    *percentiles.CHARTS,
    *quantiles.CHARTS,
    *histogram_log.CHARTS,
    *density.CHARTS,
    *histogram.CHARTS,
    *rounds.CHARTS,
    *timeline.CHARTS,
    *resources.CHARTS,
    autocorrelation.CHART,
    rate.CHART,
)
"""In the order in which they are shown: figures of many cases, then what is of samples."""

CURVES = tuple(chart for chart in CHARTS if chart.shape is Picture and not chart.by_case)
"""Those that the workbook draws: of a distribution it has what is of single cases."""
