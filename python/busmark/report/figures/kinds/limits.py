"""What a throughput is drawn against: what was asked for, and what the network can carry."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from matplotlib.axes import Axes

from busmark.report.figures import theme
from busmark.report.figures.sheet import Sheet

RATED = theme.REFERENCE | {"linestyle": "solid", "color": "#000000"}
PRACTICAL = theme.REFERENCE | {"linestyle": theme.DASHES["dash"], "color": "#000000"}
SPECIFIED = theme.REFERENCE | {"linestyle": theme.DASHES["dot"]}


def draw_limits(
    sheet: Sheet,
    axes: Axes,
    specified: Sequence[float],
    rated: Iterable[float | None],
    practical: Iterable[float | None],
) -> list[float]:
    """The line on which everything specified arrives, and capacities across; those in Mbit/s."""
    ends = [min(specified, default=1.0), max(specified, default=1.0)]
    (line,) = axes.plot(ends, ends, zorder=1, **SPECIFIED)
    sheet.entry("all that is specified", line)
    limits = []
    for name, values, style in (
        ("rated capacity of the link", rated, RATED),
        ("practical: a plain TCP transfer", practical, PRACTICAL),
    ):
        for limit in sorted({value for value in values if value}):
            sheet.entry(name, axes.axhline(limit, zorder=1, **style))
            limits.append(limit)
    return limits
