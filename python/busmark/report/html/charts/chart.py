"""What every chart consists of: panels to choose from, each with its traces and its caption."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from busmark.analysis.model import Campaign, CaseSummary
from busmark.analysis.series import CaseSeries
from busmark.report.drawing.panels import (
    MOST_CURVES as MOST_CURVES,
)
from busmark.report.drawing.panels import (
    Keys as Keys,
)
from busmark.report.drawing.panels import (
    counts_text as counts_text,
)
from busmark.report.drawing.panels import (
    described as described,
)
from busmark.report.drawing.panels import (
    floor_note as floor_note,
)
from busmark.report.drawing.panels import (
    floor_of as floor_of,
)
from busmark.report.drawing.panels import (
    measured as measured,
)
from busmark.report.drawing.panels import (
    placement as placement,
)
from busmark.report.drawing.panels import (
    split,
)
from busmark.report.drawing.panels import (
    where as where,
)
from busmark.report.html.embedded import Parts

MOST_DRAWN = 500
"""Cases of a test in one chart of distributions or of time: with more, the first of the table."""

Trace = dict[str, Any]


@dataclass(slots=True)
class Panel:
    """One choice of the selectors."""

    keys: Keys
    traces: list[Trace]
    layout: dict[str, Any]
    caption: str
    explanation: str = ""
    """Instead of the chart's, where its panels are of different kinds."""


@dataclass(slots=True)
class Chart:
    """A figure of the page. `id` is the identifier of its element."""

    id: str
    title: str
    explanation: str
    panels: list[Panel]
    height: int = 430
    link: str = ""
    """Charts of one link choose together: they show the same case."""
    left_out: int = 0
    """Cases for which there are data, but no room; the page says so."""
    selectors: dict[str, list[str]] = field(init=False)
    """Names with more than one value, and the values in order."""

    def __post_init__(self) -> None:
        values: dict[str, dict[str, None]] = {}
        for panel in self.panels:
            for name, value in panel.keys:
                values.setdefault(name, {})[value] = None
        self.selectors = {name: list(v) for name, v in values.items() if len(v) > 1}

    def as_json(self) -> dict[str, Any]:
        """What the page's script needs."""
        parts = Parts()
        panels = [
            {"keys": dict(p.keys), "traces": parts.shared(p.traces, "traces"),
             "layout": parts.shared(p.layout), "caption": p.caption,
             "explanation": parts.shared(p.explanation)}
            for p in self.panels
        ]  # fmt: skip
        return {"height": self.height, "panels": panels, "parts": parts.values}


def with_series(
    campaign: Campaign, test: str, has: Callable[[CaseSeries], object]
) -> tuple[list[CaseSummary], int]:
    """Cases of a test whose series `has` what is drawn, at most `MOST_DRAWN`; how many are left
    out."""
    found = [c for c in measured(campaign, test) if c.series and has(c.series)]
    return found[:MOST_DRAWN], max(0, len(found) - MOST_DRAWN)


def panels(
    cases: Iterable[CaseSummary],
    key: Callable[[CaseSummary], Keys],
    draw: Callable[[Keys, Sequence[CaseSummary]], Panel],
) -> list[Panel]:
    """Cases by key, in parts of at most `MOST_CURVES` labels, drawn."""
    return [draw(keys, members) for keys, members in split(cases, key)]
