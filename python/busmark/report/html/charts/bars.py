"""Charts of bars on the page: what `drawing.charts` has as data, drawn by plotly."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from busmark.analysis.model import Campaign, CaseSummary
from busmark.report.drawing.bars import OUTSIDE, Bar, BarChart, Bars
from busmark.report.html.charts import style
from busmark.report.html.charts.chart import Panel, Trace

WIDTH = 0.65
"""Width of a bar; rows are 1 apart."""

ABOVE, BELOW = 0.12, 0.18
"""Where a row has points: its value above the middle, its parts below."""


def panels(kind: BarChart, campaign: Campaign, cases: Sequence[CaseSummary]) -> Iterator[Panel]:
    """All of this kind."""
    return map(_panel, kind.draw(campaign, cases))


def _panel(bars: Bars) -> Panel:
    solid = bars.axis.from_zero
    traces = [_value(row, at, bars.value, solid=solid) for at, row in enumerate(bars.rows)]
    traces += [_parts(row, at, bars.part) for at, row in enumerate(bars.rows) if row.parts]
    traces += _explained(bars)
    if bars.mark:
        traces.append(_marks(bars))
    for line in bars.references:
        (x0, y0), (x1, y1) = line.ends
        drawn = style.reference(line.name, [x0, x1], [y0, y1], line.dash)
        traces.append(drawn | {"line": drawn["line"] | {"width": 2}})
    names = [row.label.text for row in bars.rows]
    ends = [len(names) - 1 + OUTSIDE, -OUTSIDE]
    layout = {
        "xaxis": style.axis(bars.axis.title, rangemode="tozero", separatethousands=True)
        if solid else style.log_axis(bars.axis.title, bars.values()),
        "yaxis": style.axis("", range=ends, zeroline=False, tickvals=list(range(len(names))),
                            ticktext=names),
        "showlegend": bool(bars.legend()),
        "meta": [style.of(row.label).get("meta", "") for row in bars.rows],
    }  # fmt: skip
    return Panel(bars.keys, bars.members, traces, layout, bars.caption)


def _value(row: Bar, at: int, name: str, *, solid: bool) -> Trace:
    """A bar, or a point, with its interval."""
    colour = style.colour(row.label)
    look: Trace = {"mode": "markers", "y": [at - ABOVE], "marker": style.marker(row.label, 8)}
    if solid:
        look = {"type": "bar", "orientation": "h", "y": [at], "width": WIDTH,
                "marker": {"color": colour}}  # fmt: skip
    shown = look | {
        "x": [style.short(row.value)],
        "name": row.label.text,
        **style.of(row.label),
        "showlegend": False,
        "hovertemplate": f"{row.note}<extra></extra>",
    }
    if row.low is None or row.high is None:
        return shown
    return shown | {
        "error_x": {
            "type": "data",
            "symmetric": False,
            "array": [style.short(row.high - row.value)],
            "arrayminus": [style.short(row.value - row.low)],
            "thickness": 2 if solid else 2.5,
            "width": 6 if solid else 9,
            **({} if solid else {"color": colour}),
        }
    }


def _parts(row: Bar, at: int, name: str) -> Trace:
    return {
        "x": [style.short(part.value) for part in row.parts],
        "y": [at + BELOW] * len(row.parts),
        "mode": "markers",
        "name": f"{row.label.text}, {name}",
        **style.of(row.label),
        "showlegend": False,
        "marker": {"color": style.colour(row.label), "symbol": "circle-open", "size": 7},
        "customdata": [part.note for part in row.parts],
        "hovertemplate": "%{x:.4~g}<extra>%{customdata}</extra>",
    }


def _explained(bars: Bars) -> list[Trace]:
    """Entries of the legend that hold for rows of all colours."""
    return [
        {"x": [None], "y": [None], "mode": "markers", "name": name,
         "marker": {"color": style.GREY, "symbol": symbol, "size": 8}}
        for name, symbol in ((bars.value, "circle"), (bars.part, "circle-open")) if name
    ]  # fmt: skip


def _marks(bars: Bars) -> Trace:
    known = [(at, row.mark) for at, row in enumerate(bars.rows) if row.mark is not None]
    return {
        "x": [style.short(mark) for _, mark in known],
        "y": [at for at, _ in known],
        "mode": "markers",
        "marker": {"symbol": "line-ns-open", "size": 22, "color": style.GREY, "line": {"width": 3}},
        "name": bars.mark,
        "hovertemplate": f"{bars.mark}: %{{x:.4~g}}<extra></extra>",
    }
