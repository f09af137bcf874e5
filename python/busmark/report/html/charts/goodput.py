"""Goodput as bars with intervals."""

from __future__ import annotations

from collections.abc import Sequence

from busmark.analysis import text
from busmark.analysis.model import Campaign, CaseSummary
from busmark.report.html.charts import chart, style
from busmark.report.html.charts.chart import Chart, Keys, Panel, Trace

MOST_ABOVE = 2.5
"""A limit this many times above the best bar would squeeze the bars; it is told in words."""


def bars(campaign: Campaign) -> Chart | None:
    """Mbit/s at the reader."""
    cases = [c for c in chart.measured(campaign, "throughput") if c.goodput]
    if not cases:
        return None

    def draw(keys: Keys, members: Sequence[CaseSummary]) -> Panel:
        floor = chart.floor_of(campaign, members[0])
        limit = floor.goodput if floor else None
        figures = [c.goodput for c in members if c.goodput]
        best = max(f.value for f in figures)
        fits = limit and limit.value <= MOST_ABOVE * best
        shown = [*members, floor] if floor and fits else list(members)
        traces = [trace for case in shown if (trace := _bar(campaign, case))]
        layout = {
            "xaxis": style.axis("goodput, Mbit/s", rangemode="tozero", separatethousands=True),
            "yaxis": style.axis(
                "", categoryorder="array", categoryarray=[c.label for c in shown][::-1]
            ),
            "showlegend": False,
            "bargap": 0.35,
        }
        told = chart.counts_text([f.rounds for f in figures], [f.count for f in figures])
        caption = f"{chart.described(keys)}: {told}."
        if floor and limit and not fits:
            caption += f" Beyond the axis: {floor.label}, {text.figure_text(limit, text.MBIT)}."
        return Panel(keys, traces, layout, caption)

    return Chart(
        "goodput-bars",
        "Goodput",
        "Mbit/s of bodies that arrived at the reader, mean of the rounds; the bar is its interval.",
        chart.panels(cases, chart.where, draw),
    )


def _bar(campaign: Campaign, case: CaseSummary) -> Trace | None:
    figure = case.goodput
    if not figure:
        return None
    label = style.label_of(campaign, case)
    low = figure.value if figure.low is None else figure.low
    high = figure.value if figure.high is None else figure.high
    return {
        "type": "bar",
        "orientation": "h",
        "x": [style.short(figure.value)],
        "y": [label.text],
        "marker": {"color": style.colour(label), "opacity": 0.85},
        "error_x": {
            "type": "data",
            "symmetric": False,
            "array": [style.short(high - figure.value)],
            "arrayminus": [style.short(figure.value - low)],
            "thickness": 2,
            "width": 6,
        },
        "hovertemplate": f"{text.figure_text(figure, text.MBIT)}<extra></extra>",
    }
