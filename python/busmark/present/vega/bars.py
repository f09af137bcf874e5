"""Bars, or points, with their intervals: a row for each case."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from busmark.present.charts import look, ticks
from busmark.present.charts.shapes import Bar, Bars, one_line
from busmark.present.vega import axes, parts
from busmark.present.vega.axes import Position
from busmark.present.vega.parts import ChartFrame, LegendEntry, Row, Spec, layer, legend, short

NAME, LINES = 26, 4
"""Characters of a line of the names of rows, and most lines."""

ABOVE, BELOW, HALF, MARKED = 0.16, 0.2, 0.31, 0.42
"""Places in a row: its value above the middle, its parts below; half of a bar, and of a mark to
compare with."""

FLAT = 8
"""Times that an axis of bars may reach beyond the longest."""

BAR, POINTS, LINE = 1.9, 2.4, 1.25
"""Heights of a row, and of a line of its name, in sizes of the text."""


def view(of: Bars, frame: ChartFrame) -> Spec:
    """Return all rows on one axis."""
    values, em = of.values(), frame.em
    best = max((row.value for row in of.rows), default=0.0)
    # An interval is whole: where it would flatten the bars, they are points on a logarithmic axis.
    solid = (of.axis.from_zero and max(values, default=0.0) <= FLAT * best) or best <= 0
    texts = [one_line(row.label.text, LINES * NAME) for row in of.rows]
    names = [parts.lines(each, NAME) or [""] for each in texts]
    longest = max((parts.extent(line) for name in names for line in name), default=0)
    taken = (longest + 4) * parts.CHARACTER * em
    most = max(map(len, names), default=1)
    # Lines go down from where the row is: with as many above a name as below it, it is there.
    names = [[""] * ((most - len(each)) // 2) + each for each in names]
    height = frame.height or len(names) * em * max(BAR if solid else POINTS, LINE * most + 0.6)
    on = replace(of.axis, kind="linear" if solid else "log", from_zero=True, ends=None, middle=None)
    x = axes.axis(
        ticks.scale(on, values), of.axis.title, frame, 0.6 * frame.width, frame.width - taken
    )
    y = axes.linear(
        (len(names) - 0.5, -0.5),
        {
            "values": list(range(len(names))),
            "labelExpr": f"{axes.text(names)}[datum.value]",
            "title": None,
            "grid": False,
            "labelLimit": 0,
            "labelLineHeight": LINE * em,
            "labelOffset": (1 - most) / 2 * LINE * em,
        },
    )
    rows = [_row(row, at, x, solid=solid) for at, row in enumerate(of.rows)]
    labels = {series(row): row.label for row in of.rows}
    colour = parts.looks(labels, map(look.colour, labels.values()))
    shape = parts.looks(labels, [parts.mark_path(look.symbol(label)) for label in labels.values()])
    place = {"x": x.channel("x"), "y": y.channel("at"), "color": colour}
    down = {"y": y.channel("top"), "y2": {"field": "bottom"}}
    tooltip = {
        "tooltip": [{"field": "s", "title": "title"}, {"field": "note", "title": of.axis.title}]
    }
    interval = place | {"x": x.channel("high"), "x2": {"field": "low"}} | tooltip
    if solid:
        del interval["color"]
        layers = [layer("rect", "bar", place | {"x2": {"datum": 0}} | down | tooltip, rows)]
    else:
        own = place | {"shape": shape} | tooltip
        layers = [layer("point", "mark", own, rows, filled=True)]
    bounded = [row for row in rows if "low" in row]
    layers.append(layer("errorbar", "interval", interval, bounded, ticks=True))
    if single := list(_parts(of)):
        layers.append(layer("point", "part", place | tooltip, single, filled=False))
    if marks := list(_marks(of)):
        own = {"x": x.channel("x")} | down | tooltip
        layers.append(layer("rule", "compared", own, marks, color=look.GREY))
    if of.references:
        layers += axes.references(of.references, x, y, em)
    beyond = [edge for at, row in enumerate(of.rows) for edge in _edges(row, at, x)]
    layers += [*axes.edges(beyond, colour, x, y), *legend(_entries(of), em, frame.width - taken)]
    return {"width": frame.width, "height": height, "layer": layers, "resolve": parts.APART}


def series(row: Bar) -> str:
    """Return the name by which a row has its look."""
    return one_line(row.label.text, parts.LONGEST)


def _row(row: Bar, at: int, x: Position, *, solid: bool) -> Row:
    found: dict[str, Any] = {
        "s": series(row),
        "x": x.held(row.value),
        "note": one_line(row.note, parts.LONGEST),
    }
    found |= {"at": at, "top": at - HALF, "bottom": at + HALF} if solid else {"at": at - ABOVE}
    if row.low is not None and row.high is not None:
        found |= {"low": x.held(row.low), "high": x.held(row.high)}
    return found


def _parts(of: Bars) -> Iterator[Row]:
    for at, row in enumerate(of.rows):
        for part in row.parts:
            place = {"s": series(row), "x": short(part.value), "at": at + BELOW}
            yield place | {"note": f"{ticks.plain(short(part.value))}, {part.note}"}


def _marks(of: Bars) -> Iterator[Row]:
    for at, row in enumerate(of.rows):
        if of.mark and row.mark is not None:
            place = {"s": series(row), "x": short(row.mark)}
            note = f"{of.mark}: {ticks.plain(short(row.mark))}"
            yield place | {"top": at - MARKED, "bottom": at + MARKED, "note": note}


def _edges(row: Bar, at: int, x: Position) -> Iterator[Row]:
    for end in (row.low, row.high, row.value):
        if end is not None and (out := x.beyond(end)):
            side = "right" if out > 0 else "left"
            yield {"s": series(row), "x": x.held(end), "y": at, "side": side}


def _entries(of: Bars) -> Iterator[LegendEntry]:
    circle = parts.mark_path("circle", 0.32)
    yield LegendEntry(of.value, look.GREY, parts.line_path("solid") + circle, look.GREY)
    yield LegendEntry(of.part, look.GREY, circle)
    yield LegendEntry(of.mark, look.GREY, "M-.05,-.5H.05V.5H-.05Z", look.GREY)
    yield from map(parts.reference_entry, of.references)
