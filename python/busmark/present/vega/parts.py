"""What all specifications are made of: texts, paths of marks and dashes, layers, the legend."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any
from unicodedata import east_asian_width

from busmark.present.charts import look
from busmark.present.charts.shapes import Reference, one_line

Spec = dict[str, Any]
Row = dict[str, Any]

CHARACTER = 0.5
"""Mean width of a character, in sizes of the text."""

SIDE_BY_SIDE = 3
"""Plots of a grid."""

LONGEST = 2000
"""Characters of a text."""

MANY = 1000
"""Points from which on a screen reader is not given each."""

STROKES = 7.0
"""Widths of a line in the size of the text."""

DASHES: dict[str, tuple[float, ...]] = {
    "solid": (1, 0),
    "dash": (4, 1.6),
    "dot": (1, 1.3),
    "dashdot": (4, 1.3, 1, 1.3),
    "longdash": (7, 1.6),
    "longdashdot": (7, 1.4, 1, 1.4),
    "dashdotdot": (4, 1.2, 1, 1.2, 1, 1.2),
    "sparsedot": (1, 3.6),
    "longshort": (7, 1.4, 2.5, 1.4),
    "sparsedash": (3, 4),
}
"""Lengths of dashes and gaps, in widths of the line."""

THIRD = 1 / 3
CORNERS: dict[str, tuple[tuple[float, float], ...]] = {
    "square": ((-0.88, -0.88), (0.88, -0.88), (0.88, 0.88), (-0.88, 0.88)),
    "diamond": ((0, -1.15), (1.15, 0), (0, 1.15), (-1.15, 0)),
    "triangle-up": ((0, -1), (1, 0.85), (-1, 0.85)),
    "triangle-down": ((0, 1), (1, -0.85), (-1, -0.85)),
    "triangle-left": ((-1, 0), (0.85, -1), (0.85, 1)),
    "triangle-right": ((1, 0), (-0.85, -1), (-0.85, 1)),
    "cross": ((-THIRD, -1), (THIRD, -1), (THIRD, -THIRD), (1, -THIRD), (1, THIRD), (THIRD, THIRD),
              (THIRD, 1), (-THIRD, 1), (-THIRD, THIRD), (-1, THIRD), (-1, -THIRD),
              (-THIRD, -THIRD)),
    "x": ((-1, -0.6), (-0.6, -1), (0, -0.4), (0.6, -1), (1, -0.6), (0.4, 0), (1, 0.6), (0.6, 1),
          (0, 0.4), (-0.6, 1), (-1, 0.6), (-0.4, 0)),
    "star": ((0, -1.2), (0.27, -0.37), (1.14, -0.37), (0.44, 0.14), (0.71, 0.97), (0, 0.46),
             (-0.71, 0.97), (-0.44, 0.14), (-1.14, -0.37), (-0.27, -0.37)),
}  # fmt: skip
"""Corners of the marks, within a circle of about 1."""

SAMPLE = 2.2
"""Length of a line of the legend, in sizes of the text."""

AROUND_SAMPLE = 3.6
"""Space that an entry of the legend takes besides its name, in sizes of the text."""

MARGIN = 5.2
"""Width of a vertical axis with its title, in sizes of the text."""

APART = {"scale": dict.fromkeys(("shape", "strokeDash", "fill", "stroke"), "independent")}
"""Channels of which the legend, or lines to compare with, have scales of their own."""

OWN_LOOKS = {"scale": {**APART["scale"], "color": "independent"}}
"""Settings for plots that have series of their own."""


@dataclass(frozen=True, slots=True)
class ChartFrame:
    """Arguments with which `specification` was called."""

    width: float
    height: float | None
    linear: bool | None
    em: float
    pointer: bool

    def lines(self, text: str, width: float) -> list[str]:
        """Return the text in lines of at most `width`."""
        return lines(text, int(width / (CHARACTER * self.em)))

    def heading(self, text: str, width: float) -> Spec:
        """Return the name of one plot among several."""
        text_of = self.lines(text, width)
        return {
            "title": {
                "text": text_of,
                "frame": "group",
                "fontSize": self.em,
                "fontWeight": "normal",
                "offset": self.em / 2,
            }
        }


def short(value: float) -> float:
    """Return six digits: more cannot be seen."""
    return float(f"{value:.6g}")


def extent(text: str) -> int:
    """Return the width of a text in characters: an ideograph is as wide as two."""
    return sum(2 if east_asian_width(each) in "WF" else 1 for each in text)


def lines(text: str, width: int, *, label: bool = True) -> list[str]:
    """Return the text in lines of at most this many characters: a label cut between its parts,
    where they fit, else between words."""
    text = one_line(text, LONGEST)
    width = max(width, 8) * len(text) // max(extent(text), 1)
    parts = text.split(" · ")
    if not label or any(len(part) + 3 > width for part in parts):
        return textwrap.wrap(text, max(width, 4), break_on_hyphens=False)
    tied = "\u00a0· ".join(part.replace(" ", "\u00a0") for part in parts)
    return [
        line.replace("\u00a0", " ") for line in textwrap.wrap(tied, width, break_on_hyphens=False)
    ]


def mark_path(symbol: str, size: float = 1.0) -> str:
    """Return a mark of `look` as an SVG path within a circle of `size`."""
    if symbol == "line-ew-open":
        # Marks are filled, and a line has nothing to fill.
        return f"M{-size:g},{-size / 3:.3g}H{size:g}V{size / 3:.3g}H{-size:g}Z"
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
        end = min(at + part / STROKES / (SAMPLE / 2), 1.0)
        if n % 2 == 0 and at < end:
            path += f"M{at:.3g},0H{end:.3g}"
        at = end
    return path


def dashes(name: str, em: float) -> list[float]:
    """Return the dash of a line."""
    return [short(part * em / STROKES) for part in DASHES[name]]


def layer(
    mark: str, style: str, encoding: Spec, rows: Sequence[Row] | None = None, **more: Any
) -> Spec:
    """Return a layer of marks, which end at the edge of the plot. `rows`: its data, where it has
    others than the layers around it; `more`: properties of the mark."""
    many = {} if rows is None or len(rows) < MANY else {"aria": False}
    found: Spec = {"mark": {"type": mark, "style": style, "clip": True, **many, **more}}
    if rows is not None:
        found["data"] = {"values": list(rows)}
    return found | {"encoding": encoding}


def looks(names: Iterable[str], values: Iterable[Any]) -> Spec:
    """Return the encoding of a channel by which series differ."""
    scale = {"domain": list(names), "range": list(values)}
    return {"field": "s", "type": "nominal", "legend": None, "scale": scale}


def grid(views: Sequence[Spec], columns: int) -> Spec:
    """Return plots side by side, `columns` in a row."""
    return {"concat": list(views), "columns": columns, "resolve": OWN_LOOKS}


@dataclass(frozen=True, slots=True)
class LegendEntry:
    """One line of the legend."""

    name: str
    stroke: str
    path: str
    fill: str = "transparent"


def reference_entry(line: Reference) -> LegendEntry:
    """Return the entry of a line to compare with."""
    return LegendEntry(line.name, look.GREY, line_path(line.dash))


def legend(entries: Iterable[LegendEntry], em: float, width: float) -> list[Spec]:
    """Return a layer without data that has the legend: samples with line and mark, which no channel
    of the plot has together. Empty without any name. It begins where the plot does, which is
    `width` wide."""
    limit = width - AROUND_SAMPLE * em
    known = {
        "\n".join(lines(entry.name, int(limit / (CHARACTER * em)))): entry
        for entry in entries
        if entry.name
    }
    if not known:
        return []
    names = list(known)
    rows = [line for name in names for line in name.split("\n")]
    longest = (max(map(extent, rows)) * CHARACTER + AROUND_SAMPLE) * em
    shown = {
        "title": None,
        "orient": "top",
        "direction": "horizontal",
        "labelLimit": limit,
        "columns": max(1, min(len(names), int(width / longest))),
        "symbolSize": (SAMPLE * em) ** 2,
        "clipHeight": 1.3 * em,
        "values": names,
    }
    if len(rows) > len(names):
        shown["labelExpr"] = "split(datum.label, '\\n')"
    values = {"fill": "fill", "stroke": "stroke", "shape": "path"}
    encoding = {
        channel: looks(names, [getattr(entry, name) for entry in known.values()])
        | {"legend": shown}
        for channel, name in values.items()
    }
    return [layer("point", "sample", encoding, [])]
