"""Charts as Vega-Lite specifications: dictionaries, which the page and print draw alike.

`specification` makes one of any shape of `report.drawing`, `config` has what depends on the theme.
Data are inline, as rows: each `{"data": {"values": [...]}}` of a specification is one table. Rows
of curves, bars and their edges have the name of their series in `s`; `usermeta.labels` has the
label that a series belongs to, so that a page can leave out what is not chosen.
"""

from __future__ import annotations

import json
import textwrap
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import singledispatch
from itertools import pairwise
from math import ceil, floor, inf, isfinite, log, log10
from typing import Any, Literal
from unicodedata import east_asian_width

from busmark.report.drawing import look, ticks
from busmark.report.drawing.bars import Bar, Bars
from busmark.report.drawing.boxes import Box, Boxes, Cell
from busmark.report.drawing.heat import SHADES, Field, Heat
from busmark.report.drawing.picture import Axis, Curve, OnAxes, Picture, Point, Reference
from busmark.report.drawing.stacks import Stack
from busmark.report.drawing.texts import one_line

Spec = dict[str, Any]
Row = dict[str, Any]
Theme = Literal["light", "dark", "print"]

SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"

MARGIN = 5.6
"""Width of a vertical axis with its title, in sizes of the text; plots of a grid count with it."""

SIDE_BY_SIDE = 3
"""Plots of a grid."""

FINE = 1 / 350
"""Share of an axis below which a step of a rising curve cannot be seen."""

MANY = 1000
"""Points from which on a screen reader is not given each."""

HEADROOM = 1.06
"""Room above the largest value of an axis that begins at 0, as a factor."""

ROW_CHARACTERS = 26
"""Characters of a line of the names of rows."""

MOST_NAMES = 10
"""Names of boxes on one axis."""

DASHES: dict[str, tuple[float, ...]] = {
    "solid": (1, 0),
    "dash": (4, 1.6),
    "dot": (1, 1.3),
    "dashdot": (4, 1.3, 1, 1.3),
    "longdash": (7, 1.6),
    "longdashdot": (7, 1.4, 1, 1.4),
}
"""In widths of a line."""

WIDTH = 7.0
"""Widths of a line in the size of the text."""

_THIRD = 1 / 3
CORNERS: dict[str, tuple[tuple[float, float], ...]] = {
    "square": ((-0.88, -0.88), (0.88, -0.88), (0.88, 0.88), (-0.88, 0.88)),
    "diamond": ((0, -1.15), (1.15, 0), (0, 1.15), (-1.15, 0)),
    "triangle-up": ((0, -1), (1, 0.85), (-1, 0.85)),
    "triangle-down": ((0, 1), (1, -0.85), (-1, -0.85)),
    "triangle-left": ((-1, 0), (0.85, -1), (0.85, 1)),
    "triangle-right": ((1, 0), (-0.85, -1), (-0.85, 1)),
    "cross": (
        (-_THIRD, -1),
        (_THIRD, -1),
        (_THIRD, -_THIRD),
        (1, -_THIRD),
        (1, _THIRD),
        (_THIRD, _THIRD),
        (_THIRD, 1),
        (-_THIRD, 1),
        (-_THIRD, _THIRD),
        (-1, _THIRD),
        (-1, -_THIRD),
        (-_THIRD, -_THIRD),
    ),
    "x": (
        (-1, -0.6),
        (-0.6, -1),
        (0, -0.4),
        (0.6, -1),
        (1, -0.6),
        (0.4, 0),
        (1, 0.6),
        (0.6, 1),
        (0, 0.4),
        (-0.6, 1),
        (-1, 0.6),
        (-0.4, 0),
    ),
    "star": (
        (0, -1.2),
        (0.27, -0.37),
        (1.14, -0.37),
        (0.44, 0.14),
        (0.71, 0.97),
        (0, 0.46),
        (-0.71, 0.97),
        (-0.44, 0.14),
        (-1.14, -0.37),
        (-0.27, -0.37),
    ),
}
"""Corners of the marks, within a circle of about 1."""

APART = {"scale": dict.fromkeys(("shape", "strokeDash", "fill", "stroke"), "independent")}
"""Channels of which the legend, or lines to compare with, have scales of their own."""

OWN_LOOKS = {"scale": {**APART["scale"], "color": "independent"}}
"""For plots that have series of their own."""

SAMPLE = 2.2
"""Length of a line of the legend, in sizes of the text."""


def mark_path(symbol: str, size: float = 1.0) -> str:
    """Return a mark of `look` as an SVG path within a circle of `size`."""
    if symbol == "line-ew-open":
        return f"M{-size:g},0H{size:g}"
    if symbol not in CORNERS:
        arc = f"A{size:g},{size:g},0,1,1"
        return f"M{size:g},0{arc},{-size:g},0{arc},{size:g},0Z"
    return "M" + "L".join(f"{x * size:.3g},{y * size:.3g}" for x, y in CORNERS[symbol]) + "Z"


def line_path(dash: str) -> str:
    """Return a dashed line of the legend as an SVG path from -1 to 1: as a dash of a stroke it
    would go around the mark as well."""
    if dash == "solid":
        return "M-1,0H1"
    at, path = -1.0, ""
    for n, part in enumerate(DASHES[dash] * 12):
        end = min(at + part / WIDTH / (SAMPLE / 2), 1.0)
        if n % 2 == 0 and at < end:
            path += f"M{at:.3g},0H{end:.3g}"
        at = end
    return path


def lines(text: str, width: float, em: float) -> list[str]:
    """Return the text in lines of at most `width`, where a character is about half as wide as
    `em`; between parts of a label where they fit, else between words."""
    most = max(8, int(width / (0.54 * em)))
    parts = text.split(" · ")
    if any(extent(part) + 3 > most for part in parts):
        return textwrap.wrap(text, most)
    tied = "\u00a0· ".join(part.replace(" ", "\u00a0") for part in parts)
    return [line.replace("\u00a0", " ") for line in textwrap.wrap(tied, most)]


def extent(text: str) -> int:
    """Return the width of a text in characters: an ideograph is as wide as two."""
    return sum(2 if east_asian_width(each) in "WF" else 1 for each in text)


def specification(
    shape: Any,
    *,
    width: float,
    height: float | None = None,
    linear: bool = False,
    em: float = 12.0,
    pointer: bool = True,
) -> Spec:
    """Return the Vega-Lite specification of a shape of `report.drawing`, without a theme.

    Args:
        width: of the whole chart.
        height: of the plot, or of each where there are several; None: as its rows need.
        linear: on linear axes, whatever its own are.
        em: size of the text.
        pointer: whether somebody may point at lines to see what they are.
    """
    found = _views(shape, _Frame(width, height, linear, em, pointer))
    spec: Spec = {"$schema": SCHEMA, **found}
    if "layer" in spec:
        spec["autosize"] = {"type": "fit-x", "contains": "padding"}
    spec["usermeta"] = {"labels": _labels(shape)}
    return spec


def grid(views: Sequence[Spec], columns: int) -> Spec:
    """Return plots side by side, in rows of so many."""
    return {"concat": list(views), "columns": columns, "resolve": OWN_LOOKS}


@dataclass(frozen=True, slots=True)
class _Frame:
    """What `specification` was called with."""

    width: float
    height: float | None
    linear: bool
    em: float
    pointer: bool

    def cell(self, columns: int) -> float:
        """Width of a plot, without its axis, where there are so many side by side."""
        return self.width / columns - MARGIN * self.em


def _labels(shape: Any) -> dict[str, str]:
    if isinstance(shape, Bars):
        labels = [(row.label.text, row.label) for row in shape.rows]
    elif isinstance(shape, Picture | Stack):
        plots: Sequence[OnAxes] = shape.rows if isinstance(shape, Stack) else [shape]
        labels = [(_series(curve), curve.label) for plot in plots for curve in plot.curves]
    else:
        return {}
    return {name: of.text for name, of in labels if of.adapter and not look.is_null(of)}


# Axes


@dataclass(frozen=True, slots=True)
class _Position:
    """One axis: where values are on it, and up to where it reaches."""

    scale: Spec
    axis: Spec
    place: Callable[[float], float] = float

    @property
    def ends(self) -> tuple[float, float]:
        low, high = self.scale["domain"]
        return low, high

    def share(self, value: float) -> float:
        """Return where a value is between the ends, 0 to 1."""
        (low, high), kind = self.ends, self.scale["type"]
        if kind == "log":
            low, high, value = log(low), log(high), log(max(value, low))
        elif kind == "symlog":
            return (
                0.5
                if value == 0
                else (
                    0.5
                    + (0.5 if value > 0 else -0.5)
                    * min(
                        1.0,
                        max(
                            0.1,
                            log10(1 + abs(value) / self.scale["constant"])
                            / log10(1 + high / self.scale["constant"]),
                        ),
                    )
                )
            )
        return (value - low) / (high - low)

    def beyond(self, value: float) -> int:
        """Return -1 below the axis, 1 above it, and 0 on it."""
        low, high = self.ends
        return (value > high) - (value < low)

    def held(self, value: float) -> float:
        """Return the value, or the end of the axis that it is beyond."""
        low, high = self.ends
        return min(max(value, low), high)

    def channel(self, name: str, **more: Any) -> Spec:
        """Return the encoding of a field on this axis."""
        return {
            "field": name,
            "type": "quantitative",
            "scale": self.scale,
            "axis": self.axis,
            "stack": None,
            **more,
        }


GROUPED = "replace(datum.label, /,/g, '\u2009')"
IN_FULL = "replace(format(datum.value, ',.9~r'), /,/g, '\u2009')"


def _named(marks: Sequence[ticks.Tick]) -> Spec:
    """Return ticks here and nowhere else."""
    places, names = [at for at, _ in marks], [name for _, name in marks]
    return {"values": places, "labelExpr": f"{_text(names)}[indexof({_text(places)}, datum.value)]"}


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=True)


def _log_axis(ends: tuple[float, float], title: Spec) -> _Position:
    marks = {"values": [at for at, _ in ticks.log_ticks(*ends)], "labelExpr": IN_FULL}
    return _Position({"type": "log", "domain": [*ends], "nice": False}, title | marks)


def _linear_axis(ends: tuple[float, float], title: Spec) -> _Position:
    scale = {"type": "linear", "domain": [*ends], "nice": False, "zero": False}
    return _Position(scale, title | {"labelExpr": GROUPED})


def _signed_axis(values: Sequence[float], title: Spec) -> _Position | None:
    """Return an axis for both signs: logarithmic outwards, linear around 0, where most are."""
    magnitudes = sorted(abs(v) for v in values if v)
    if not magnitudes:
        return None
    first = floor(log10(magnitudes[len(magnitudes) // 2]))
    last = max(ceil(log10(magnitudes[-1])), first + 1)
    powers = [10.0**power for power in range(first, last + 1)]
    shown = powers[:: -max(1, ceil(len(powers) / 4))][::-1]
    marks = [*(-each for each in reversed(shown)), 0.0, *shown]
    end = powers[-1] * 1.3
    return _Position(
        {"type": "symlog", "constant": powers[0], "domain": [-end, end], "nice": False},
        title | {"values": marks, "labelExpr": IN_FULL},
    )


def _around(values: Sequence[float]) -> tuple[float, float]:
    """Return the ends of a linear axis on which all of these are."""
    low, high = min(values, default=0.0), max(values, default=1.0)
    room = 0.04 * (high - low) or 0.05 * abs(high) or 1.0
    return low - room, high + room


def _from_zero(values: Sequence[float]) -> tuple[float, float]:
    return min(0.0, *values, 0.0), max(*values, 0.0, 0.0) * HEADROOM or 1.0


def _axis(axis: Axis, values: Sequence[float], frame: _Frame, length: float) -> _Position:
    """Return the axis on which these are; its title has lines of `length`."""
    title = {"title": lines(axis.title, length, frame.em) or None}
    if axis.kind == "signed" and (signed := _signed_axis(values, title)):
        return signed
    if axis.kind == "log" and not frame.linear:
        ends = axis.ends or ticks.log_ends(axis.middle or values)
        if ends:
            return _log_axis(ends, title)
    if axis.ends:
        return _linear_axis(axis.ends, title)
    if axis.from_zero or axis.kind == "log":
        return _linear_axis(_from_zero(values), title)
    return _linear_axis(axis.middle or _around(values), title)


def _axis_of_sizes(sizes: Sequence[int], frame: _Frame, title: Spec) -> _Position:
    if frame.linear or not sizes:
        largest = max(sizes, default=1)
        scale = {"type": "linear", "domain": [-0.02 * largest, 1.05 * largest], "nice": False}
        return _Position(scale, title | _named(ticks.linear_size_ticks(largest)))
    places = [look.at_size(size) for size in sizes]
    scale = {
        "type": "log",
        "base": 2,
        "domain": [min(places) / 1.3, max(places) * 1.3],
        "nice": False,
    }
    return _Position(scale, title | _named(ticks.size_ticks(sizes)), look.at_size)


def _axis_of_percents(places: Sequence[float], title: Spec) -> _Position:
    end = max(map(look.at_percent, places), default=1.0)
    marks = [
        (look.at_percent(p), f"{p:.10g}") for p in look.PERCENT_TICKS if look.at_percent(p) <= end
    ]
    scale = {"type": "linear", "domain": [0, max(end, 1.0) * 1.02], "nice": False}
    return _Position(scale, title | _named(marks), look.at_percent)


def _axes(plot: OnAxes, frame: _Frame, width: float, height: float) -> tuple[_Position, _Position]:
    title = {"title": lines(plot.x.title, width, frame.em)}
    if plot.x.kind == "sizes":
        x = _axis_of_sizes(plot.sizes(), frame, title)
    elif plot.x.kind == "percent":
        x = _axis_of_percents(plot.places(), title)
    else:
        x = _axis(plot.x, plot.places(), frame, width)
    logarithmic = plot.y.kind == "log" and not frame.linear
    y = _axis(plot.y, _whole(plot) if logarithmic else _reach(plot), frame, height)
    return x, y


def _whole(plot: OnAxes) -> list[float]:
    """Return all values of y with their intervals: a logarithmic axis has room for them."""
    ends = [end for curve in plot.curves for p in curve.points for end in (p.low, p.high) if end]
    return plot.values() + ends


def _reach(plot: OnAxes) -> list[float]:
    """Return all values of y, of areas one on the other the sums, and their intervals as far as
    they do not flatten the rest."""
    tops = [top for curve, _, own in _stacked(plot.curves) if curve.stacked for top in own]
    return plot.reach() + tops


# Legend


@dataclass(frozen=True, slots=True)
class _Entry:
    """One line of the legend."""

    name: str
    colour: str
    path: str
    fill: str = "transparent"


def _legend(entries: Iterable[_Entry], frame: _Frame) -> list[Spec]:
    """Return a layer without data that has the legend: samples with line and mark, which no channel
    of the plot has together."""
    known = list({entry.name: entry for entry in entries if entry.name}.values())
    if not known:
        return []
    em = frame.em
    names = [entry.name for entry in known]
    longest = max(map(extent, names)) * 0.54 * em + 4.2 * em
    legend = {
        "title": None,
        "orient": "top",
        "direction": "horizontal",
        "labelLimit": 0,
        "columns": max(1, min(len(names), int(frame.width / longest))),
        "symbolSize": (SAMPLE * em) ** 2,
        "clipHeight": 1.3 * em,
        "values": names,
    }

    def channel(values: Sequence[Any]) -> Spec:
        return {
            "field": "s",
            "type": "nominal",
            "legend": legend,
            "scale": {"domain": names, "range": list(values)},
        }

    encoding = {
        "fill": channel([entry.fill for entry in known]),
        "stroke": channel([entry.colour for entry in known]),
        "shape": channel([entry.path for entry in known]),
    }
    return [
        {"data": {"values": []}, "mark": {"type": "point", "style": "sample"}, "encoding": encoding}
    ]


def _dash(name: str, em: float) -> list[float]:
    return [short(part * em / WIDTH) for part in DASHES[name]]


def _entry(curve: Curve) -> _Entry:
    colour, symbol = look.colour(curve.label), look.symbol(curve.label)
    if curve.fill and curve.stacked:
        red, green, blue = (int(colour[at : at + 2], 16) for at in (1, 3, 5))
        pale = f"rgba({red},{green},{blue},{curve.fill:g})"
        return _Entry(curve.name, "transparent", "M-1,-.4H1V.4H-1Z", pale)
    line = line_path(curve.dash or look.dash(curve.label)) if curve.line else ""
    sample = mark_path("circle", 0.15) if curve.dots else mark_path(symbol, 0.32)
    if not curve.marks and not curve.dots:
        return _Entry(curve.name, colour, line)
    return _Entry(curve.name, colour, line + sample, "transparent" if curve.hollow else colour)


def _reference_entry(line: Reference) -> _Entry:
    return _Entry(line.name, look.GREY, line_path(line.dash))


# Curves


def short(value: float) -> float:
    """Return six digits: more cannot be seen."""
    return float(f"{value:.6g}")


def _series(curve: Curve) -> str:
    return one_line(curve.name, 200) or curve.label.text


def _style(curve: Curve) -> tuple[object, ...]:
    """Return what curves of one layer have in common."""
    return (
        curve.fill > 0,
        curve.fill,
        curve.stacked,
        curve.line,
        curve.steps,
        curve.thin,
        curve.dots,
        curve.marks,
        curve.hollow,
        curve.only_x,
    )


def _stacked(curves: Iterable[Curve]) -> Iterator[tuple[Curve, list[float], list[float]]]:
    """Yield curves with the bottoms and the tops of their areas."""
    heights: dict[float, float] = {}
    for curve in curves:
        bottom = [heights.get(p.x, 0.0) if curve.stacked else 0.0 for p in curve.points]
        top = [low + p.y for low, p in zip(bottom, curve.points, strict=True)]
        if curve.stacked:
            heights.update((p.x, high) for p, high in zip(curve.points, top, strict=True))
        yield curve, bottom, top


def _thinned(curve: Curve, x: _Position, y: _Position) -> Sequence[Point]:
    """Return the points of a curve that only rises or only falls, without those that cannot be seen
    apart: its first, its last, and all that is rare remain."""
    points = curve.points
    if len(points) <= 2 / FINE or curve.dots or not curve.line:
        return points
    steps = [b.y - a.y for a, b in pairwise(points)]
    if any(b.x < a.x for a, b in pairwise(points)) or not (
        all(step >= 0 for step in steps) or all(step <= 0 for step in steps)
    ):
        return points
    kept, last = [points[0]], (-inf, -inf)
    for point in points[1:-1]:
        at = x.share(x.place(point.x)), y.share(point.y)
        if max(abs(at[0] - last[0]), abs(at[1] - last[1])) >= FINE:
            kept.append(point)
            last = at
    return [*kept, points[-1]]


def _rows(curve: Curve, bottom: Sequence[float], x: _Position, y: _Position) -> list[Row]:
    name, lowest = _series(curve), y.ends[0]
    rows: list[Row] = []
    noted = any(p.note for p in curve.points)
    bounded = any(p.low is not None for p in curve.points)
    points = curve.points if curve.stacked else _thinned(curve, x, y)
    for at, p in enumerate(points):
        value = p.y + (bottom[at] if curve.stacked else 0.0)
        row: Row = {
            "s": name,
            "x": short(x.place(p.x)),
            "y": short(value) if isfinite(value) else None,
        }
        if y.scale["type"] == "log" and value <= 0:
            row["y"] = None
        if curve.fill:
            row["y0"] = short(max(bottom[at] if curve.stacked else lowest, lowest))
        if bounded:
            low, high = (p.y if end is None else y.held(end) for end in (p.low, p.high))
            row |= {"low": short(low), "high": short(high)}
        if noted:
            row["note"] = p.note
        rows.append(row)
    return rows


def _edges(curve: Curve, x: _Position, y: _Position) -> Iterator[Row]:
    """Yield marks at the edges of the plot where a curve, or an interval, reaches beyond them."""
    name, before = _series(curve), (0, 0)
    for p in curve.points:
        if not isfinite(p.y):
            before = (0, 0)
            continue
        value = p.y
        at = x.place(p.x)
        place = {"s": name, "x": short(x.held(at)), "y": short(y.held(value))}
        side = x.beyond(at), 0 if curve.stacked else y.beyond(value)
        if side != (0, 0) and (side != before or curve.marks):
            across = {-1: "left", 1: "right"}.get(side[0])
            yield place | {"side": across or ("up" if side[1] > 0 else "down")}
        before = side
        if side != (0, 0):
            continue
        for end in (p.low, p.high):
            if end is not None and (out := y.beyond(end)):
                yield place | {"y": short(y.held(end)), "side": "up" if out > 0 else "down"}


def _edge_layers(rows: Sequence[Row], colour: Spec, x: Spec, y: Spec) -> list[Spec]:
    known = [
        side for side in ("up", "down", "left", "right") if any(r["side"] == side for r in rows)
    ]
    return [
        {
            "data": {"values": [row for row in rows if row["side"] == side]},
            "mark": {
                "type": "point",
                "style": "edge",
                "filled": True,
                "shape": mark_path(f"triangle-{side}"),
                "tooltip": "beyond the axis",
            },
            "encoding": {"x": x, "y": y, "color": colour},
        }
        for side in known
    ]


def _scale(names: Sequence[str], values: Sequence[Any]) -> Spec:
    return {
        "field": "s",
        "type": "nominal",
        "legend": None,
        "scale": {"domain": list(names), "range": list(values)},
    }


def _plot(
    plot: OnAxes, frame: _Frame, width: float, height: float, legend: Sequence[_Entry]
) -> Spec:
    """Return curves on two axes, with a legend of these entries."""
    x, y = _axes(plot, frame, width, height)
    curves = list(_stacked(plot.curves))
    # The floor is behind all others.
    ordered = sorted(curves, key=lambda each: not look.is_null(each[0].label))
    by_name = {_series(curve): curve for curve in plot.curves}
    names = list(by_name)
    looks = {
        "color": _scale(names, [look.colour(curve.label) for curve in by_name.values()]),
        "strokeDash": _scale(
            names, [_dash(c.dash or look.dash(c.label), frame.em) for c in by_name.values()]
        ),
        "shape": _scale(names, [mark_path(look.symbol(c.label)) for c in by_name.values()]),
    }
    layers: list[Spec] = []
    groups: dict[tuple[object, ...], list[tuple[Curve, list[Row]]]] = {}
    for curve, bottom, _ in ordered:
        groups.setdefault(_style(curve), []).append((curve, _rows(curve, bottom, x, y)))
    # Areas are behind lines.
    for _, own in sorted(groups.items(), key=lambda group: not group[0][0]):
        rows = [row for _, each in own for row in each]
        layers.append(
            {
                "data": {"values": rows},
                "layer": _layers(plot, own[0][0], rows, looks, x, y, frame),
            }
        )
    if plot.references:
        layers.append(_references(plot.references, x, y, frame))
    edges = [row for curve in plot.curves for row in _edges(curve, x, y)]
    layers += _edge_layers(edges, looks["color"], x.channel("x"), y.channel("y"))
    layers += _legend(legend, frame)
    return {"width": width, "height": height, "layer": layers, "resolve": APART}


def _layers(
    plot: OnAxes,
    curve: Curve,
    rows: Sequence[Row],
    looks: Spec,
    x: _Position,
    y: _Position,
    frame: _Frame,
) -> list[Spec]:
    """Return the layers of curves that are drawn like this one."""
    aria = {} if len(rows) < MANY else {"aria": False}
    place = {"x": x.channel("x"), "y": y.channel("y")}
    colour, unsorted = {"color": looks["color"]}, {"order": {"value": None}}
    step = {"interpolate": "step-after"} if curve.steps else {}
    tooltip = {"tooltip": _tooltip(plot, curve, rows)}
    layers: list[Spec] = []
    if curve.fill:
        area = {"type": "area", "line": False, "fillOpacity": curve.fill, **step, **aria}
        layers.append(
            {
                "mark": area | {"clip": True},
                "encoding": place | {"y2": {"field": "y0"}} | colour | unsorted,
            }
        )
    if rows and "low" in rows[0]:
        ends = {"x": place["x"], "y": y.channel("high"), "y2": {"field": "low"}}
        if curve.marks:
            mark: Spec = {"type": "errorbar", "ticks": True, "rule": {"style": "interval"}}
        else:
            mark = {"type": "area", "style": "band", "clip": True} | unsorted
        layers.append({"mark": mark | aria, "encoding": ends | colour})
    if curve.line and not curve.stacked:
        style = "thin" if curve.thin else "curve"
        line = {"type": "line", "style": style, "clip": True, **step, **aria}
        layers.append(
            {
                "mark": line,
                "encoding": place | colour | {"strokeDash": looks["strokeDash"]} | unsorted,
            }
        )
    if curve.dots:
        style = "dots" if len(rows) > MANY / 5 else "few-dots"
        layers.append(
            {
                "mark": {"type": "circle", "style": style, "clip": True, **aria},
                "encoding": place | colour | tooltip,
            }
        )
    elif curve.marks:
        style = "hollow" if curve.hollow else "mark"
        mark = {"type": "point", "style": style, "filled": not curve.hollow, "clip": True, **aria}
        layers.append(
            {"mark": mark, "encoding": place | colour | {"shape": looks["shape"]} | tooltip}
        )
    elif frame.pointer:
        layers.append(
            {
                "mark": {"type": "point", "style": "pointed", "clip": True, "aria": False},
                "encoding": place | tooltip,
            }
        )
    return layers


def _tooltip(plot: OnAxes, curve: Curve, rows: Sequence[Row]) -> list[Spec]:
    shown: list[Spec] = [{"field": "s", "title": "title"}]
    if any(row.get("note") for row in rows):
        shown.append({"field": "note", "title": "at" if plot.x.kind == "percent" else "note"})
    number = {"type": "quantitative", "format": ",.4~r"}
    if plot.x.kind not in ("sizes", "percent"):
        shown.append({"field": "x", "title": plot.x.title} | number)
    if not curve.only_x:
        shown.append({"field": "y", "title": plot.y.title} | number)
        if rows and "low" in rows[0]:
            shown += [
                {"field": end, "title": f"95 % interval, {name}"} | number
                for end, name in (("low", "from"), ("high", "to"))
            ]
    return shown


def _references(references: Sequence[Reference], x: _Position, y: _Position, frame: _Frame) -> Spec:
    rows = [
        {
            "n": n,
            "name": line.name,
            "dash": line.dash,
            "x": short(x.held(x.place(at))),
            "y": short(y.held(value)),
        }
        for n, line in enumerate(references)
        for at, value in line.ends
    ]
    dashes = list(dict.fromkeys(line.dash for line in references))
    return {
        "data": {"values": rows},
        "mark": {"type": "line", "style": "reference", "color": look.GREY, "clip": True},
        "encoding": {
            "x": x.channel("x"),
            "y": y.channel("y"),
            "detail": {"field": "n"},
            "order": {"value": None},
            "tooltip": {"field": "name"},
            "strokeDash": {
                "field": "dash",
                "type": "nominal",
                "legend": None,
                "scale": {"domain": dashes, "range": [_dash(each, frame.em) for each in dashes]},
            },
        },
    }


def _entries(plot: OnAxes) -> list[_Entry]:
    curves = [_entry(curve) for curve in plot.curves if curve.name and not curve.thin]
    return [*curves, *map(_reference_entry, plot.references)]


# Shapes


@singledispatch
def _views(shape: Any, frame: _Frame) -> Spec:
    raise TypeError(type(shape))


@_views.register
def _(picture: Picture, frame: _Frame) -> Spec:
    height = frame.height or 20 * frame.em
    if not picture.apart or len(picture.curves) < 2:
        return _plot(picture, frame, frame.width, height, _entries(picture))
    columns = min(SIDE_BY_SIDE, len(picture.curves))
    width = frame.cell(columns)
    own = [
        replace(
            picture,
            curves=[curve],
            references=[replace(line, fits_axis=False) for line in picture.references],
        )
        for curve in picture.curves
    ]
    entries = [_reference_entry(line) for line in picture.references]
    views = [
        _plot(each, frame, width, height, entries if n == 0 else ())
        | _heading(each.curves[0].name, frame, width)
        for n, each in enumerate(own)
    ]
    return grid(views, columns)


def _heading(text: str, frame: _Frame, width: float) -> Spec:
    return {
        "title": {
            "text": lines(one_line(text, 200), width, frame.em),
            "frame": "group",
            "fontSize": frame.em,
            "fontWeight": "normal",
            "offset": frame.em / 2,
        }
    }


@_views.register
def _(stack: Stack, frame: _Frame) -> Spec:
    width, height = frame.cell(1), frame.height or 9 * frame.em
    entries = [entry for row in stack.rows for entry in _entries(row)]
    places = [place for row in stack.rows for place in row.places()]
    views = []
    for n, row in enumerate(stack.rows):
        last = row is stack.rows[-1]
        title = row.x.title if last else ""
        ends = _around(places) if stack.together and places else row.x.ends
        own = replace(row, x=replace(row.x, title=title, ends=ends))
        view = _plot(own, frame, width, height, entries if n == 0 else ())
        views.append(view | _heading(row.heading, frame, width))
    return {"vconcat": views, "spacing": frame.em, "resolve": OWN_LOOKS}


ABOVE, BELOW, HALF = 0.16, 0.2, 0.31
"""Where a row has points, its value above the middle and its parts below; half of a bar."""


@_views.register
def _(bars: Bars, frame: _Frame) -> Spec:
    em, solid = frame.em, bars.axis.from_zero
    names = [
        lines(one_line(row.label.text, 200), ROW_CHARACTERS * 0.54 * em, em) or [""]
        for row in bars.rows
    ]
    tallest = max(map(len, names), default=1)
    height = frame.height or len(names) * em * max(1.9 if solid else 2.4, 1.25 * tallest)
    values = bars.values()
    title = {"title": lines(bars.axis.title, frame.width - 14 * em, em)}
    ends = None if solid else ticks.log_ends(values)
    x = _log_axis(ends, title) if ends else _linear_axis(_from_zero(values), title)
    at = list(range(len(names)))
    marks = {
        "values": at,
        "labelExpr": f"{_text(names)}[datum.value]",
        "title": None,
        "grid": False,
        "labelLimit": 0,
        "labelLineHeight": 1.15 * em,
    }
    scale = {"type": "linear", "domain": [len(names) - 0.5, -0.5], "nice": False, "zero": False}
    y = _Position(scale, marks)
    labels = {row.label.text: row.label for row in bars.rows}
    colour = _scale(list(labels), [look.colour(label) for label in labels.values()])
    shape = _scale(list(labels), [mark_path(look.symbol(label)) for label in labels.values()])
    rows = [_bar_row(row, n, x, solid=solid) for n, row in enumerate(bars.rows)]
    tooltip = {
        "tooltip": [{"field": "s", "title": "title"}, {"field": "note", "title": bars.axis.title}]
    }
    own: list[Spec] = []
    if solid:
        own.append(
            {
                "mark": {"type": "rect", "style": "bar"},
                "encoding": {
                    "x": x.channel("value"),
                    "x2": {"datum": 0},
                    "y": y.channel("top"),
                    "y2": {"field": "bottom"},
                    "color": colour,
                }
                | tooltip,
            }
        )
    layers: list[Spec] = [{"data": {"values": rows}, "layer": own}]
    place = {"y": y.channel("at")}
    bounded = [row for row in rows if "low" in row]
    if bounded:
        mark = {"type": "errorbar", "ticks": True, "rule": {"style": "interval"}}
        interval: Spec = {"x": x.channel("high"), "x2": {"field": "low"}} | place
        layers.append(
            {
                "data": {"values": bounded},
                "mark": mark,
                "encoding": interval | ({} if solid else {"color": colour}),
            }
        )
    if not solid:
        own.append(
            {
                "mark": {"type": "point", "style": "mark", "filled": True},
                "encoding": {"x": x.channel("value"), "color": colour, "shape": shape}
                | place
                | tooltip,
            }
        )
    parts = [
        {"s": row.label.text, "x": short(part.value), "at": n + BELOW, "note": part.note}
        for n, row in enumerate(bars.rows)
        for part in row.parts
    ]
    if parts:
        layers.append(
            {
                "data": {"values": parts},
                "mark": {"type": "point", "style": "part", "filled": False},
                "encoding": {"x": x.channel("x"), "color": colour} | place | tooltip,
            }
        )
    compared = [
        {
            "s": row.label.text,
            "x": short(row.mark),
            "top": n - 0.42,
            "bottom": n + 0.42,
            "note": f"{bars.mark}: {ticks.plain(short(row.mark))}",
        }
        for n, row in enumerate(bars.rows)
        if row.mark is not None
    ]
    if bars.mark and compared:
        layers.append(
            {
                "data": {"values": compared},
                "mark": {"type": "rule", "style": "compared", "color": look.GREY},
                "encoding": {"x": x.channel("x"), "y": y.channel("top"), "y2": {"field": "bottom"}}
                | tooltip,
            }
        )
    if bars.references:
        layers.append(_references(bars.references, x, y, frame))
    edges = [edge for n, row in enumerate(bars.rows) for edge in _bar_edges(row, n, x)]
    layers += _edge_layers(edges, colour, x.channel("x"), y.channel("y"))
    layers += _legend(_bar_entries(bars), frame)
    return {"width": frame.width, "height": height, "layer": layers, "resolve": APART}


def _bar_row(row: Bar, at: int, x: _Position, *, solid: bool) -> Row:
    found: Row = {
        "s": row.label.text,
        "value": short(x.held(row.value)),
        "note": row.note,
        "at": at if solid else at - ABOVE,
    }
    if solid:
        found |= {"top": at - HALF, "bottom": at + HALF}
    if row.low is not None and row.high is not None:
        found |= {"low": short(x.held(row.low)), "high": short(x.held(row.high))}
    return found


def _bar_edges(row: Bar, at: int, x: _Position) -> Iterator[Row]:
    for end in (row.low, row.high, row.value):
        if end is not None and (out := x.beyond(end)):
            yield {
                "s": row.label.text,
                "x": short(x.held(end)),
                "y": at,
                "side": "right" if out > 0 else "left",
            }


def _bar_entries(bars: Bars) -> Iterator[_Entry]:
    filled = mark_path("circle", 0.32)
    yield _Entry(bars.value, look.GREY, line_path("solid") + filled, look.GREY)
    yield _Entry(bars.part, look.GREY, filled)
    yield _Entry(bars.mark, look.GREY, "M-.05,-.5H.05V.5H-.05Z", look.GREY)
    yield from map(_reference_entry, bars.references)


@_views.register
def _(boxes: Boxes, frame: _Frame) -> Spec:
    height = frame.height or 20 * frame.em
    if len(boxes.cells) == 1:
        return _cell(boxes, boxes.cells[0], frame, frame.width, height, first=True)
    columns = min(SIDE_BY_SIDE, len(boxes.cells))
    width = frame.cell(columns)
    views = [
        _cell(boxes, cell, frame, width, height, first=n == 0)
        | _heading(cell.label.text, frame, width)
        for n, cell in enumerate(boxes.cells)
    ]
    return grid(views, columns)


def _cell(
    boxes: Boxes, cell: Cell, frame: _Frame, width: float, height: float, *, first: bool
) -> Spec:
    """Return the boxes of one case."""
    values = [v for box in cell.boxes for v in (*box.ends, *box.whiskers)]
    y = _axis(cell.y, values, frame, height)
    count = len(cell.boxes)
    every = ceil(count / min(MOST_NAMES, max(2, int(width / (3 * frame.em)))))
    marks = [(float(at), cell.boxes[at].name) for at in range(0, count, every)]
    scale = {"type": "linear", "domain": [-0.7, count - 0.3], "nice": False, "zero": False}
    x = _Position(scale, {"title": boxes.x, "grid": False} | _named(marks))
    colour = look.colour(cell.label)
    outlines = [
        {"n": n, "y": short(value), "x": short(n - half), "x2": short(n + half)}
        for n, box in enumerate(cell.boxes)
        for value, half in box.outline
        if not y.beyond(value)
    ]
    own = [_box_row(n, box, y) for n, box in enumerate(cell.boxes)]
    ends = [
        {"n": n, "v": short(v)}
        for n, box in enumerate(cell.boxes)
        for v in box.ends
        if not y.beyond(v)
    ]
    rule = {"type": "rule", "color": colour, "style": "whisker"}
    place = x.channel("n")
    titles = (
        ("q1", "25th percentile"),
        ("median", "median"),
        ("q3", "75th percentile"),
        ("low", "5th percentile"),
        ("high", "95th percentile"),
        ("least", "smallest"),
        ("most", "largest"),
    )
    tooltip = [{"field": "name", "title": "title"}] + [
        {"field": name, "title": title, "type": "quantitative", "format": ",.4~r"}
        for name, title in titles
    ]
    layers: list[Spec] = [
        {
            "data": {"values": outlines},
            "mark": {
                "type": "area",
                "orient": "horizontal",
                "color": colour,
                "style": "violin",
                "aria": False,
            },
            "encoding": {
                "x": x.channel("x"),
                "x2": {"field": "x2"},
                "y": y.channel("y"),
                "detail": {"field": "n"},
                "order": {"value": None},
            },
        },
        {
            "data": {"values": own},
            "layer": [
                {
                    "mark": rule,
                    "encoding": {"x": place, "y": y.channel("low"), "y2": {"field": "q1"}},
                },
                {
                    "mark": rule,
                    "encoding": {"x": place, "y": y.channel("q3"), "y2": {"field": "high"}},
                },
                {
                    "mark": {"type": "rect", "style": "box", "stroke": colour},
                    "encoding": {
                        "x": x.channel("left"),
                        "x2": {"field": "right"},
                        "y": y.channel("q1"),
                        "y2": {"field": "q3"},
                        "tooltip": tooltip,
                    },
                },
                {
                    "mark": {"type": "rule", "style": "median"},
                    "encoding": {
                        "x": x.channel("left"),
                        "x2": {"field": "right"},
                        "y": y.channel("median"),
                    },
                },
            ],
        },
        {
            "data": {"values": ends},
            "mark": {"type": "circle", "color": colour, "style": "few-dots"},
            "encoding": {"x": place, "y": y.channel("v")},
        },
    ]
    if cell.references:
        layers.append(_references(cell.references, x, y, frame))
    edges = [
        {"s": cell.label.text, "x": n, "y": short(y.held(v)), "side": "up" if out > 0 else "down"}
        for n, box in enumerate(cell.boxes)
        for v in box.ends
        if (out := y.beyond(v))
    ]
    shade = _scale([cell.label.text], [colour])
    layers += _edge_layers(edges, shade, x.channel("x"), y.channel("y"))
    if first:
        layers += _legend(map(_reference_entry, cell.references), frame)
    return {"width": width, "height": height, "layer": layers, "resolve": APART}


BOX = 0.22
"""Half of a box; boxes are 1 apart."""


def _box_row(at: int, box: Box, y: _Position) -> Row:
    low, high = box.whiskers
    names = {"low": low, "high": high, "least": box.ends[0], "most": box.ends[1]}
    quartiles = zip(("q1", "median", "q3"), box.quartiles, strict=True)
    held = {
        name: short(y.held(value)) for name, value in (*quartiles, ("low", low), ("high", high))
    }
    return {
        "n": at,
        "name": box.name,
        "left": at - BOX,
        "right": at + BOX,
        **{name: short(value) for name, value in names.items()},
        **held,
    }


@_views.register
def _(heat: Heat, frame: _Frame) -> Spec:
    em = frame.em
    height = frame.height or max(6 * em, 2.6 * em * len(heat.rows))
    rows = [
        _field_row(row, column, found)
        for row, (_, fields) in enumerate(heat.rows)
        for column, found in enumerate(fields)
        if found is not None
    ]

    def axis(name: str, title: str, names: Sequence[str], **more: Any) -> Spec:
        shown = [one_line(each, 34) for each in names]
        return {
            "field": name,
            "type": "ordinal",
            "scale": {"domain": list(range(len(names))), "padding": 0.03},
            "axis": {
                "title": title or None,
                "grid": False,
                "domain": False,
                "ticks": False,
                "labelExpr": f"{_text(shown)}[datum.value]",
                "labelLimit": 0,
                **more,
            },
        }

    room = (frame.width - 14 * em) / max(len(heat.columns), 1)
    slanted = max(map(extent, heat.columns), default=0) * 0.54 * em > room
    place = {
        "x": axis(
            "c",
            heat.across,
            heat.columns,
            **({"labelAngle": -40, "labelAlign": "right"} if slanted else {"labelAngle": 0}),
        ),
        "y": axis("r", heat.down, [name for name, _ in heat.rows]),
    }
    marks = [at for at, _ in heat.scale]
    legend = (
        {
            "title": None,
            "orient": "right",
            "type": "gradient",
            "gradientLength": {"expr": "height"},
            "gradientThickness": em * 0.9,
            "values": marks,
            "labelExpr": f"{_text([name for _, name in heat.scale])}"
            f"[indexof({_text(marks)}, datum.value)]",
        }
        if heat.scale
        else None
    )
    shade = {
        "field": "shade",
        "type": "quantitative",
        "legend": legend,
        "scale": {
            "domain": [n / (len(SHADES) - 1) for n in range(len(SHADES))],
            "range": list(SHADES),
            "interpolate": "rgb",
        },
    }
    fields = {
        "mark": {"type": "rect", "style": "field"},
        "transform": [{"filter": "isValid(datum.shade)"}],
        "encoding": place | {"color": shade, "tooltip": {"field": "note"}},
    }
    empty = {
        "mark": {"type": "rect", "style": "empty"},
        "transform": [{"filter": "!isValid(datum.shade)"}],
        "encoding": place | {"tooltip": {"field": "note"}},
    }
    layers = [fields, empty]
    if heat.written:
        mark: Spec = {"type": "text", "style": "written", "lineBreak": "\n", "lineHeight": em}
        layers += [
            {
                "mark": mark | ink,
                "transform": [{"filter": f"{'' if known else '!'}isValid(datum.shade)"}],
                "encoding": place | {"text": {"field": "text"}},
            }
            for known, ink in ((True, {"color": {"expr": "datum.ink"}}), (False, {}))
        ]
    return {"width": frame.width, "height": height, "data": {"values": rows}, "layer": layers}


def _field_row(row: int, column: int, found: Field) -> Row:
    shade = None if found.shade is None else short(found.shade)
    return {
        "r": row,
        "c": column,
        "text": found.text,
        "shade": shade,
        "ink": found.ink,
        "note": found.note,
    }


# Themes


@dataclass(frozen=True, slots=True)
class _Colours:
    ground: str
    text: str
    faint: str
    grid: str
    empty: str
    em: float = 12.0
    font: str = field(default="system-ui, 'Segoe UI', 'Liberation Sans', Arial, sans-serif")


THEMES: dict[Theme, _Colours] = {
    "light": _Colours("#FFFFFF", "#222222", "#555555", "#DDDDDD", "#EEEEEE"),
    "dark": _Colours("#16181D", "#E6E6E6", "#A9ADB5", "#363A42", "#2A2D34"),
    "print": _Colours(
        "#FFFFFF",
        "#222222",
        "#555555",
        "#DDDDDD",
        "#EEEEEE",
        7.0,
        "'Liberation Sans', Arial, Helvetica, sans-serif",
    ),
}


def config(theme: Theme) -> Spec:
    """Return what a theme adds to every specification, as its `config`."""
    own = THEMES[theme]
    em = own.em
    width = em / WIDTH
    style = {
        "curve": {"strokeWidth": width},
        "thin": {"strokeWidth": width * 0.6},
        "reference": {"strokeWidth": width * 0.75},
        "interval": {"strokeWidth": width * 0.75},
        "whisker": {"strokeWidth": width * 0.75},
        "band": {"fillOpacity": 0.22},
        "violin": {"fillOpacity": 0.25},
        "box": {"fillOpacity": 0, "strokeWidth": width * 0.75},
        "median": {"stroke": own.text, "strokeWidth": width},
        "mark": {"size": (em * 0.6) ** 2, "strokeWidth": width * 0.6},
        "hollow": {"size": (em * 0.6) ** 2, "strokeWidth": width * 0.6, "fill": own.ground},
        "part": {"size": (em * 0.5) ** 2, "strokeWidth": width * 0.6},
        "edge": {"size": (em * 0.55) ** 2, "opacity": 1},
        "dots": {"size": (em * 0.22) ** 2, "opacity": 0.6},
        "few-dots": {"size": (em * 0.35) ** 2, "opacity": 1},
        "pointed": {"size": (em * 0.6) ** 2, "opacity": 0},
        "compared": {"strokeWidth": width * 1.4},
        "sample": {"strokeWidth": width},
        "bar": {"opacity": 1},
        "field": {"opacity": 1},
        "empty": {"fill": own.empty, "opacity": 1},
        "written": {"fill": own.text, "fontSize": em * 0.9},
    }
    return {
        "background": own.ground,
        "font": own.font,
        "padding": em * 0.4,
        "concat": {"spacing": em * 1.4},
        "view": {"stroke": None},
        "style": style,
        "errorbar": {"color": own.text, "ticks": {"size": em * 0.5, "thickness": width * 0.75}},
        "point": {"opacity": 1},
        "title": {
            "anchor": "start",
            "frame": "bounds",
            "color": own.text,
            "fontSize": em * 8 / 7,
            "subtitleColor": own.faint,
            "subtitleFontSize": em * 0.93,
            "offset": em * 0.5,
            "subtitlePadding": em * 0.3,
        },
        "axis": {
            "titleFontSize": em * 8 / 7,
            "labelFontSize": em,
            "titleFontWeight": "normal",
            "titleColor": own.text,
            "labelColor": own.text,
            "domainColor": own.faint,
            "tickColor": own.faint,
            "gridColor": own.grid,
            "gridWidth": width * 0.4,
            "domainWidth": width * 0.5,
            "tickWidth": width * 0.5,
            "tickSize": em * 0.35,
            "titlePadding": em * 0.4,
            "labelPadding": em * 0.2,
            "labelOverlap": True,
            "labelFlush": False,
        },
        "legend": {
            "labelFontSize": em,
            "labelColor": own.text,
            "offset": em * 0.6,
            "padding": 0,
            "rowPadding": em * 0.15,
            "columnPadding": em,
            "labelOffset": em * 0.4,
        },
    }
