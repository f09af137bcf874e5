"""Charts of bars on paper: what `drawing.charts` has as data, drawn by matplotlib."""

from __future__ import annotations

from collections.abc import Iterator

from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from busmark.report.drawing import look
from busmark.report.drawing.bars import Bar, BarChart, Bars
from busmark.report.figures import axes as ax
from busmark.report.figures import theme
from busmark.report.figures.kind import Drawing, Kind, Source
from busmark.report.figures.kinds.curves import references
from busmark.report.figures.sheet import Sheet, name_rows

BAR_MM, POINTS_MM = 5.5, 7.0
"""Height of a row."""

AROUND_MM = 15.0

ABOVE, BELOW = 0.16, 0.2
"""Where a row has points: its value above the middle, its parts below."""


def drawings(chart: BarChart, source: Source, kind: Kind) -> Iterator[Drawing]:
    """All of this kind."""
    for bars, findings in source.drawn(chart):
        sheet = Sheet(theme.ONE_COLUMN_MM)
        (axes,) = sheet.axes()
        solid = bars.axis.from_zero
        needed = name_rows(axes, [row.label.text for row in bars.rows])
        row_mm = max(BAR_MM if solid else POINTS_MM, needed)
        sheet.plot_mm = AROUND_MM + row_mm * len(bars.rows)
        for at, row in enumerate(bars.rows):
            if solid:
                _bar(axes, at, row)
            else:
                _points(axes, at, row)
        _explain(sheet, axes, bars)
        if solid:
            ax.linear_x(axes, bars.axis.title, from_zero=True)
        else:
            ax.log_x(axes, bars.axis.title, bars.values())
        yield source.drawing(kind, bars, sheet, findings)


def _spread(row: Bar) -> list[list[float]] | None:
    if row.low is None or row.high is None:
        return None
    return [[row.value - row.low], [row.high - row.value]]


def _bar(axes: Axes, at: int, row: Bar) -> None:
    axes.barh(
        at, row.value, height=0.62, color=look.colour(row.label), xerr=_spread(row),
        error_kw={"elinewidth": 0.9, "capsize": 2, "ecolor": theme.TEXT},
    )  # fmt: skip


def _points(axes: Axes, at: int, row: Bar) -> None:
    style = theme.points(row.label) | {"linestyle": "none"}
    axes.errorbar([row.value], [at - ABOVE], xerr=_spread(row), capsize=2.5, **style)
    values = [part.value for part in row.parts]
    axes.plot(
        values, [at + BELOW] * len(values), "o", markersize=3, markerfacecolor="none",
        color=look.colour(row.label),
    )  # fmt: skip


def _explain(sheet: Sheet, axes: Axes, bars: Bars) -> None:
    """The legend, marks, and lines across."""
    mark, empty = [theme.REFERENCE | {"marker": "o", "linestyle": each} for each in ("-", "none")]
    if bars.value:
        sheet.entry(bars.value, Line2D([], [], **mark))
    if bars.part:
        sheet.entry(bars.part, Line2D([], [], markerfacecolor="none", **empty))
    known = [(row.mark, at) for at, row in enumerate(bars.rows) if row.mark is not None]
    if bars.mark:
        x, y = zip(*known, strict=True)
        (drawn,) = axes.plot(
            x, y, "|", color=look.GREY, markersize=11, markeredgewidth=1.6, zorder=3
        )
        sheet.entry(bars.mark, drawn)
    references(bars.references, sheet, axes)
