"""The charts of a campaign: a chart for each kind, or for each place that several kinds share."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

from busmark.compare.campaign import Campaign
from busmark.estimate.case import CaseSummary
from busmark.findings.kinds import Flags, by_case, kinds
from busmark.present.charts.flagged import concerning, of_kinds
from busmark.present.charts.kinds import CHARTS, ChartKind
from busmark.present.charts.shapes import Picture
from busmark.present.document import Chart, Section

MOST_DRAWN = 500
"""Cases of a test in one chart of distributions or of time: with more, the first of the table."""


def by_test(campaign: Campaign) -> dict[str, list[Chart]]:
    """Return the charts for which the campaign has data, by test; several kinds may be in one."""
    drawn: dict[str, list[Chart]] = {kind.test: [] for kind in CHARTS}
    found = by_case(kinds(campaign.findings))
    places: dict[str, list[ChartKind]] = {}
    for kind in CHARTS:
        places.setdefault(kind.place.id if kind.place else kind.key, []).append(kind)
    for name, own in places.items():
        if chart := _together(campaign, name, own, found):
            drawn[own[0].test].append(chart)
    return drawn


def _together(
    campaign: Campaign, name: str, own: Sequence[ChartKind], found: Mapping[str, Flags]
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


def _shapes(kind: ChartKind, campaign: Campaign, cases: Sequence[CaseSummary]) -> Iterator[Any]:
    """A shape for each choice of cases; of boxes one for each case."""
    draw = kind.apart or kind.draw
    for shape in draw(campaign, cases):
        if not isinstance(shape, Picture):
            yield shape
        elif not shape.as_bars:
            yield replace(shape, apart=False)


def charts(
    campaign: Campaign, kinds: Sequence[ChartKind], most: int | None = None
) -> Iterator[Section]:
    """Return the charts of these kinds, with a shape for each choice of cases, or at most so many
    of them."""
    for kind in kinds:
        if shapes := list(islice(kind.draw(campaign, kind.cases(campaign)), most)):
            chart = Chart(kind.key, kind.title, shapes, kind.explanation)
            yield Section(kind.title, [chart], detail=True, key=kind.key)
