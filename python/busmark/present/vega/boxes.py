"""Boxes and violins: of each case one for each of its rounds."""

from __future__ import annotations

from math import ceil

from busmark.present.charts import look, ticks
from busmark.present.charts.shapes import Box, Boxes, CaseBoxes, one_line
from busmark.present.vega import axes, parts
from busmark.present.vega.axes import Position
from busmark.present.vega.parts import ChartFrame, Row, Spec, layer, legend, short

PLOT = 19.0
"""Height of a plot, in sizes of the text."""

HALF = 0.22
"""Half of a box; boxes are 1 apart."""

MOST_NAMES, NAME = 10, 3.0
"""Names on an axis, and the width of one, in sizes of the text."""

VALUES = {
    "most": "largest",
    "high": "95th percentile",
    "q3": "75th percentile",
    "median": "median",
    "q1": "25th percentile",
    "low": "5th percentile",
    "least": "smallest",
}
"""Meanings of the parts of a box, by the fields of its row."""


def view(of: Boxes, frame: ChartFrame) -> Spec:
    """Return a plot of each case."""
    height = frame.height or PLOT * frame.em
    if len(of.cells) == 1:
        return _plot(of, of.cells[0], frame, frame.width, height, explained=True)
    columns = min(parts.SIDE_BY_SIDE, len(of.cells))
    width = axes.cell(frame, columns)
    views = [
        _plot(of, cell, frame, width, height, explained=cell is of.cells[0])
        | frame.heading(cell.label.text, width)
        for cell in of.cells
    ]
    return parts.grid(views, columns)


def _plot(
    of: Boxes, cell: CaseBoxes, frame: ChartFrame, width: float, height: float, *, explained: bool
) -> Spec:
    values = [v for box in cell.boxes for v in (*box.ends, *box.whiskers)]
    y = axes.axis(ticks.scale(cell.y, values), cell.y.title, frame, height)
    count = len(cell.boxes)
    every = ceil(count / min(MOST_NAMES, max(2, int(width / (NAME * frame.em)))))
    marks = [(float(at), cell.boxes[at].name) for at in range(0, count, every)]
    x = axes.linear((-0.7, count - 0.3), {"title": of.x, "grid": False}, marks)
    name = one_line(cell.label.text, parts.LONGEST)
    colour = {"color": parts.looks([name], [look.colour(cell.label)])}
    outlines, own, ends, beyond = [], [], [], []
    for n, box in enumerate(cell.boxes):
        row: Row = {"s": name, "n": n}
        outlines += [
            row | {"y": short(v), "x": short(n - half)}
            for v, half in box.outline
            if not y.beyond(v)
        ]
        own.append(row | _row(n, box, y))
        ends += [row | {"y": short(v)} for v in box.ends if not y.beyond(v)]
        beyond += [
            row | {"x": n, "y": y.held(v), "side": "up" if out > 0 else "down"}
            for v in box.ends
            if (out := y.beyond(v))
        ]
    number = {"type": "quantitative", "format": ",.4~r"}
    tooltip = [
        {"field": "name", "title": "title"},
        *({"field": name, "title": of} | number for name, of in VALUES.items()),
    ]
    at, across = {"x": x.channel("n")}, {"x": x.channel("left"), "x2": {"field": "right"}}
    shape = {"x": x.channel("x"), "x2": {"field": "x2"}, "y": y.channel("y")}
    detail = {"detail": {"field": "n"}, "order": {"value": None}}
    box_of = across | _between("q1", "q3", y)
    whiskers = [_between("low", "q1", y), _between("q3", "high", y)]
    violin = layer(
        "area", "violin", shape | detail | colour, outlines, orient="horizontal", aria=False
    )
    violin["transform"] = [{"calculate": "2 * datum.n - datum.x", "as": "x2"}]
    layers = [
        violin,
        {
            "data": {"values": own},
            "layer": [
                *(layer("rule", "whisker", at | whisker | colour) for whisker in whiskers),
                layer("rect", "box", box_of | {"stroke": colour["color"], "tooltip": tooltip}),
                layer("rule", "median", across | {"y": y.channel("median")}),
            ],
        },
        layer("circle", "few-dots", at | {"y": y.channel("y")} | colour, ends),
    ]
    if cell.references:
        layers += axes.references(cell.references, x, y, frame.em)
    layers += axes.edges(beyond, colour["color"], x, y)
    if explained:
        layers += legend(map(parts.reference_entry, cell.references), frame.em, width)
    return {"width": width, "height": height, "layer": layers, "resolve": parts.APART}


def _between(low: str, high: str, y: Position) -> Spec:
    return {"y": y.channel(low), "y2": {"field": high}}


def _row(at: int, box: Box, y: Position) -> Row:
    (low, high), (q1, median, q3) = box.whiskers, box.quartiles
    held = {"low": low, "q1": q1, "median": median, "q3": q3, "high": high}
    ends = {"least": short(box.ends[0]), "most": short(box.ends[1])}
    place = {"name": box.name, "left": at - HALF, "right": at + HALF}
    return place | ends | {name: y.held(value) for name, value in held.items()}
