"""Heat maps on the page: what `drawing.charts` has as data, drawn by plotly."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from busmark.analysis.model import Campaign, CaseSummary
from busmark.report.drawing.heat import SHADES, Heat, HeatChart
from busmark.report.html.charts import style
from busmark.report.html.charts.chart import Panel, Trace

ROW_HEIGHT = 30


def panels(kind: HeatChart, campaign: Campaign, cases: Sequence[CaseSummary]) -> Iterator[Panel]:
    """All of this kind."""
    return map(_panel, kind.draw(campaign, cases))


def _panel(heat: Heat) -> Panel:
    fields = [row for _, row in heat.rows]
    steps = len(SHADES) - 1
    trace: Trace = {
        "type": "heatmap",
        "x": heat.columns,
        "y": [name for name, _ in heat.rows],
        "z": [[None if f is None or f.shade is None else style.short(f.shade) for f in row]
              for row in fields],
        "zmin": 0,
        "zmax": 1,
        "customdata": [[f.note if f else "" for f in row] for row in fields],
        "hovertemplate": "%{customdata}<extra></extra>",
        "colorscale": [[style.short(n / steps), colour] for n, colour in enumerate(SHADES)],
        "xgap": 2,
        "ygap": 2,
        "colorbar": {
            "thickness": 12,
            "tickvals": [style.short(shade) for shade, _ in heat.scale],
            "ticktext": [name for _, name in heat.scale],
        },
    }  # fmt: skip
    layout = {
        "xaxis": _names(heat.across, heat.columns),
        "yaxis": _names(heat.down, trace["y"]) | {"autorange": "reversed"},
        "showlegend": False,
    }
    height = max(240, 120 + ROW_HEIGHT * len(heat.rows))
    traces = [trace, _texts(heat)] if heat.written else [trace]
    return Panel(heat.keys, heat.members, traces, layout, heat.caption, height=height)


def _names(title: str, names: Sequence[str]) -> dict[str, Any]:
    """An axis in the order of the fields: texts, of which some are absent, have another."""
    order = {"categoryorder": "array", "categoryarray": names}
    return style.axis(title, type="category", showgrid=False, **order)


def _texts(heat: Heat) -> Trace:
    """What is written in fields, each in the colour that can be read there: plotly would write
    grey."""
    shown = [
        (column, name, field) for name, row in heat.rows
        for column, field in zip(heat.columns, row, strict=True)
        if field is not None and field.shade is not None
    ]  # fmt: skip
    return {
        "mode": "text",
        "x": [column for column, _, _ in shown],
        "y": [name for _, name, _ in shown],
        "text": [field.text for _, _, field in shown],
        "textfont": {"color": [field.ink for _, _, field in shown]},
        "hoverinfo": "skip",
        "showlegend": False,
    }
