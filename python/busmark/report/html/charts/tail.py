"""Percentile plots: how latency grows towards the rarest samples."""

from __future__ import annotations

from collections.abc import Sequence
from math import log10

from busmark.analysis.model import Campaign, CaseSummary
from busmark.analysis.text import joined
from busmark.report.html.charts import chart, style
from busmark.report.html.charts.chart import Chart, Keys, Panel, Trace

TICKS = (0.0, 50.0, 90.0, 99.0, 99.9, 99.99, 99.999, 99.9999)


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
    cases = [c for c in chart.measured(campaign, test) if c.series and c.series.curve]
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
        caption = f"{chart.described(keys)}: {told}.{_floor_note(members[0])}"
        return Panel(keys, traces, layout, caption)

    return Chart(name, title, explanation, chart.panels(cases, chart.where, draw))


def _floor_note(case: CaseSummary) -> str:
    """Says when the floor is not quite of the same workload."""
    if not case.floor or not case.floor.differs:
        return ""
    return f" The null adapter's case differs in {joined(case.floor.differs)}."


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


def at_percent(percent: float) -> float:
    """Place of a percentile on the axis: -log10(1 - F), one unit for each tenfold rarity."""
    return 0.0 if percent <= 0 else -log10(1 - percent / 100)


def _axis(traces: Sequence[Trace]) -> dict[str, object]:
    end = max((x for trace in traces for x in trace["x"]), default=1.0)
    ticks = [p for p in TICKS if at_percent(p) <= end]
    return style.axis(
        "percent of samples that are faster",
        tickvals=[at_percent(p) for p in ticks],
        ticktext=[f"{p:.10g}" for p in ticks],
    )
