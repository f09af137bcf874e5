"""Boxes and violins on the page, one case at a time: what `drawing.charts` has as data."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import log10
from typing import Any

from busmark.analysis.model import Campaign, CaseSummary
from busmark.report.drawing.boxes import Box, BoxChart, Boxes, Cell
from busmark.report.html.charts import style
from busmark.report.html.charts.chart import ZOOMED, Panel, Trace


def panels(kind: BoxChart, campaign: Campaign, cases: Sequence[CaseSummary]) -> Iterator[Panel]:
    """All of this kind."""
    return map(_panel, kind.apart(campaign, cases))


def _panel(boxes: Boxes) -> Panel:
    (cell,) = boxes.cells
    colour = style.pale(cell.label, 0.3)
    traces = [_violin(at, box, colour) for at, box in enumerate(cell.boxes)]
    traces += [_boxes(cell), _ends(cell)]
    for line in cell.references:
        x, y = zip(*line.ends, strict=True)
        traces.append(style.reference(line.name, x, y, line.dash))
    names = {"tickvals": list(range(len(cell.boxes))), "ticktext": [b.name for b in cell.boxes]}
    layout = {
        "xaxis": style.axis(boxes.x, zeroline=False, **names),
        "yaxis": _opened(cell),
        "showlegend": bool(cell.references),
    }
    return Panel(boxes.keys, boxes.members, traces, layout, boxes.caption + ZOOMED, height=460)


def _opened(cell: Cell) -> dict[str, Any]:
    ends = cell.y.ends
    if cell.y.kind == "log" and ends:
        return style.log_axis(cell.y.title, ends, range=list(map(log10, ends)))
    return style.axis(
        cell.y.title, separatethousands=True, **({"range": list(ends)} if ends else {})
    )


def _violin(at: int, box: Box, colour: str) -> Trace:
    """The density, mirrored."""
    y = style.shortened([value for value, _ in box.outline])
    out = [width for _, width in box.outline]
    return {
        "x": style.shortened([at + w for w in out] + [at - w for w in out[::-1]]),
        "y": y + y[::-1],
        "mode": "lines",
        "line": {"width": 0},
        "fill": "toself",
        "fillcolor": colour,
        "hoverinfo": "skip",
        "showlegend": False,
    }


def _boxes(cell: Cell) -> Trace:
    quartiles = zip(*(box.quartiles for box in cell.boxes), strict=True)
    whiskers = zip(*(box.whiskers for box in cell.boxes), strict=True)
    names = ("q1", "median", "q3", "lowerfence", "upperfence")
    values = zip(names, (*quartiles, *whiskers), strict=True)
    return {
        "type": "box",
        "x": list(range(len(cell.boxes))),
        **{name: [style.short(v) for v in each] for name, each in values},
        "width": 0.25,
        "line": {"color": style.colour(cell.label), "width": 1.5},
        "fillcolor": "rgba(0,0,0,0)",
        "name": "",
        "hoverinfo": "y",
        "showlegend": False,
    }


def _ends(cell: Cell) -> Trace:
    """The smallest and the largest of each box."""
    ends = [(at, v) for at, box in enumerate(cell.boxes) for v in box.ends]
    return {
        "x": [at for at, _ in ends],
        "y": [style.short(v) for _, v in ends],
        "mode": "markers",
        "marker": {"color": style.colour(cell.label), "size": 4},
        "hovertemplate": "%{y:.4~g} µs<extra></extra>",
        "showlegend": False,
    }
