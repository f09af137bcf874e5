"""What the participants cost the machine over the time of one round."""

from __future__ import annotations

from collections.abc import Sequence

from busmark.analysis import text
from busmark.analysis.model import Campaign, CaseSummary
from busmark.analysis.resources import ResourceSeries, SystemSeries
from busmark.report.drawing import panels
from busmark.report.html.charts import chart, style
from busmark.report.html.charts.chart import Chart, Keys, Panel, Trace
from busmark.store.columns import READER

MIB = 2**20

USER, SYSTEM = "cc", "66"
"""How solid an area is: two digits behind a colour."""

DOMAINS = {"yaxis": [0.52, 1], "yaxis2": [0.27, 0.45], "yaxis3": [0, 0.18]}


def latency(campaign: Campaign) -> Chart | None:
    """Of the latency cases, one at a time."""
    return _chart(campaign, "latency")


def throughput(campaign: Campaign) -> Chart | None:
    """Of the throughput cases, one at a time."""
    return _chart(campaign, "throughput")


def _chart(campaign: Campaign, test: str) -> Chart | None:
    cases, left_out = chart.with_series(campaign, test, lambda s: s.system)
    if not cases:
        return None

    drawn: dict[Keys, Panel] = {}
    for case in cases:
        for node, shown in panels.nodes(case.series.system if case.series else []):
            keys = (*chart.where(case), ("Middleware", case.label), *node)
            drawn.setdefault(keys, _panel(keys, case, shown))
    return Chart(
        f"{test}-resources",
        "What it costs the machine",
        "The same round. Of each participant, its child processes included: CPUs kept busy in user "
        "mode (solid) and in the kernel (pale), context switches, memory in RAM. The whole is "
        "exact, the two parts to 10 ms. Before 0 is the warm-up."
        + (" One node at a time." if any("Node" in dict(keys) for keys in drawn) else ""),
        list(drawn.values()),
        height=560,
        link=f"{test}-case",
        left_out=left_out,
    )


def _panel(keys: Keys, case: CaseSummary, shown: SystemSeries) -> Panel:
    traces = [
        trace
        for place, participant in enumerate(shown.participants)
        for trace in _traces(shown, participant, style.OKABE_ITO[place % len(style.OKABE_ITO)])
    ]
    layout = {
        "xaxis": style.axis("time since the begin of the measurement, s", anchor="y3"),
        "yaxis": _axis("CPUs", "yaxis"),
        "yaxis2": _axis("switches/s", "yaxis2"),
        "yaxis3": _axis("RAM, MiB", "yaxis3"),
        "legend": {"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom",
                   "traceorder": "normal"},
    }  # fmt: skip
    told = f"round {shown.round}, {len(shown.t_s) - 1} intervals"
    reader = next(
        (r for r in case.resources if (r.participant, r.node) == (READER, shown.node)), None
    )
    if reader and reader.cpu_user and reader.cpu_system:
        share = reader.cpu_user.value + reader.cpu_system.value
        told += f"; reading the counters took {text.percent_text(share)} of one CPU"
    return Panel(keys, traces, layout, f"{chart.described(keys)}: {told}.")


def _axis(title: str, name: str) -> dict[str, object]:
    return style.axis(title, domain=DOMAINS[name], rangemode="tozero", separatethousands=True)


def _traces(shown: SystemSeries, own: ResourceSeries, colour: str) -> list[Trace]:
    """Two areas of CPU time on those of the participants before, and two lines."""
    name = own.participant
    areas = (
        (f"{name}, user", own.cpu_user, USER),
        (f"{name}, kernel", own.cpu_system, SYSTEM),
    )
    traces: list[Trace] = [
        {
            "x": shown.t_s,
            "y": _steps(values),
            "name": title,
            "mode": "lines",
            "line": {"shape": "hv", "width": 0},
            "fillcolor": colour + solid,
            "stackgroup": "cpu",
            "hovertemplate": f"{title}: %{{y:.3~g}} CPUs<extra></extra>",
        }
        for title, values, solid in areas
        if values
    ]
    lines = (
        ("y2", own.switches_per_s, "%{y:,.0f} switches/s"),
        ("y3", [v / MIB for v in own.rss_bytes], "%{y:.4~g} MiB"),
    )
    return traces + [
        {
            "x": shown.t_s,
            "y": _steps(values),
            "yaxis": axis,
            "name": name,
            "showlegend": False,
            "mode": "lines",
            "line": {"shape": "hv", "color": colour, "width": 2},
            "hovertemplate": f"{name}: {told}<extra></extra>",
        }
        for axis, values, told in lines
        if values
    ]


def _steps(values: Sequence[float]) -> list[float]:
    """One value per interval, and the last again at its end."""
    return [style.short(v) for v in (*values, values[-1])]
