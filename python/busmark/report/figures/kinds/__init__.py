"""The kinds of figures: one file each, one line here."""

from busmark.report.figures.kind import Kind
from busmark.report.figures.kinds import (
    ascent,
    autocorrelation,
    boxes,
    capacity,
    density,
    ecdf,
    goodput,
    heat,
    histogram,
    percentiles,
    quantiles,
    rate,
    rounds,
    sizes,
    timeline,
)

ALL: tuple[Kind, ...] = (
    *sizes.KINDS,
    *timeline.KINDS,
    *quantiles.KINDS,
    *histogram.KINDS,
    *density.KINDS,
    *ecdf.KINDS,
    *percentiles.KINDS,
    *boxes.KINDS,
    *rounds.KINDS,
    *autocorrelation.KINDS,
    *goodput.KINDS,
    *ascent.KINDS,
    *rate.KINDS,
    *capacity.KINDS,
    *heat.KINDS,
)
"""In the order in which they are drawn and listed."""
