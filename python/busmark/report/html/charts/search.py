"""Trials of a search for capacity: what was offered, and what arrived."""

from __future__ import annotations

from collections.abc import Sequence

from busmark.analysis import text
from busmark.analysis.model import Campaign, CaseSummary
from busmark.report.html.charts import chart, style
from busmark.report.html.charts.chart import Chart, Keys, Panel, Trace


def trials(campaign: Campaign) -> Chart | None:
    """Goodput against what was offered, a point for each trial."""
    cases = [c for c in chart.measured(campaign, "capacity") if c.capacity]
    if not cases:
        return None

    def draw(keys: Keys, members: Sequence[CaseSummary]) -> Panel:
        return _panel(campaign, keys, members)

    return Chart(
        "capacity-trials",
        "Trials of the search",
        "Each trial offers samples at a rate; filled: it met the criterion, open: it did not. On "
        "the thin line everything offered arrives. Vertical: the greatest rate that was sustained.",
        chart.panels(cases, chart.where, draw),
    )


def _panel(campaign: Campaign, keys: Keys, members: Sequence[CaseSummary]) -> Panel:
    traces: list[Trace] = []
    offered: list[float] = []
    carried: list[float] = []
    for case in members:
        assert case.capacity is not None
        for passed in (True, False):
            points = [
                t for t in case.capacity.trials
                if t.rate_hz and t.mbit_per_s and (t.shortfall is None) == passed
            ]  # fmt: skip
            offered += [t.offered_mbit_per_s for t in points]
            carried += [t.mbit_per_s or 0.0 for t in points]
            traces.append(_points(campaign, case, passed))
        if case.capacity.sustained:
            traces.append(_found(campaign, case))
    ends = [min(offered, default=1.0), max(offered, default=1.0)]
    traces.append(style.reference("all of it", ends, ends, "dot"))
    first = members[0].capacity
    assert first is not None
    for name, limit in (
        ("rated capacity of the link", first.rated_mbit_per_s),
        ("plain TCP transfer", first.practical_mbit_per_s),
    ):
        if limit:
            carried.append(limit)
            traces.append(style.reference(name, ends, [limit, limit], "dash"))
    layout = {
        "xaxis": style.log_axis("offered, Mbit/s", offered),
        "yaxis": style.log_axis("goodput, Mbit/s", carried),
    }
    return Panel(keys, traces, layout, f"{chart.described(keys)}: {_told(members)}.")


def _told(members: Sequence[CaseSummary]) -> str:
    known = [(c.label, c.capacity) for c in members if c.capacity]
    return "; ".join(
        f"{label} "
        + (text.figure_text(found.sustained, text.MBIT) if found.sustained else "not found")
        + f", {found.confirmed} of {found.confirm} trials confirm it"
        for label, found in known
    )


def _points(campaign: Campaign, case: CaseSummary, passed: bool) -> Trace:
    assert case.capacity is not None
    label = style.label_of(campaign, case)
    shown = [
        t for t in case.capacity.trials
        if t.rate_hz and t.mbit_per_s and (t.shortfall is None) == passed
    ]  # fmt: skip
    marker = style.marker(label, 8)
    if not passed:
        marker["symbol"] += "-open"
    return {
        "x": [style.short(t.offered_mbit_per_s) for t in shown],
        "y": [style.short(t.mbit_per_s or 0.0) for t in shown],
        "mode": "markers",
        "marker": marker,
        "name": label.text,
        "legendgroup": label.text,
        "showlegend": passed,
        "customdata": [t.shortfall or "met" for t in shown],
        "hovertemplate": "offered %{x} Mbit/s, arrived %{y} Mbit/s<br>%{customdata}<extra></extra>",
    }


def _found(campaign: Campaign, case: CaseSummary) -> Trace:
    assert case.capacity is not None and case.capacity.sustained is not None
    label = style.label_of(campaign, case)
    trials = case.capacity.trials
    carried = [t.mbit_per_s for t in trials if t.mbit_per_s]
    at = style.short(case.capacity.sustained.value)
    return {
        "x": [at, at],
        "y": [style.short(min(carried)), style.short(max(carried))],
        "mode": "lines",
        "line": {"color": style.colour(label), "width": 1},
        "legendgroup": label.text,
        "showlegend": False,
        "hoverinfo": "skip",
    }
