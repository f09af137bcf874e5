"""Curves on two axes, and plots of curves one below the other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from math import inf, isfinite

from busmark.present.charts import look, ticks
from busmark.present.charts.shapes import DrawnCurve, Picture, Plot, Point, one_line
from busmark.present.vega import axes, parts
from busmark.present.vega.axes import Position
from busmark.present.vega.parts import ChartFrame, LegendEntry, Row, Spec, layer, legend, short

PLOT, ROWS, ROW = 19.0, (16.0, 12.0), 9.0
"""Heights in sizes of the text: of a plot, of one or two below each other, and of one of more."""

PAIR = ((False, "(a) logarithmic"), (True, "(b) linear"))
"""Names of plots side by side."""

FINE = 1 / 350
"""Share of an axis below which a step of a rising curve cannot be seen."""

FEW = 200
"""Dots that are drawn larger."""

MANY_VALUES = 60
"""Points from which on a value is shown with three digits."""

UNSORTED = {"order": {"value": None}}
"""Lines go from point to point in the order of the rows."""


def series(curve: DrawnCurve) -> str:
    """Return the name by which a curve has its look."""
    return one_line(curve.name or curve.label.text, parts.LONGEST)


def picture(of: Picture, frame: ChartFrame) -> Spec:
    """Return one plot, one on each kind of axes, one for each curve, or plots below each other."""
    if of.is_stack:
        return _stack(of, frame)
    plot, height = of.plot, frame.height or PLOT * frame.em
    if of.also_linear and frame.linear is None:
        width = axes.cell(frame, 2)
        pair = [
            _plot(
                plot, replace(frame, linear=linear), width, height, () if linear else _entries(plot)
            )
            | frame.heading(name, width)
            for linear, name in PAIR
        ]
        return parts.grid(pair, 2)
    if not of.apart or len(plot.curves) < 2:
        return _plot(plot, frame, frame.width, height, _entries(plot), parts.MARGIN * frame.em)
    columns = min(parts.SIDE_BY_SIDE, len(plot.curves))
    width = axes.cell(frame, columns)
    # Each reaches as far as its curve does.
    lines = [replace(line, fits_axis=False) for line in plot.references]
    views: list[Spec] = []
    for curve in plot.curves:
        own = replace(plot, curves=[curve], references=lines)
        entries = () if views else map(parts.reference_entry, lines)
        view = _plot(own, frame, width, height, entries)
        views.append(view | frame.heading(curve.name, width))
    return parts.grid(views, columns)


def _stack(of: Picture, frame: ChartFrame) -> Spec:
    """Return plots one below the other."""
    count = len(of.plots)
    high = ROWS[count - 1] if count <= len(ROWS) else ROW
    width, height = axes.cell(frame, 1), frame.height or high * frame.em
    places = [place for row in of.plots for place in row.places()]
    views: list[Spec] = []
    explained = set[LegendEntry]()
    for row in of.plots:
        ends = ticks.around(places) if of.together and places else row.x.ends
        own = replace(row, x=replace(row.x, ends=ends))
        entries = [entry for entry in _entries(row) if entry not in explained]
        explained.update(entries)
        view = _plot(own, frame, width, height, entries, last=row is of.plots[-1])
        views.append(view | frame.heading(row.heading, width))
    return {"vconcat": views, "resolve": parts.OWN_LOOKS}


def _plot(
    plot: Plot,
    frame: ChartFrame,
    width: float,
    height: float,
    entries: Iterable[LegendEntry],
    taken: float = 0.0,
    *,
    last: bool = True,
) -> Spec:
    """Return curves on two axes, with a legend of these entries; `taken`: what of the width an
    axis takes; `last`: whether x has its title here."""
    of_x, of_y = ticks.scales(plot, linear=bool(frame.linear))
    x = axes.axis(of_x, plot.x.title if last else "", frame, width, width)
    y = axes.axis(of_y, plot.y.title, frame, height)
    known = {series(curve): curve for curve in plot.curves}
    labelled = known.values()
    colour = parts.looks(known, [look.colour(curve.label) for curve in labelled])
    channels = {
        "color": colour,
        "strokeDash": parts.looks(known, [parts.dashes(_dash(c), frame.em) for c in labelled]),
        "shape": parts.looks(known, [parts.mark_path(look.symbol(c.label)) for c in labelled]),
    }
    groups: dict[tuple[object, ...], list[tuple[DrawnCurve, list[Row]]]] = {}
    # The floor is behind all others, and areas are behind lines.
    stacked = sorted(plot.stacked(), key=lambda each: not look.is_null(each[0].label))
    for curve, bottom, _ in sorted(stacked, key=lambda each: not each[0].fill):
        groups.setdefault(_style(curve), []).append((curve, _rows(curve, bottom, x, y)))
    layers: list[Spec] = []
    for own in groups.values():
        rows = [row for _, each in own for row in each]
        marks = _layers(plot, own[0][0], rows, channels, x, y, frame)
        rarer = [{"calculate": axes.SLOWER, "as": "slower"}] if plot.x.kind == "percent" else []
        more = {"transform": rarer} if rarer else {}
        layers.append({"data": {"values": rows}, **more, "layer": [*marks]})
    if plot.references:
        layers += axes.references(plot.references, x, y, frame.em)
    beyond = [row for curve in plot.curves for row in _edges(curve, x, y)]
    layers += [*axes.edges(beyond, colour, x, y), *legend(entries, frame.em, width - taken)]
    return {"width": width, "height": height, "layer": layers, "resolve": parts.APART}


def _dash(curve: DrawnCurve) -> str:
    return curve.dash or look.dash(curve.label)


def _entries(plot: Plot) -> list[LegendEntry]:
    curves = [_entry(curve) for curve in plot.curves if curve.name and not curve.thin]
    return [*curves, *map(parts.reference_entry, plot.references)]


def _entry(curve: DrawnCurve) -> LegendEntry:
    name, colour = series(curve), look.colour(curve.label)
    if curve.fill and curve.stacked:
        red, green, blue = (int(colour[at : at + 2], 16) for at in (1, 3, 5))
        pale = f"rgba({red},{green},{blue},{curve.fill:g})"
        return LegendEntry(name, "transparent", "M-1,-.4H1V.4H-1Z", pale)
    line = parts.line_path(_dash(curve)) if curve.line else ""
    if not curve.marks and not curve.dots:
        return LegendEntry(name, colour, line)
    dot = "circle" if curve.dots else look.symbol(curve.label)
    mark = line + parts.mark_path(dot, 0.15 if curve.dots else 0.32)
    return LegendEntry(name, colour, mark, "transparent" if curve.hollow else colour)


def _style(curve: DrawnCurve) -> tuple[object, ...]:
    """Return what curves of one layer have in common."""
    return (
        curve.fill,
        curve.stacked,
        curve.line,
        curve.steps,
        curve.thin,
        curve.dots,
        curve.marks or _single(curve),
        curve.hollow,
        curve.only_x,
    )


def _single(curve: DrawnCurve) -> bool:
    """Return whether a line would be nothing: it has one point only."""
    return curve.line and len(curve.points) == 1


def _thinned(curve: DrawnCurve, x: Position, y: Position) -> Sequence[Point]:
    """Return the points of a curve that only rises or only falls, without those that cannot be seen
    apart: its first, its last, and all that is rare remain."""
    points = curve.points
    if len(points) * FINE <= 2 or curve.dots or curve.stacked or not curve.line:
        return points
    steps = [b.y - a.y for a, b in pairwise(points)]
    if any(b.x < a.x for a, b in pairwise(points)) or not (
        all(step >= 0 for step in steps) or all(step <= 0 for step in steps)
    ):
        return points
    found, last = [points[0]], (-inf, -inf)
    for point in points[1:-1]:
        at = x.share(x.place(point.x)), y.share(point.y)
        if max(abs(at[0] - last[0]), abs(at[1] - last[1])) >= FINE:
            found.append(point)
            last = at
    return [*found, points[-1]]


def _rows(curve: DrawnCurve, bottom: Sequence[float], x: Position, y: Position) -> list[Row]:
    name, lowest = series(curve), y.ends[0]
    noted = any(p.note for p in curve.points)
    bounded = any(p.low is not None for p in curve.points)
    positive = y.kind == "log"
    rows = []
    for at, p in enumerate(_thinned(curve, x, y)):
        if x.kind == "log" and p.x <= 0:
            continue
        value = p.y + bottom[at] if curve.stacked else p.y
        shown = isfinite(value) and (value > 0 or not positive)
        row: Row = {"s": name, "x": short(x.place(p.x)), "y": short(value) if shown else None}
        if curve.fill:
            row["y0"] = bottom[at] if curve.stacked else max(lowest, 0.0)
        if bounded:
            ends = (p.y if end is None else end for end in (p.low, p.high))
            # Clipped where they are drawn; a logarithmic axis has no place for 0.
            low, high = (short(end) if end > 0 or not positive else y.held(end) for end in ends)
            row |= {"low": low, "high": high} if shown else {"low": None, "high": None}
        if noted:
            row["note"] = one_line(p.note, parts.LONGEST)
        rows.append(row)
    return rows


def _edges(curve: DrawnCurve, x: Position, y: Position) -> Iterator[Row]:
    """Yield where a curve leaves the plot, and where points and intervals are beyond it."""
    name, before = series(curve), (0, 0)
    for p in curve.points if not curve.stacked else ():
        at = x.place(p.x)
        side = (x.beyond(at), y.beyond(p.y)) if isfinite(p.y) else (0, 0)
        if side != (0, 0) and (side != before or curve.marks):
            way = {-1: "left", 1: "right"}.get(side[0]) or ("up" if side[1] > 0 else "down")
            yield {"s": name, "x": x.held(at), "y": y.held(p.y), "side": way}
        for end in (p.low, p.high) if side == (0, 0) else ():
            if end is not None and (out := y.beyond(end)):
                way = "up" if out > 0 else "down"
                yield {"s": name, "x": x.held(at), "y": y.held(end), "side": way}
        before = side


def _layers(
    plot: Plot,
    curve: DrawnCurve,
    rows: Sequence[Row],
    channels: Spec,
    x: Position,
    y: Position,
    frame: ChartFrame,
) -> Iterator[Spec]:
    """Yield the layers of curves that are drawn like this one."""
    aria: Spec = {} if len(rows) < parts.MANY else {"aria": False}
    place = {"x": x.channel("x"), "y": y.channel("y"), "color": channels["color"]}
    step: Spec = {"interpolate": "step-after"} if curve.steps else {}
    tooltip = {"tooltip": _tooltip(plot, curve, rows)}
    if curve.fill:
        base = {"y2": {"field": "y0"}}
        # The edge is solid, however pale the area.
        edge: Spec = {"line": {"strokeWidth": frame.em / parts.STROKES}} if curve.stacked else {}
        yield layer(
            "area", "area", place | base | UNSORTED, fillOpacity=curve.fill, **edge, **step, **aria
        )
    if rows and "low" in rows[0]:
        ends = place | {"y": y.channel("high"), "y2": {"field": "low"}}
        if curve.marks:
            # Without one of ours it has a tooltip of its own, of bare fields.
            yield layer("errorbar", "interval", ends | tooltip, ticks=True, **aria)
        else:
            yield layer("area", "band", ends | UNSORTED, **aria)
    if curve.line and not curve.stacked:
        own = place | {"strokeDash": channels["strokeDash"]} | UNSORTED
        yield layer("line", "thin" if curve.thin else "curve", own, **step, **aria)
    if curve.dots:
        style = "dots" if len(rows) > FEW else "few-dots"
        yield layer("circle", style, place | tooltip, **aria)
    elif curve.marks or _single(curve):
        own = place | {"shape": channels["shape"]} | tooltip
        style = "hollow" if curve.hollow else "mark"
        yield layer("point", style, own, filled=not curve.hollow, **aria)
    elif frame.pointer:
        yield layer("point", "pointed", place | tooltip, aria=False)


def _tooltip(plot: Plot, curve: DrawnCurve, rows: Sequence[Row]) -> list[Spec]:
    number = {"type": "quantitative", "format": ",.4~r"}
    # On the page the values of many points are levels; see `web.embedded`.
    value = number if len(rows) < MANY_VALUES else number | {"format": ",.3~r"}
    shown: list[Spec] = [{"field": "s", "title": "title"}]
    if any(row.get("note") for row in rows):
        shown.append({"field": "note", "title": "note", "type": "nominal"})
    if plot.x.kind == "percent":
        shown.append(
            {"field": "slower", "title": "samples sent that are slower, %"}
            | number
            | {"format": ",.2~r"}
        )
    if plot.x.kind not in ("sizes", "percent"):
        shown.append({"field": "x", "title": plot.x.title} | number)
    if not curve.only_x:
        shown.append({"field": "y", "title": plot.y.title} | value)
        if rows and "low" in rows[0]:
            shown += [{"field": end, "title": end} | value for end in ("low", "high")]
    return shown
