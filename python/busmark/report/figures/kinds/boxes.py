"""Boxes and violins by round: whether rounds of one case are alike."""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil
from typing import Any

from matplotlib.axes import Axes

from busmark.analysis.model import CaseSummary
from busmark.analysis.shapes import RoundBox
from busmark.analysis.text import number, scale_for
from busmark.report.drawing import look
from busmark.report.figures import axes as ax
from busmark.report.figures import theme
from busmark.report.figures.kind import Drawing, Kind, Source
from busmark.report.figures.measures import MEASURES, Measure, sets
from busmark.report.figures.sheet import Sheet, place, unused

CELL_MM = 44.0
SIDE_BY_SIDE = 3
REACH = 0.8
"""How far an axis goes beyond the whiskers, in lengths from the smallest sample to the upper
whisker."""

BOX, VIOLIN = 0.22, 0.42
"""Half-widths, of the distance between two rounds."""


def kind_of(measure: Measure) -> Kind:
    """A plot for each case, a box and a violin for each round."""

    def of(case: CaseSummary) -> list[RoundBox] | None:
        return measure.boxes(case) or None

    def draw(source: Source, kind: Kind) -> Iterator[Drawing]:
        for found in sets(source.campaign, measure, of):
            columns = min(SIDE_BY_SIDE, len(found.members))
            rows = ceil(len(found.members) / columns)
            width = theme.TWO_COLUMNS_MM if columns > 1 else theme.ONE_COLUMN_MM
            sheet = Sheet(width, rows * CELL_MM)
            cells = sheet.axes(rows, columns)
            beyond: list[float] = []
            for axes, case in zip(cells, found.members, strict=False):
                boxes = measure.boxes(case)
                colour = look.colour(source.label(case))
                for at, box in enumerate(boxes):
                    _box(axes, at, box, colour)
                ax.linear_y(axes, measure.magnitude)
                _rounds(axes, boxes)
                beyond += _beyond(axes, boxes, colour)
                place(axes, case.label)
            unused(cells[len(found.members) :])
            counts = [sum(box.count for box in measure.boxes(case)) for case in found.members]
            told = f"{found.told(counts)}. Box: quartiles and median; whiskers: 5th and 95th "
            told += "percentile; points: smallest and largest; area: density of the round."
            if beyond:
                told += f" Triangles: the largest is beyond the axis, at up to {_time(beyond)}."
            yield source.drawing(kind, found.keys, found.members, sheet, told)

    return Kind(f"{measure.name}-rounds", f"{measure.title}: round by round", measure.needs, draw)


def _box(axes: Axes, at: int, box: RoundBox, colour: str) -> None:
    """Draws one round."""
    times = (box.min_ns, box.p5_ns, box.p25_ns, box.median_ns, box.p75_ns, box.p95_ns, box.max_ns)
    low, p5, p25, median, p75, p95, high = (time / look.MICRO for time in times)
    peak = max(box.density.per_ns, default=0.0)
    shown = [
        (v / look.MICRO, VIOLIN * per / peak)
        for v, per in zip(box.density.at_ns, box.density.per_ns, strict=True)
        if peak and box.min_ns <= v <= box.max_ns
    ]
    axes.fill_betweenx(
        [y for y, _ in shown], [at - w for _, w in shown], [at + w for _, w in shown],
        color=colour, alpha=0.25, linewidth=0,
    )  # fmt: skip
    line: dict[str, Any] = {"color": colour, "linewidth": 0.8}
    axes.plot([at, at], [p5, p25], **line)
    axes.plot([at, at], [p75, p95], **line)
    corners = [at - BOX, at + BOX, at + BOX, at - BOX, at - BOX]
    axes.plot(corners, [p25, p25, p75, p75, p25], **line)
    axes.plot([at - BOX, at + BOX], [median, median], color=theme.TEXT, linewidth=1.2)
    axes.plot([at, at], [low, high], ".", color=colour, markersize=2.2)


def _beyond(axes: Axes, boxes: list[RoundBox], colour: str) -> list[float]:
    """Ends the axis where boxes and whiskers can still be read; returns what is beyond (ns)."""
    low, high = min(box.min_ns for box in boxes), max(box.p95_ns for box in boxes)
    top = high + REACH * (high - low)
    largest = max(box.max_ns for box in boxes)
    if largest <= top or high <= low:
        return []
    margin = 0.06 * (top - low)
    axes.set_ylim((low - margin) / look.MICRO, (top + margin) / look.MICRO)
    for at, box in enumerate(boxes):
        if box.max_ns > top:
            axes.plot([at], [top / look.MICRO], "^", color=colour, markersize=3)
    return [box.max_ns for box in boxes if box.max_ns > top]


def _time(values_ns: list[float]) -> str:
    scale = scale_for([max(values_ns)])
    return f"{number(max(values_ns) / scale.factor)} {scale.unit}"


def _rounds(axes: Axes, boxes: list[RoundBox]) -> None:
    """Their numbers, as many as fit."""
    every = ceil(len(boxes) / 10)
    shown = range(0, len(boxes), every)
    axes.set_xticks(list(shown), [str(boxes[at].round) for at in shown])
    axes.set_xlim(-0.7, len(boxes) - 0.3)
    axes.set_xlabel("round")
    axes.grid(axis="x", visible=False)


KINDS = tuple(map(kind_of, MEASURES))
