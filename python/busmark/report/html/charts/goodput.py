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
        traces += _specified(members)
        limits, told_of_limits = _limits(members, best)
        traces += [_across(name, at, [c.label for c in shown]) for name, at in limits]
        layout = {
            "xaxis": style.axis("goodput, Mbit/s", rangemode="tozero", separatethousands=True),
            "yaxis": style.axis(
                "", categoryorder="array", categoryarray=[c.label for c in shown][::-1]
            ),
            "showlegend": len(traces) > len(shown),
            "bargap": 0.35,
        }
        told = chart.counts_text([f.rounds for f in figures], [f.count for f in figures])
        caption = f"{chart.described(keys)}: {told}.{told_of_limits}"
        if floor and limit and not fits:
            caption += f" Beyond the axis: {floor.label}, {text.figure_text(limit, text.MBIT)}."
        return Panel(keys, traces, layout, caption)

    return Chart(
        "goodput-bars",
        "Goodput",
        "Mbit/s of bodies that arrived at the reader, mean of the rounds; the bar is its interval.",
        chart.panels(cases, chart.where, draw),
    )


def _specified(members: Sequence[CaseSummary]) -> list[Trace]:
    """What was asked for, as a mark on each bar; nothing at full speed."""
    known = [(c, c.throughput.paced) for c in members if c.throughput and c.throughput.paced]
    # In both directions at once the bar counts both, the specification one: not to be compared.
    marks = [
        (case.label, paced.specified_mbit_per_s)
        for case, paced in known
        if case.goodput and case.goodput.value == paced.carried.value
    ]
    if not marks:
        return []
    return [
        {
            "x": [style.short(at) for _, at in marks],
            "y": [label for label, _ in marks],
            "mode": "markers",
            "marker": {"symbol": "line-ns-open", "size": 22, "color": style.GREY,
                       "line": {"width": 3}},
            "name": "specified",
            "hovertemplate": "specified: %{x:.4~g} Mbit/s<extra></extra>",
        }
    ]  # fmt: skip


def _limits(members: Sequence[CaseSummary], best: float) -> tuple[list[tuple[str, float]], str]:
    """Capacities of the links that all cases share: to draw, and, beyond the axis, to tell."""
    drawn, told = [], ""
    for name, attribute in (
        ("rated capacity of the link", "rated_mbit_per_s"),
        ("plain TCP transfer", "practical_mbit_per_s"),
    ):
        values = {getattr(c.throughput, attribute) for c in members if c.throughput}
        limit = values.pop() if len(values) == 1 else None
        if limit is None:
            continue
        if limit <= MOST_ABOVE * best:
            drawn.append((name, limit))
        else:
            told += f" Beyond the axis: {name}, {text.number(limit)} Mbit/s."
    return drawn, told


def _across(name: str, at: float, labels: Sequence[str]) -> Trace:
    """A limit as a line across all bars."""
    dash = "dash" if name.startswith("rated") else "dot"
    line: Trace = style.reference(name, [at, at], [0.0, 0.0], dash)
    ends = [labels[0], labels[-1]] if len(labels) > 1 else [labels[0]] * 2
    return line | {"y": ends, "line": {"color": style.GREY, "width": 2, "dash": dash},
                   "mode": "lines"}  # fmt: skip


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
        "name": label.text,
        "showlegend": False,
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
