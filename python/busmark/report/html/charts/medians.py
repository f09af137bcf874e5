"""Median of every round beside the estimate: how much of a difference is luck of the round."""

from __future__ import annotations

from collections.abc import Sequence

from busmark.analysis.model import Campaign, CaseSummary
from busmark.analysis.text import figure_text
from busmark.report.html.charts import chart, style
from busmark.report.html.charts.chart import Chart, Keys, Panel, Trace


def latency(campaign: Campaign) -> Chart | None:
    """Medians of RTT/2 by round."""
    cases, left_out = chart.with_series(campaign, "latency", lambda s: s.medians)
    if not cases:
        return None

    def draw(keys: Keys, members: Sequence[CaseSummary]) -> Panel:
        return _panel(campaign, keys, members)

    return Chart(
        "latency-rounds",
        "Medians, round by round",
        "Circles: the median RTT/2 of each round. Mark and bar above them: their mean and its "
        "interval. Where bars are apart, the difference is larger than the luck of a round.",
        chart.panels(cases, chart.where, draw),
        left_out=left_out,
    )


def _panel(campaign: Campaign, keys: Keys, members: Sequence[CaseSummary]) -> Panel:
    traces: list[Trace] = []
    values: list[float] = []
    for row, case in enumerate(members):
        traces += _traces(campaign, case, row)
        values += traces[-1]["x"]
    rows = list(range(len(members)))
    names = {"tickvals": rows, "ticktext": [case.label for case in members]}
    layout = {
        "xaxis": style.log_axis("median RTT/2, µs", values),
        "yaxis": style.axis("", range=[len(members) - 0.5, -0.5], zeroline=False, **names),
        "showlegend": False,
    }
    halves = [c.rtt_2 for c in members if c.rtt_2]
    told = chart.counts_text([h.median.rounds for h in halves], [h.count for h in halves])
    caption = f"{chart.described(keys)}: {told}."
    floor = chart.floor_of(campaign, members[0])
    if floor and floor.rtt_2:
        caption += f" Not drawn: {floor.label}, {figure_text(floor.rtt_2.median)}."
    return Panel(keys, traces, layout, caption)


def _traces(campaign: Campaign, case: CaseSummary, row: int) -> list[Trace]:
    """The estimate, and below it the rounds, of one case."""
    label = style.label_of(campaign, case)
    half = case.rtt_2
    medians = case.series and case.series.medians
    if not half or not medians:
        return [{"x": [], "y": [], "type": "scatter"}]
    value = half.median.value
    low = value if half.median.low is None else half.median.low
    high = value if half.median.high is None else half.median.high
    estimate: Trace = {
        "x": style.micro([value]),
        "y": [row - 0.12],
        "mode": "markers",
        "marker": style.marker(label, 8),
        "error_x": {
            "type": "data",
            "symmetric": False,
            "array": style.micro([high - value]),
            "arrayminus": style.micro([value - low]),
            "color": style.colour(label),
            "thickness": 2.5,
            "width": 9,
        },
        "hovertemplate": "%{x:.4~g} µs<extra>estimate</extra>",
    }
    rounds: Trace = {
        "x": style.micro(medians.values),
        "y": [row + 0.18] * len(medians.values),
        "mode": "markers",
        "marker": {"color": style.colour(label), "symbol": "circle-open", "size": 7},
        "customdata": medians.rounds,
        "hovertemplate": "%{x:.4~g} µs<extra>round %{customdata}</extra>",
    }
    return [estimate, rounds]
