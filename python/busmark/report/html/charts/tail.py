"""Percentile plots: how latency grows towards the rarest samples."""

from __future__ import annotations

from collections.abc import Sequence

from busmark.analysis.model import Campaign, CaseSummary
from busmark.report.drawing.look import PERCENT_TICKS, at_percent
from busmark.report.html.charts import chart, style
from busmark.report.html.charts.chart import Chart, Keys, Panel, Trace


def latency(campaign: Campaign) -> Chart | None:
    """Percentiles of RTT/2."""
    return _chart(
        campaign, "latency", "latency-tail", "Percentiles, to the tail",
        "All counted rounds together. Each step to the right is ten times rarer; the last points "
        "rest on one sample each.", "RTT/2, µs",
    )  # fmt: skip


def probes(campaign: Campaign) -> Chart | None:
    """Percentiles of one-way latency under load."""
    return _chart(
        campaign, "throughput", "probe-tail", "One-way latency under load, to the tail",
        "Samples of the stream itself, from just before write to the reader's hands.",
        "one-way latency, µs",
    )  # fmt: skip


def _chart(
    campaign: Campaign, test: str, name: str, title: str, explanation: str, unit: str
) -> Chart | None:
    cases, left_out = chart.with_series(campaign, test, lambda s: s.curve)
    if not cases:
        return None

    def draw(keys: Keys, members: Sequence[CaseSummary]) -> Panel:
        floor = chart.floor_of(campaign, members[0])
        shown = [*members, floor] if floor and floor.series and floor.series.curve else members
        traces = [_curve(campaign, case) for case in shown]
        values = [v for trace in traces for v in trace["y"]]
        counts = [c.series.curve.count for c in members if c.series and c.series.curve]
        layout = {"xaxis": _axis(traces), "yaxis": style.log_axis(unit, values)}
        told = chart.counts_text([c.rounds.ok for c in members], counts)
        caption = f"{chart.described(keys)}: {told}.{chart.floor_note(members[0])}"
        return Panel(keys, traces, layout, caption)

    drawn = chart.panels(cases, chart.where, draw)
    return Chart(name, title, explanation, drawn, left_out=left_out)


def _curve(campaign: Campaign, case: CaseSummary) -> Trace:
    label = style.label_of(campaign, case)
    curve = case.series and case.series.curve
    if not curve:
        return {"x": [], "y": []}
    return {
        "x": [style.short(at_percent(p)) for p in curve.percent],
        "y": style.micro(curve.value_ns),
        "name": label.text,
        "mode": "lines",
        "line": style.line(label) | {"shape": "linear"},
        "customdata": [round(p, 5) for p in curve.percent],
        "hovertemplate": "%{y:.4~g} at %{customdata} %",
    }


def _axis(traces: Sequence[Trace]) -> dict[str, object]:
    end = max((x for trace in traces for x in trace["x"]), default=1.0)
    ticks = [p for p in PERCENT_TICKS if at_percent(p) <= end]
    return style.axis(
        "percent of samples that are faster",
        tickvals=[at_percent(p) for p in ticks],
        ticktext=[f"{p:.10g}" for p in ticks],
    )
