"""Goodput against the rate that was specified, beside what the network can carry."""

from __future__ import annotations

from collections.abc import Sequence

from busmark.analysis import text
from busmark.analysis.model import Campaign, CaseSummary, Paced
from busmark.report.drawing import panels
from busmark.report.html.charts import chart, style
from busmark.report.html.charts.chart import Chart, Keys, Panel, Trace


def ascent(campaign: Campaign) -> Chart | None:
    """A curve for each label and topology, over all rates and sizes."""
    cases = [c for c in chart.measured(campaign, "throughput") if panels.paced(c)]
    if not panels.is_ascent(cases):
        return None

    def draw(keys: Keys, members: Sequence[CaseSummary]) -> Panel:
        return _panel(campaign, keys, members)

    return Chart(
        "throughput-ascent",
        "Goodput against the specified rate",
        "What leaves one sending node: in both directions at once, of one of them; to several "
        "readers, of all together. On the thin line everything specified arrives.",
        chart.panels(cases, panels.on_links, draw),
    )


def _panel(campaign: Campaign, keys: Keys, members: Sequence[CaseSummary]) -> Panel:
    curves: dict[tuple[str, str], list[tuple[CaseSummary, Paced]]] = {}
    for case in members:
        if paced := panels.paced(case):
            curves.setdefault((case.label, panels.topology(case)), []).append((case, paced))
    every = [paced for curve in curves.values() for _, paced in curve]
    topologies = list(dict.fromkeys(topology for _, topology in curves))
    traces = [
        _curve(campaign, topology, topologies.index(topology), sorted(curve, key=_by_rate))
        for (_, topology), curve in curves.items()
    ]
    specified = [paced.specified_mbit_per_s for paced in every]
    carried = [paced.carried.value for paced in every]
    ends = [min(specified), max(specified)]
    traces.append(style.reference("all of it", ends, ends, "dot"))
    for name, dash, limits in (
        ("rated capacity of the link", "dash", {paced.rated_mbit_per_s for paced in every}),
        ("plain TCP transfer", "dashdot", {paced.practical_mbit_per_s for paced in every}),
    ):
        for limit in sorted(limit for limit in limits if limit):
            carried.append(limit)
            traces.append(style.reference(name, ends, [limit, limit], dash))
    layout = {
        "xaxis": style.log_axis("specified, Mbit/s", specified),
        "yaxis": style.log_axis("goodput, Mbit/s", carried),
    }
    told = chart.counts_text([p.carried.rounds for p in every], [p.carried.count for p in every])
    return Panel(keys, traces, layout, f"{chart.described(keys)}: {told}.")


def _by_rate(entry: tuple[CaseSummary, Paced]) -> float:
    return entry[1].specified_mbit_per_s


def _curve(
    campaign: Campaign, topology: str, dash: int, curve: Sequence[tuple[CaseSummary, Paced]]
) -> Trace:
    label = style.label_of(campaign, curve[0][0])
    marker = style.marker(label, 8)
    if dash % 2:
        marker["symbol"] += "-open"
    return {
        "x": [style.short(paced.specified_mbit_per_s) for _, paced in curve],
        "y": [style.short(paced.carried.value) for _, paced in curve],
        "mode": "lines+markers",
        "line": style.line(label) | {"dash": style.DASHES[dash % len(style.DASHES)]},
        "marker": marker,
        "name": f"{label.text}, {topology}",
        "customdata": [
            f"{case.params['rate_hz']:g} /s of {text.size_text(case.size)}" for case, _ in curve
        ],
        "hovertemplate": "%{customdata}<br>specified %{x}, arrived %{y} Mbit/s<extra></extra>",
    }
