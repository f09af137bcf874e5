"""Axes: where values are, up to where an axis reaches, and its ticks."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import log
from typing import Any

from busmark.present.charts import look, ticks
from busmark.present.charts.shapes import Axis, Reference
from busmark.present.vega.parts import MARGIN, Frame, Row, Spec, dashes, layer, mark_path, short

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


def cell(frame: Frame, columns: int) -> float:
    """Return the width of a plot, without its axis, where there are so many side by side."""
    em = frame.em
    return (frame.width - 0.8 * em - (columns - 1) * GAP * em) / columns - MARGIN * em


@dataclass(frozen=True, slots=True)
class Position:
    """One axis."""

    scale: Spec
    axis: Spec
    place: Callable[[float], float] = float
    """Where a value is on it."""

    @property
    def ends(self) -> tuple[float, float]:
        """Return up to where it reaches."""
        low, high = self.scale["domain"]
        return low, high

    def share(self, value: float) -> float:
        """Return where a place is between the ends, about 0 to 1."""
        low, high = self.ends
        if self.scale["type"] == "log":
            low, high, value = log(low), log(high), log(max(value, low))
        elif self.scale["type"] == "symlog":
            low, high, value = map(self._symlog, (low, high, value))
        return (value - low) / (high - low)

    def _symlog(self, value: float) -> float:
        size = log(1 + abs(value) / self.scale["constant"])
        return size if value > 0 else -size

    def beyond(self, value: float) -> int:
        """Return -1 below the axis, 1 above it, and 0 on it."""
        low, high = self.ends
        return (value > high) - (value < low)

    def held(self, value: float) -> float:
        """Return the value in six digits, or the end of the axis that it is beyond."""
        low, high = self.ends
        return short(min(max(value, low), high))

    def channel(self, name: str) -> Spec:
        """Return the encoding of a field on this axis."""
        kind = {"field": name, "type": "quantitative", "stack": None}
        return kind | {"scale": self.scale, "axis": self.axis}


def text(value: Any) -> str:
    """Return a value as an expression."""
    return json.dumps(value, ensure_ascii=True)


def named(marks: Sequence[ticks.Tick]) -> Spec:
    """Return ticks here and nowhere else."""
    places, names = [at for at, _ in marks], [name for _, name in marks]
    return {"values": places, "labelExpr": f"{text(names)}[indexof({text(places)}, datum.value)]"}


def logarithmic(ends: tuple[float, float], title: Spec) -> Position:
    """Return a logarithmic axis between these ends."""
    marks = {"values": [at for at, _ in ticks.log_ticks(*ends)], "labelExpr": IN_FULL,
             "labelOverlap": "greedy"}  # fmt: skip
    return Position({"type": "log", "domain": [*ends], "nice": False}, title | marks)


def linear(ends: tuple[float, float], title: Spec) -> Position:
    """Return a linear axis between these ends."""
    scale = {"type": "linear", "domain": [*ends], "nice": False, "zero": False}
    return Position(scale, {"labelExpr": GROUPED} | title)


def roomy(width: float, em: float) -> Spec:
    """Return the property of a horizontal linear axis by which its numbers have room."""
    return {"tickCount": max(2, int(width / (TICK * em)))}


def _signed(values: Sequence[float], title: Spec) -> Position:
    """Return an axis for both signs: logarithmic outwards, linear around 0, where most are."""
    step, marks = ticks.signed_ticks(values)
    end = 1.3 * marks[-1]
    return Position(
        {"type": "symlog", "constant": step, "domain": [-end, end], "nice": False},
        title | {"values": marks, "labelExpr": IN_FULL},
    )


def axis(
    of: Axis, values: Sequence[float], frame: Frame, length: float, more: Spec | None = None
) -> Position:
    """Return the axis on which these are; its title has lines of `length`. `more`: properties of a
    linear one."""
    title: Spec = {"title": frame.lines(of.title, length) or None}
    if of.names:
        title |= named(of.names)
    if of.kind == "signed" and any(values):
        return _signed(values, title)
    if of.kind == "log" and not frame.linear:
        ends = of.ends or ticks.log_ends(of.middle or values)
        if ends:
            return logarithmic(ends, title)
    if not of.names:
        title |= more or {}
    if of.ends:
        return linear(of.ends, title)
    if of.from_zero or of.kind == "log":
        return linear(ticks.from_zero(values), title)
    return linear(of.middle or ticks.around(values), title)


def sizes(of: Sequence[int], frame: Frame, title: Spec) -> Position:
    """Return an axis of sizes, logarithmic unless linear ones are wanted."""
    ends, marks = ticks.size_axis(of, linear=frame.linear or not of)
    if frame.linear or not of:
        return linear(ends, title | named(marks))
    scale = {"type": "log", "base": 2, "domain": [*ends], "nice": False}
    return Position(scale, title | named(marks), look.at_size)


def percents(values: Sequence[float], title: Spec) -> Position:
    """Return an axis from the fastest to the rarest sample."""
    end, marks = ticks.percent_axis(values)
    scale = {"type": "linear", "domain": [0, end], "nice": False}
    return Position(scale, title | named(marks), look.at_percent)


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
        "x": x.channel("x"), "y": y.channel("y"), "detail": {"field": "n"},
        "order": {"value": None}, "tooltip": {"field": "name"},
        "strokeDash": {"field": "dash", "type": "nominal", "legend": None, "scale": scale},
    }  # fmt: skip
    yield layer("line", "reference", encoding, rows, color=look.GREY)
    yield from edges(beyond, {"value": look.GREY}, x, y)


def edges(rows: Sequence[Row], colour: Spec, x: Position, y: Position) -> Iterator[Spec]:
    """Yield layers of marks at the edges of the plot, which say that something reaches beyond."""
    for side in ("up", "down", "left", "right"):
        if own := [row for row in rows if row["side"] == side]:
            place = {"x": x.channel("x"), "y": y.channel("y"), "color": colour}
            shape = mark_path(f"triangle-{side}")
            yield layer("point", "edge", place, own, filled=True, shape=shape, clip=False,
                        tooltip="beyond the axis")  # fmt: skip
