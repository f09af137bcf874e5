"""The charts of a campaign: a section for each kind that has something to draw."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

from busmark.analysis.model import Campaign
from busmark.present.document import Chart, Section
from busmark.report.drawing.picture import AnyChart


def charts(
    campaign: Campaign, kinds: Sequence[AnyChart], most: int | None = None
) -> Iterator[Section]:
    """Return the charts of these kinds, with a shape for each choice of cases, or at most so many
    of them."""
    for kind in kinds:
        drawing: Any = kind
        if shapes := list(islice(drawing.draw(campaign, kind.cases(campaign)), most)):
            chart = Chart(kind.key, kind.title, shapes, kind.explanation)
            yield Section(kind.title, [chart], detail=True, key=kind.key)
