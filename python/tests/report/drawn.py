"""The charts of the page, each with its panels."""

from __future__ import annotations

from typing import NamedTuple

from busmark.compare.campaign import Campaign

from busmark.present.blocks.charts import by_test
from busmark.present.sinks.panels import Panel, panels


class Drawn(NamedTuple):
    id: str
    title: str
    panels: list[Panel]
    left_out: int


def draw_all(campaign: Campaign) -> dict[str, list[Drawn]]:
    """Charts by test."""
    return {
        test: [Drawn(each.key, each.title, panels(each), each.left_out) for each in own]
        for test, own in by_test(campaign).items()
    }
