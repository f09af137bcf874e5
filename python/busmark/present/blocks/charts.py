"""The charts of a campaign, from `drawing.charts`; some are in one place, to choose from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from busmark.analysis.model import Campaign, CaseSummary
from busmark.findings.kinds import Flags, by_case, kinds
from busmark.present.document import Chart
from busmark.report.drawing.boxes import BoxChart
from busmark.report.drawing.charts import CHARTS
from busmark.report.drawing.flagged import concerning, of_kinds
from busmark.report.drawing.picture import AnyChart, Picture

MOST_DRAWN = 500
"""Cases of a test in one chart of distributions or of time: with more, the first of the table."""


def charts(campaign: Campaign) -> dict[str, list[Chart]]:
    """Return the charts for which the campaign has data, by test."""
    drawn: dict[str, list[Chart]] = {kind.test: [] for kind in CHARTS}
    found = by_case(kinds(campaign.findings))
    places: dict[str, list[AnyChart]] = {}
    for kind in CHARTS:
        places.setdefault(kind.place.id if kind.place else kind.key, []).append(kind)
    for name, own in places.items():
        if chart := _together(campaign, name, own, found):
            drawn[own[0].test].append(chart)
    return drawn


def _together(
    campaign: Campaign, name: str, own: Sequence[AnyChart], found: Mapping[str, Flags]
) -> Chart | None:
    """What one place has; each shape has its own explanation where these differ."""
    first, left_out = own[0], 0
    shapes: list[Any] = []
    keys, explanations, marks = [], [], []
    for kind in own:
        cases = kind.cases(campaign)
        room = MOST_DRAWN if kind.of_series else len(cases)
        left_out = max(left_out, len(cases) - room)
        for shape in _shapes(kind, campaign, cases[:room]):
            shapes.append(shape)
            keys.append(kind.place.keys if kind.place else ())
            explanations.append(kind.explanation)
            flags = concerning(kind.figures, shape.members, found)
            every = of_kinds(flag for each in flags.values() for flag in each)
            marks.append([each.mark for each in every])
    if not shapes:
        return None
    title = first.place.title if first.place else first.title
    differ = len({kind.explanation for kind in own}) > 1
    return Chart(
        name, title, shapes, explanations[0], explanations if differ else (), keys, marks, left_out
    )


def _shapes(kind: Any, campaign: Campaign, cases: Sequence[CaseSummary]) -> Iterator[Any]:
    """A shape for each choice of cases; of boxes one for each case."""
    draw = kind.apart if isinstance(kind, BoxChart) else kind.draw
    for shape in draw(campaign, cases):
        if not isinstance(shape, Picture):
            yield shape
        elif not shape.as_bars:
            yield replace(shape, apart=False)
