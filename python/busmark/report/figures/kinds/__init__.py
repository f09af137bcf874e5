"""The kinds of figures: one file each, one line here."""

from busmark.report.figures.kind import Kind
from busmark.report.figures.kinds import (
    ascent,
    capacity,
    goodput,
    heat,
    percentiles,
    rate,
    rounds,
    sizes,
    timeline,
)

ALL: tuple[Kind, ...] = (
    *sizes.KINDS,
    *timeline.KINDS,
    *percentiles.KINDS,
    *rounds.KINDS,
    *goodput.KINDS,
    *ascent.KINDS,
    *rate.KINDS,
    *capacity.KINDS,
    *heat.KINDS,
)
"""In the order in which they are drawn and listed."""
