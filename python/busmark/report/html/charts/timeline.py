"""Latency over the time of one round, and its last samples one by one."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from busmark.analysis import text
from busmark.analysis.model import Campaign, CaseSummary
from busmark.analysis.series import Timeline
from busmark.report.html.charts import chart, style
from busmark.report.html.charts.chart import Chart, Keys, Panel, Trace
from busmark.report.html.charts.subject import AXES, JITTER, LATENCY, Subject

UPPER, LOWER = [0.58, 1], [0, 0.42]
"""Parts of the height: the whole round, and its end."""


def latency(campaign: Campaign) -> Chart | None:
    """RTT/2 and its jitter over time, one case at a time."""
    cases, left_out = chart.with_series(campaign, "latency", lambda s: s.timeline)
    if not cases:
        return None

    def key(subject: Subject) -> Callable[[CaseSummary], Keys]:
        return lambda case: (
            ("Of", subject.name), *chart.where(case), ("Middleware", case.label)
        )  # fmt: skip

    def draw(subject: Subject) -> Callable[[Keys, Sequence[CaseSummary]], Panel]:
        return lambda keys, members: _panel(campaign, keys, members[0], subject)

    drawn = chart.panels(cases, key(LATENCY), draw(LATENCY))
    varied = [case for case in cases if _timeline(case, JITTER)]
    drawn += chart.panels(varied, key(JITTER), draw(JITTER))
    return Chart(
        "latency-time",
        "Over time",
        "The round whose median is nearest to the middle one. The line keeps the smallest and the "
        "largest sample of every stretch, so its density means nothing; points are samples. "
        "Jitter is the change from a sample to the next.",
        drawn,
        height=520,
        link="latency-case",
        left_out=left_out,
    )


def _timeline(case: CaseSummary, subject: Subject) -> Timeline | None:
    if not case.series:
        return None
    return case.series.jitter_timeline if subject.signed else case.series.timeline


def _panel(campaign: Campaign, keys: Keys, case: CaseSummary, subject: Subject) -> Panel:
    label = style.label_of(campaign, case)
    shown = _timeline(case, subject)
    assert shown is not None  # by the choice of the cases
    values = style.micro([*shown.value_ns, *shown.detail_value_ns])
    title = AXES[shown.quantity]
    of_values = style.axis(title, separatethousands=True)
    if not subject.signed:
        of_values = style.log_axis(title, values)
    samples: Trace = {
        "x": shown.detail_t_s,
        "y": style.micro(shown.detail_value_ns),
        "name": "samples",
        "mode": "markers",
        "marker": {"color": style.colour(label), "size": 3, "opacity": 0.6},
        "hovertemplate": "%{y:.4~g} µs at %{x:.6~g} s<extra></extra>",
    }
    traces = [samples]
    layout = {"yaxis": of_values, "showlegend": False}
    layout["xaxis"] = style.axis("time since the first sample, s")
    if shown.t_s:
        traces = _both(style.colour(label), shown, samples)
        layout |= _two_rows(of_values)
    if shown.lost_t_s:
        traces.append(_lost(shown.lost_t_s, max(values)))
    floor = chart.floor_of(campaign, case)
    if floor and floor.rtt_2 and not subject.signed:
        traces += _floor(floor.rtt_2.median.value, shown, floor.label)
    plain = tuple((n, v) for n, v in keys if n != "Of")
    return Panel(keys, traces, layout, f"{chart.described(plain)}: {_told(shown)}.")


def _told(shown: Timeline) -> str:
    told = f"round {shown.round}, {text.count(shown.count)} samples"
    if shown.t_s:
        last = text.count(len(shown.detail_t_s))
        told += f"; above the whole round, below its last {last} samples, every one"
    if shown.lost_t_s:
        told += f"; crosses: {text.count(len(shown.lost_t_s))} lost"
    return told


def _both(colour: str, shown: Timeline, samples: Trace) -> list[Trace]:
    whole: Trace = {
        "x": shown.t_s,
        "y": style.micro(shown.value_ns),
        "name": "whole round",
        "mode": "lines",
        "line": {"color": colour, "width": 1},
        "hovertemplate": "%{y:.4~g} µs at %{x:.4~g} s<extra></extra>",
    }
    return [whole, samples | {"xaxis": "x2", "yaxis": "y2"}]


def _two_rows(of_values: dict[str, object]) -> dict[str, object]:
    return {
        "yaxis": of_values | {"domain": UPPER},
        "yaxis2": of_values | {"domain": LOWER, "anchor": "x2"},
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


def _floor(median_ns: float, shown: Timeline, name: str) -> list[Trace]:
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
