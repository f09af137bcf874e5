"""The charts of the page, from `drawing.charts`, drawn by plotly, one file for each shape."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from busmark.analysis.model import Campaign, CaseSummary
from busmark.findings.kinds import Flags, by_case, kinds
from busmark.report.drawing import picture
from busmark.report.drawing.bars import BarChart
from busmark.report.drawing.boxes import BoxChart
from busmark.report.drawing.charts import CHARTS
from busmark.report.drawing.flagged import concerning, of_kinds
from busmark.report.drawing.heat import HeatChart
from busmark.report.drawing.stacks import StackChart
from busmark.report.html.charts import bars, boxes, chart, curves, heat, stacks
from busmark.report.html.charts.chart import Chart, Panel

SHAPES: dict[type, Callable[[Any, Campaign, Sequence[CaseSummary]], Iterator[Panel]]] = {
    picture.Chart: curves.panels,
    BarChart: bars.panels,
    BoxChart: boxes.panels,
    StackChart: stacks.panels,
    HeatChart: heat.panels,
}
"""What draws a chart of a shape."""


def draw_all(campaign: Campaign) -> dict[str, list[Chart]]:
    """The charts for which the campaign has data, by test; some are in one place, to choose
    from."""
    drawn: dict[str, list[Chart]] = {kind.test: [] for kind in CHARTS}
    found = by_case(kinds(campaign.findings))
    places: dict[str, list[picture.AnyChart]] = {}
    for kind in CHARTS:
        places.setdefault(kind.place.id if kind.place else kind.key, []).append(kind)
    for name, own in places.items():
        if made := _together(campaign, name, own, found):
            drawn[own[0].test].append(made)
    return drawn


def _together(
    campaign: Campaign, name: str, own: Sequence[picture.AnyChart], found: Mapping[str, Flags]
) -> Chart | None:
    """What one place has; each panel has its own explanation where these differ."""
    first, panels, left_out = own[0], [], 0
    differ = len({kind.explanation for kind in own}) > 1
    for kind in own:
        cases = kind.cases(campaign)
        room = chart.MOST_DRAWN if kind.of_series else len(cases)
        left_out = max(left_out, len(cases) - room)
        for panel in SHAPES[type(kind)](kind, campaign, cases[:room]):
            panel.keys = (*(kind.place.keys if kind.place else ()), *panel.keys)
            panel.explanation = kind.explanation if differ else ""
            flags = concerning(kind.figures, panel.members, found)
            panel.flags = of_kinds(flag for each in flags.values() for flag in each)
            panels.append(panel)
    if not panels:
        return None
    title = first.place.title if first.place else first.title
    return Chart(name, title, "" if differ else first.explanation, panels, left_out)
