"""What every chart consists of: panels to choose from, each with its traces and its caption."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from busmark.analysis.model import CaseSummary
from busmark.findings.kinds import Kind
from busmark.report.drawing.panels import Keys, described
from busmark.report.html.embedded import Parts

MOST_DRAWN = 500
"""Cases of a test in one chart of distributions or of time: with more, the first of the table."""

ZOOMED = " A double click shows all."
"""Follows a caption where an axis does not open on everything."""

Trace = dict[str, Any]


OWN = ("Plot", "Of", "Axes", "Node")
"""Keys that say how something is drawn. By all others cases are chosen, as by the page's filter."""

SHOWN = "Shown"
"""Name of the selector of what the filter leaves."""


@dataclass(slots=True)
class Panel:
    """One choice of the selectors."""

    keys: Keys
    members: Sequence[CaseSummary]
    """What it shows; without the floor."""
    traces: list[Trace]
    layout: dict[str, Any]
    caption: str
    explanation: str = ""
    """Instead of the chart's, where its panels are of different kinds."""
    flags: list[Kind] = field(default_factory=list)
    """Findings that concern what it shows."""
    height: int = 430

    @property
    def own(self) -> Keys:
        """Those of `OWN`."""
        return tuple((name, value) for name, value in self.keys if name in OWN)

    @property
    def shown(self) -> str:
        """The other keys in words."""
        return described(tuple((name, value) for name, value in self.keys if name not in OWN))


@dataclass(slots=True)
class Chart:
    """A figure of the page. `id` is the identifier of its element."""

    id: str
    title: str
    explanation: str
    panels: list[Panel]
    left_out: int = 0
    """Cases for which there are data, but no room; the page says so."""
    height: int = field(init=False)
    selectors: dict[str, list[str]] = field(init=False)
    """Names with more than one value, and the values in order."""

    def __post_init__(self) -> None:
        self.height = max(panel.height for panel in self.panels)
        values: dict[str, dict[str, None]] = {}
        for panel in self.panels:
            for name, value in (*panel.own, (SHOWN, panel.shown)):
                values.setdefault(name, {})[value] = None
        self.selectors = {name: list(v) for name, v in values.items() if len(v) > 1}

    def as_json(self, numbers: Mapping[str, int]) -> dict[str, Any]:
        """What the page's script needs; `numbers` of the cases."""
        parts = Parts()
        panels = [
            {"own": dict(p.own), "keys": dict(p.keys), "shown": p.shown,
             "cases": [numbers[case.id] for case in p.members],
             "traces": parts.shared(p.traces, "traces"),
             "layout": parts.shared(p.layout), "caption": p.caption,
             "explanation": parts.shared(p.explanation),
             "flags": parts.shared([[f.mark, f.severity, f.anchor, f.title] for f in p.flags])}
            for p in self.panels
        ]  # fmt: skip
        return {"height": self.height, "panels": panels, "parts": parts.values}
