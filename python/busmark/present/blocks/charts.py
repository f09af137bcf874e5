"""The charts of a campaign: a section for each kind that has something to draw."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from busmark.analysis.model import Campaign
from busmark.present.charts.kinds import ChartKind
from busmark.present.document import Chart, Section


def charts(
    campaign: Campaign, kinds: Sequence[ChartKind], most: int | None = None
) -> Iterator[Section]:
    """Return the charts of these kinds, with a shape for each choice of cases, or at most so many
    of them."""
    for kind in kinds:
        if shapes := list(islice(kind.draw(campaign, kind.cases(campaign)), most)):
            chart = Chart(kind.key, kind.title, shapes, kind.explanation)
            yield Section(kind.title, [chart], detail=True, key=kind.key)
