"""Percentile plot: how latency grows towards the rarest samples."""

from __future__ import annotations

from collections.abc import Sequence

from busmark.analysis.model import Campaign, CaseSummary
from busmark.report.drawing.look import PERCENT_TICKS, at_percent
from busmark.report.html.charts import chart, style
from busmark.report.html.charts.chart import Keys, Panel, Trace
from busmark.report.html.charts.subject import Subject, caption, with_floor

NAME = "percentiles to the tail"
EXPLANATION = (
    "All counted rounds together. Each step to the right is ten times rarer; the last points rest "
    "on one sample each. Of jitter: its magnitude."
)


def panel(
    campaign: Campaign, keys: Keys, members: Sequence[CaseSummary], subject: Subject
) -> Panel:
    """One curve for each case, and the floor's."""
    shown = with_floor(campaign, members)
    traces = [trace for case in shown if (trace := _curve(campaign, case, subject))]
    values = [v for trace in traces for v in trace["y"]]
    title = ("magnitude of the " if subject.signed else "") + subject.axis(members)
    layout = {"xaxis": _axis(traces), "yaxis": style.log_axis(title, values)}
    told = caption(keys, members, subject, chart.floor_note(members[0]))
    return Panel(keys, traces, layout, told, EXPLANATION)


def _curve(campaign: Campaign, case: CaseSummary, subject: Subject) -> Trace | None:
    curve = subject.curve(case)
    if not curve:
        return None
    label = style.label_of(campaign, case)
    # A logarithmic axis has no place for equal stamps: no jitter at all.
    known = [(p, v) for p, v in zip(curve.percent, curve.value_ns, strict=True) if v > 0]
    return {
        "x": [style.short(at_percent(p)) for p, _ in known],
        "y": style.micro([v for _, v in known]),
        "name": label.text,
        "mode": "lines",
        "line": style.line(label) | {"shape": "linear"},
        "customdata": [round(p, 5) for p, _ in known],
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
