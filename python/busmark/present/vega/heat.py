"""Heat maps: fields in rows and columns, each with its text and its shade."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from busmark.present.charts.shapes import SHADES, Heat, HeatField, one_line
from busmark.present.vega import axes
from busmark.present.vega.parts import (
    CHARACTER,
    LONGEST,
    ChartFrame,
    Row,
    Spec,
    extent,
    layer,
    short,
)

FEWEST, ROW, BESIDE = 6.0, 2.6, 14.0
"""Height of the whole at least, and of a row; width of what is beside the columns; in sizes of the
text."""

NAME = 34
"""Characters of the name of a row or a column."""


def view(of: Heat, frame: ChartFrame) -> Spec:
    """Return the map, with the scale of its shades where that has values."""
    em = frame.em
    height = frame.height or max(FEWEST * em, ROW * em * len(of.rows))
    rows = [
        _row(row, column, found)
        for row, (_, fields) in enumerate(of.rows)
        for column, found in enumerate(fields)
        if found is not None
    ]
    room = (frame.width - BESIDE * em) / max(len(of.columns), 1)
    wide = max(map(extent, of.columns), default=0) * CHARACTER * em > room
    turned = {"labelAngle": -40, "labelAlign": "right"} if wide else {"labelAngle": 0}
    place = {
        "x": _names("c", of.across, of.columns, **turned),
        "y": _names("r", of.down, [name for name, _ in of.rows]),
    }
    shade = {
        "field": "shade",
        "type": "quantitative",
        "legend": _scale(of, height, em),
        "scale": {
            "domain": [n / (len(SHADES) - 1) for n in range(len(SHADES))],
            "range": list(SHADES),
            "interpolate": "rgb",
        },
    }
    note = {"tooltip": {"field": "note", "title": "case: value"}}
    known, unknown = [row for row in rows if row["known"]], [r for r in rows if not r["known"]]
    shaded = [layer("rect", "field", place | {"color": shade} | note)]
    empty = [layer("rect", "empty", place | note)]
    if of.written:
        text = place | {"text": {"field": "text"}}
        shape: Spec = {"lineBreak": "\n", "lineHeight": em}
        shaded.append(layer("text", "written", text, color={"expr": "datum.ink"}, **shape))
        empty.append(layer("text", "written", text, **shape))
    layers = [
        {"data": {"values": known}, "layer": shaded},
        {"data": {"values": unknown}, "layer": empty},
    ]
    return {"width": frame.width, "height": height, "layer": layers}


def _names(field: str, title: str, names: Sequence[str], **more: Any) -> Spec:
    shown = axes.text([one_line(name, NAME) for name in names])
    scale = {"domain": list(range(len(names))), "padding": 0.03}
    axis = {
        "title": title or None,
        "grid": False,
        "domain": False,
        "ticks": False,
        "labelExpr": f"{shown}[datum.value]",
        "labelLimit": 0,
        "labelOverlap": False,
    }
    return {"field": field, "type": "ordinal", "scale": scale, "axis": axis | more}


def _scale(of: Heat, height: float, em: float) -> Spec | None:
    marks: list[tuple[float, str]] = []
    for place, name in sorted(of.scale):
        if not marks or (place - marks[-1][0]) * height >= 1.2 * em:
            marks.append((place, name))
    if not marks:
        return None
    size = {"gradientLength": height, "gradientThickness": em * 0.9}
    return {"title": None, "orient": "right", "type": "gradient"} | size | axes.named(marks)


def _row(row: int, column: int, found: HeatField) -> Row:
    shade = {} if found.shade is None else {"shade": short(found.shade), "ink": found.ink}
    place = {"r": row, "c": column, "text": found.text, "note": one_line(found.note, LONGEST)}
    return place | shade | {"known": bool(shade)}
