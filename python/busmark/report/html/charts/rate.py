"""Goodput over the time of one round."""

from __future__ import annotations

from collections.abc import Sequence

from busmark.analysis.model import Campaign, CaseSummary
from busmark.report.html.charts import chart, style
from busmark.report.html.charts.chart import Chart, Keys, Panel, Trace


def over_time(campaign: Campaign) -> Chart | None:
    """Mbit/s per interval."""
    cases, left_out = chart.with_series(campaign, "throughput", lambda s: s.rate)
    if not cases:
        return None

    def draw(keys: Keys, members: Sequence[CaseSummary]) -> Panel:
        traces = [trace for case in members if (trace := _curve(campaign, case))]
        layout = {
            "xaxis": style.axis("time since the begin of the measurement, s"),
            "yaxis": style.axis("goodput, Mbit/s", rangemode="tozero", separatethousands=True),
        }
        points = [len(trace["x"]) for trace in traces]
        told = f"one round each, {min(points)} to {max(points)} intervals"
        told = told.replace(f"{min(points)} to {min(points)} ", f"{min(points)} ")
        return Panel(keys, traces, layout, f"{chart.described(keys)}: {told}.")

    return Chart(
        "goodput-time",
        "Goodput over time",
        "The round whose goodput is nearest to the middle one, interval by interval.",
        chart.panels(cases, chart.where, draw),
        left_out=left_out,
    )


def _curve(campaign: Campaign, case: CaseSummary) -> Trace | None:
    rate = case.series and case.series.rate
    if not rate:
        return None
    label = style.label_of(campaign, case)
    return {
        "x": rate.t_s,
        "y": [style.short(v) for v in rate.mbit_per_s],
        "name": label.text,
        "mode": "lines",
        "line": style.line(label),
        "hovertemplate": f"%{{y:.4~g}} Mbit/s, round {rate.round}",
    }
