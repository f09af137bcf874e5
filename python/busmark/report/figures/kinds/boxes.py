"""Boxes and violins on paper, cases side by side: what `drawing.charts` has as data."""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil
from typing import Any

from matplotlib.axes import Axes

from busmark.report.drawing import look
from busmark.report.drawing.boxes import Box, BoxChart, Cell
from busmark.report.figures import axes as ax
from busmark.report.figures import theme
from busmark.report.figures.kind import Drawing, Kind, Source
from busmark.report.figures.kinds.curves import references
from busmark.report.figures.sheet import grid

CELL_MM = 44.0

WIDTH = 0.22
"""Half of a box; boxes are 1 apart."""

MOST_NAMES = 10


def drawings(chart: BoxChart, source: Source, kind: Kind) -> Iterator[Drawing]:
    """All of this kind."""
    for found, findings in source.drawn(chart):
        sheet, cells = grid([cell.label.text for cell in found.cells], CELL_MM)
        for axes, cell in zip(cells, found.cells, strict=True):
            for at, box in enumerate(cell.boxes):
                _box(axes, at, box, look.colour(cell.label))
            if cell.y.kind == "log":
                ax.log_y(axes, cell.y.title, cell.y.ends or ())
            else:
                ax.linear_y(axes, cell.y.title)
            axes.set_xlabel(found.x)
            _names(axes, cell)
            references(cell.references, sheet, axes)
            if cell.y.ends:
                axes.set_ylim(*cell.y.ends)
                _beyond(axes, cell, cell.y.ends[1])
        yield source.drawing(kind, found, sheet, findings)


def _box(axes: Axes, at: int, box: Box, colour: str) -> None:
    """Draws one round."""
    values = [value for value, _ in box.outline]
    axes.fill_betweenx(
        values, [at - w for _, w in box.outline], [at + w for _, w in box.outline],
        color=colour, alpha=0.25, linewidth=0,
    )  # fmt: skip
    (low, high), (first, median, third) = box.whiskers, box.quartiles
    line: dict[str, Any] = {"color": colour, "linewidth": 0.8}
    axes.plot([at, at], [low, first], **line)
    axes.plot([at, at], [third, high], **line)
    corners = [at - WIDTH, at + WIDTH, at + WIDTH, at - WIDTH, at - WIDTH]
    axes.plot(corners, [first, first, third, third, first], **line)
    axes.plot([at - WIDTH, at + WIDTH], [median, median], color=theme.TEXT, linewidth=1.2)
    axes.plot([at, at], box.ends, ".", color=colour, markersize=2.2)


def _beyond(axes: Axes, cell: Cell, top: float) -> None:
    """Marks at the edge."""
    if places := [at for at, _ in cell.beyond()]:
        colour = look.colour(cell.label)
        axes.plot(places, [top] * len(places), "^", color=colour, markersize=3, clip_on=False)


def _names(axes: Axes, cell: Cell) -> None:
    """Names of the rounds, as many as fit."""
    shown = range(0, len(cell.boxes), ceil(len(cell.boxes) / MOST_NAMES))
    axes.set_xticks(list(shown), [cell.boxes[at].name for at in shown])
    axes.set_xlim(-0.7, len(cell.boxes) - 0.3)
    axes.grid(axis="x", visible=False)
