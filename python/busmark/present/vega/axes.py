"""Axes: where values are, up to where an axis reaches, and its ticks."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from busmark.present.charts import look, ticks
from busmark.present.charts.shapes import Reference
from busmark.present.vega.parts import (
    MARGIN,
    ChartFrame,
    Row,
    Spec,
    dashes,
    layer,
    mark_path,
    short,
)

GROUPED = "replace(datum.label, /,/g, '\u2009')"
IN_FULL = "replace(format(datum.value, ',.9~r'), /,/g, '\u2009')"
"""Names of ticks: thousands apart, as in texts."""

SLOWER = "100 * pow(10, -datum.x)"
"""Per cent of the samples that are slower than a place on an axis of percentiles."""

TICK = 5.5
"""Room for a number of a horizontal axis, in sizes of the text: none must be left out for want of
it, for every other multiple of 0.05 is an odd one. The page's script has the same."""

GAP = 1.6
"""Space between the plots of a grid."""


def cell(frame: ChartFrame, columns: int) -> float:
    """Return the width of a plot, without its axis, where this many are side by side."""
    em = frame.em
    return (frame.width - 0.8 * em - (columns - 1) * GAP * em) / columns - MARGIN * em


OF_KIND: dict[str, Spec] = {
    "linear": {"type": "linear", "zero": False},
    "log": {"type": "log"},
    "sizes": {"type": "log", "base": 2},
    "percent": {"type": "linear"},
    "signed": {"type": "symlog"},
}
"""Scales of Vega-Lite."""


@dataclass(frozen=True, slots=True)
class Position(ticks.AxisScale):
    """Position of values along one axis; `axis` has its other properties, such as its title."""

    axis: Spec = field(kw_only=True)

    def held(self, value: float) -> float:
        """Return the value in six digits, or the end of the axis that it is beyond."""
        low, high = self.ends
        return short(min(max(value, low), high))

    def channel(self, name: str) -> Spec:
        """Return the encoding of a field on this axis."""
        scale = OF_KIND[self.kind] | {"domain": [*self.ends], "nice": False}
        if self.kind == "signed":
            scale["constant"] = self.step
        if self.kind in ("log", "signed"):
            ticks = {"values": [at for at, _ in self.ticks], "labelExpr": IN_FULL}
            ticks |= {"labelOverlap": "greedy"} if self.kind == "log" else {}
        else:
            ticks = named(self.ticks) if self.ticks else {"labelExpr": GROUPED}
        kind = {"field": name, "type": "quantitative", "stack": None}
        return kind | {"scale": scale, "axis": ticks | self.axis}


def text(value: Any) -> str:
    """Return a value as an expression."""
    return json.dumps(value, ensure_ascii=True)


def named(marks: Sequence[ticks.Tick]) -> Spec:
    """Return ticks here and nowhere else."""
    places, names = [at for at, _ in marks], [name for _, name in marks]
    return {"values": places, "labelExpr": f"{text(names)}[indexof({text(places)}, datum.value)]"}


def linear(ends: tuple[float, float], axis: Spec, marks: Sequence[ticks.Tick] = ()) -> Position:
    """Return a linear axis between these ends."""
    return Position("linear", ends, marks, axis=axis)


def axis(
    of: ticks.AxisScale, title: str, frame: ChartFrame, length: float, room: float = 0.0
) -> Position:
    """Return the axis of a scale; its title has lines of `length`. `room`: the width for numbers of
    a horizontal one."""
    own: Spec = {"title": frame.lines(title, length) or None}
    if room and of.kind == "linear" and not of.ticks:
        own["tickCount"] = max(2, int(room / (TICK * frame.em)))
    return Position(of.kind, of.ends, of.ticks, of.step, axis=own)


def references(of: Sequence[Reference], x: Position, y: Position, em: float) -> Iterator[Spec]:
    """Yield layers of lines to compare with; one that is beyond the axis has a mark at the edge."""
    rows: list[Row] = []
    beyond: list[Row] = []
    for n, line in enumerate(of):
        ends = [(x.place(at), value) for at, value in line.ends]
        sides = {x.beyond(at) for at, _ in ends}, {y.beyond(value) for _, value in ends}
        for (side, *others), names in zip(sides, (("left", "right"), ("down", "up")), strict=True):
            if side and not others:
                at, value = ends[0]
                place = {"x": x.held(at), "y": y.held(value)}
                beyond.append(place | {"side": names[side > 0]})
        own = {"n": n, "name": line.name, "dash": line.dash}
        rows += [own | {"x": at, "y": value} for at, value in ends]
    kinds = list(dict.fromkeys(line.dash for line in of))
    scale = {"domain": kinds, "range": [dashes(each, em) for each in kinds]}
    encoding = {
        "x": x.channel("x"),
        "y": y.channel("y"),
        "detail": {"field": "n"},
        "order": {"value": None},
        "tooltip": {"field": "name"},
        "strokeDash": {"field": "dash", "type": "nominal", "legend": None, "scale": scale},
    }
    yield layer("line", "reference", encoding, rows, color=look.GREY)
    yield from edges(beyond, {"value": look.GREY}, x, y)


def edges(rows: Sequence[Row], colour: Spec, x: Position, y: Position) -> Iterator[Spec]:
    """Yield layers of marks at the edges of the plot, which say that something reaches beyond."""
    for side in ("up", "down", "left", "right"):
        if own := [row for row in rows if row["side"] == side]:
            place = {"x": x.channel("x"), "y": y.channel("y"), "color": colour}
            shape = mark_path(f"triangle-{side}")
            yield layer(
                "point",
                "edge",
                place,
                own,
                filled=True,
                shape=shape,
                clip=False,
                tooltip="beyond the axis",
            )
