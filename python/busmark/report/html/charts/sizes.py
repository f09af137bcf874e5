"""Median latency and goodput against size, with bands for the interval."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from busmark.analysis.figures import Figure
from busmark.analysis.model import Campaign, CaseSummary
from busmark.report.html.charts import chart, style
from busmark.report.html.charts.chart import Chart, Keys, Panel, Trace

Pick = Callable[[CaseSummary], Figure | None]


def latency(campaign: Campaign) -> Chart | None:
    """Median RTT/2 against size."""
    return _chart(
        campaign, "latency", "latency-size", "Latency against size",
        "Median RTT/2 over the size of the body; a band is the interval of the median.",
        _median, "median RTT/2, µs", style.MICRO,
    )  # fmt: skip


def goodput(campaign: Campaign) -> Chart | None:
    """Goodput against size."""
    return _chart(
        campaign, "throughput", "goodput-size", "Goodput against size",
        "Mbit/s of bodies at the reader over the size of the body; a band is the interval.",
        _goodput, "goodput, Mbit/s", 1.0,
    )  # fmt: skip


def _median(case: CaseSummary) -> Figure | None:
    return case.rtt_2.median if case.rtt_2 else None


def _goodput(case: CaseSummary) -> Figure | None:
    return case.goodput


def _chart(
    campaign: Campaign, test: str, name: str, title: str, explanation: str, pick: Pick, unit: str,
    factor: float,
) -> Chart | None:  # fmt: skip
    cases = [c for c in chart.measured(campaign, test) if pick(c) and c.size is not None]
    if len({case.size for case in cases}) < 2:
        return None

    def draw(keys: Keys, members: Sequence[CaseSummary]) -> Panel:
        near = [chart.floor_of(campaign, case) for case in members]
        floors = {floor.id: floor for floor in near if floor and pick(floor)}
        shown = [*members, *floors.values()]
        traces: list[Trace] = []
        for text in dict.fromkeys(case.label for case in shown):
            traces += _curve(campaign, [c for c in shown if c.label == text], pick, factor)
        figures = [f for c in members if (f := pick(c))]
        values = [g.value / factor for c in shown if (g := pick(c))]
        told = chart.counts_text([f.rounds for f in figures], [f.count for f in figures])
        layout = {
            "xaxis": style.size_axis([c.size for c in shown if c.size is not None]),
            "yaxis": style.log_axis(unit, values),
        }
        return Panel(keys, traces, layout, f"{chart.described(keys)}: {told}.")

    drawn = chart.panels(cases, lambda case: chart.where(case, size=False), draw)
    return Chart(name, title, explanation, drawn)


def _curve(
    campaign: Campaign, cases: Sequence[CaseSummary], pick: Pick, factor: float
) -> list[Trace]:
    """Band and line of one label."""
    known = [(c.size, f) for c in cases if (f := pick(c)) and c.size is not None]
    ordered = sorted(known, key=lambda item: item[0])
    label = style.label_of(campaign, cases[0])
    x = [style.at_size(size) for size, _ in ordered]
    low = [style.short((f.value if f.low is None else f.low) / factor) for _, f in ordered]
    high = [style.short((f.value if f.high is None else f.high) / factor) for _, f in ordered]
    curve: Trace = {
        "x": x,
        "y": [style.short(f.value / factor) for _, f in ordered],
        "name": label.text,
        "legendgroup": label.text,
        "mode": "lines+markers",
        "line": style.line(label),
        "marker": style.marker(label),
        "customdata": list(map(list, zip(low, high, strict=True))),
        "hovertemplate": "%{y:.4~g} [%{customdata[0]:.4~g}, %{customdata[1]:.4~g}]",
    }
    return [curve] if cases[0].is_floor else [style.band(label, x, low, high), curve]
