"""Plots one below the other on the page: what `drawing.charts` has as data, drawn by plotly."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from busmark.analysis.model import Campaign, CaseSummary
from busmark.report.drawing.stacks import Stack, StackChart
from busmark.report.html.charts import curves
from busmark.report.html.charts.chart import Panel, Trace

AROUND, EACH, FEWEST = 120, 150, 3
"""Height of the whole in pixels: without its plots, of each, and of how many at least."""

HEADING, NUMBERS, GAP = 24, 30, 8
"""Pixels of a heading, of the numbers of an axis, and between two plots."""


def panels(kind: StackChart, campaign: Campaign, cases: Sequence[CaseSummary]) -> Iterator[Panel]:
    """All of this kind."""
    return map(_panel, kind.draw(campaign, cases))


def _panel(stack: Stack) -> Panel:
    height = AROUND + EACH * max(FEWEST, len(stack.rows))
    traces: list[Trace] = []
    layout: dict[str, Any] = {
        "legend": {"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom",
                   "traceorder": "normal"},
        "annotations": [],
    }  # fmt: skip
    rows = zip(stack.rows, _domains(stack, height - AROUND), strict=True)
    for place, (row, (bottom, top, heading)) in enumerate(rows):
        drawn, own = curves.plot(row)
        number = str(place + 1) if place else ""
        x = "" if stack.together else number
        last = row is stack.rows[-1]
        layout[f"yaxis{number}"] = own["yaxis"] | {"domain": [bottom, top], "anchor": f"x{x}"}
        if last or not stack.together:
            title = own["xaxis"]["title"] if last else {"text": ""}
            layout[f"xaxis{x}"] = own["xaxis"] | {"anchor": f"y{number}", "title": title}
        layout["annotations"].append(_heading(row.heading, heading))
        # One entry of the legend for what is in several plots.
        named = {trace.get("name") for trace in traces}
        for trace in drawn:
            again = {"showlegend": False} if trace.get("name") in named else {}
            traces.append(trace | {"xaxis": f"x{x}", "yaxis": f"y{number}"} | again)
    layout["showlegend"] = any(trace.get("showlegend", True) for trace in traces)
    return Panel(stack.keys, stack.members, traces, layout, stack.caption, height=height)


def _domains(stack: Stack, height: int) -> Iterator[tuple[float, float, float]]:
    """For each plot, its bottom and top, and where its heading begins, as shares of `height`."""
    heading, between = HEADING / height, (GAP + NUMBERS * (not stack.together)) / height
    high = (1 + between) / len(stack.rows)
    for place in range(len(stack.rows)):
        begin = 1 - place * high
        yield max(0.0, begin - high + between), begin - heading, begin


def _heading(told: str, top: float) -> dict[str, Any]:
    return {
        "text": told, "x": 0, "xref": "paper", "xanchor": "left", "y": top, "yref": "paper",
        "yanchor": "top", "showarrow": False, "font": {"size": 12},
    }  # fmt: skip
