"""Latency over the time of one round, and its last samples one by one."""

from __future__ import annotations

from collections.abc import Sequence

from busmark.analysis import series, text
from busmark.analysis.model import Campaign, CaseSummary
from busmark.report.html.charts import chart, style
from busmark.report.html.charts.chart import Chart, Keys, Panel, Trace


def latency(campaign: Campaign) -> Chart | None:
    """RTT/2 over time, one case at a time."""
    cases, left_out = chart.with_series(campaign, "latency", lambda s: s.timeline)
    if not cases:
        return None

    def key(case: CaseSummary) -> Keys:
        return (*chart.where(case), ("Middleware", case.label))

    def draw(keys: Keys, members: Sequence[CaseSummary]) -> Panel:
        return _panel(campaign, keys, members[0])

    return Chart(
        "latency-time",
        "Over time",
        "The round whose median is nearest to the middle one. The line keeps the smallest and the "
        "largest sample of every stretch, so its density means nothing; points are samples.",
        chart.panels(cases, key, draw),
        height=520,
        link="latency-case",
        left_out=left_out,
    )


def _panel(campaign: Campaign, keys: Keys, case: CaseSummary) -> Panel:
    label = style.label_of(campaign, case)
    shown = case.series.timeline if case.series else None
    assert shown is not None  # by the choice of the cases
    values = style.micro([*shown.value_ns, *shown.detail_value_ns])
    samples: Trace = {
        "x": shown.detail_t_s,
        "y": style.micro(shown.detail_value_ns),
        "name": "samples",
        "mode": "markers",
        "marker": {"color": style.colour(label), "size": 3, "opacity": 0.6},
        "hovertemplate": "%{y:.4~g} µs at %{x:.6~g} s<extra></extra>",
    }
    traces = [samples]
    layout = {"yaxis": style.log_axis("RTT/2, µs", values), "showlegend": False}
    layout["xaxis"] = style.axis("time since the first sample, s")
    if shown.t_s:
        traces = _both(label_colour=style.colour(label), shown=shown, samples=samples)
        layout |= _two_rows(values)
    if shown.lost_t_s:
        traces.append(_lost(shown.lost_t_s, max(values)))
    floor = chart.floor_of(campaign, case)
    if floor and floor.rtt_2:
        traces += _floor(floor.rtt_2.median.value, shown, floor.label)
    told = f"round {shown.round}, {text.count(shown.count)} samples"
    if shown.t_s:
        last = text.count(len(shown.detail_t_s))
        told += f"; above the whole round, below its last {last} samples, every one"
    if shown.lost_t_s:
        told += f"; crosses: {text.count(len(shown.lost_t_s))} lost"
    return Panel(keys, traces, layout, f"{chart.described(keys)}: {told}.")


def _both(label_colour: str, shown: series.Timeline, samples: Trace) -> list[Trace]:
    whole: Trace = {
        "x": shown.t_s,
        "y": style.micro(shown.value_ns),
        "name": "whole round",
        "mode": "lines",
        "line": {"color": label_colour, "width": 1},
        "hovertemplate": "%{y:.4~g} µs at %{x:.4~g} s<extra></extra>",
    }
    return [whole, samples | {"xaxis": "x2", "yaxis": "y2"}]


def _two_rows(values: Sequence[float]) -> dict[str, object]:
    below = style.log_axis("RTT/2, µs", values, domain=[0, 0.42], anchor="x2")
    return {
        "yaxis": style.log_axis("RTT/2, µs", values, domain=[0.58, 1]),
        "yaxis2": below,
        "xaxis": style.axis("", anchor="y"),
        "xaxis2": style.axis("time since the first sample, s", anchor="y2"),
    }


def _lost(times: Sequence[float], top: float) -> Trace:
    return {
        "x": list(times),
        "y": [top] * len(times),
        "name": "lost",
        "mode": "markers",
        "marker": {"color": "#D55E00", "symbol": "x", "size": 9},
        "hovertemplate": "lost, sent at %{x:.6~g} s<extra></extra>",
    }


def _floor(median_ns: float, shown: series.Timeline, name: str) -> list[Trace]:
    """The floor's median as a line across."""
    rows = [("", shown.t_s or shown.detail_t_s)]
    if shown.t_s:
        rows.append(("2", shown.detail_t_s))
    return [
        {
            "x": [times[0], times[-1]],
            "y": style.micro([median_ns] * 2),
            "xaxis": f"x{axis}",
            "yaxis": f"y{axis}",
            "name": name,
            "mode": "lines",
            "line": {"color": style.GREY, "dash": "dash", "width": 2},
            "hovertemplate": f"{name}: %{{y:.4~g}} µs<extra></extra>",
        }
        for axis, times in rows
    ]
