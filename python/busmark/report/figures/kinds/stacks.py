"""Plots one below the other on paper: what `drawing.charts` has as data, drawn by matplotlib."""

from __future__ import annotations

from collections.abc import Iterator

from busmark.report.drawing.stacks import StackChart
from busmark.report.figures import theme
from busmark.report.figures.kind import Drawing, Kind, Source
from busmark.report.figures.kinds.curves import plot
from busmark.report.figures.sheet import Sheet, place

ROWS_MM = (48.0, 68.0)
"""Height of one plot, and of two."""

ROW_MM = 26.0
"""Height of each of several rows."""


def drawings(chart: StackChart, source: Source, kind: Kind) -> Iterator[Drawing]:
    """All of this kind."""
    for stack, findings in source.drawn(chart):
        count = len(stack.rows)
        sheet = Sheet(theme.TWO_COLUMNS_MM, ROWS_MM[count - 1] if count <= 2 else count * ROW_MM)
        cells = sheet.axes(count, 1, sharex="col" if stack.together else "none")
        for axes, row in zip(cells, stack.rows, strict=True):
            plot(row, sheet, axes)
            place(axes, row.heading, theme.TWO_COLUMNS_MM)
            if row is not stack.rows[-1]:
                axes.set_xlabel("")
            axes.margins(x=0.01)
        yield source.drawing(kind, stack, sheet, findings)
