"""The charts of the page, from `present.charts.kinds`: panels to choose from, each a specification
of Vega-Lite, which the page's script draws."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from busmark.analysis.model import Campaign, CaseSummary, Label
from busmark.findings.kinds import Flags, Kind, by_case, kinds
from busmark.present.charts.flagged import concerning, of_kinds
from busmark.present.charts.kinds import CHARTS, ChartKind
from busmark.present.charts.look import is_null
from busmark.present.charts.panels import Keys, described
from busmark.present.charts.shapes import Bars, Heat, Picture, Stack
from busmark.present.vega import specification
from busmark.present.web.embedded import Parts

MOST_DRAWN = 500
"""Cases of a test in one chart of distributions or of time: with more, the first of the table."""

OWN = ("Plot", "Of", "Axes", "Node")
"""Keys that say how something is drawn. By all others cases are chosen, as by the page's filter."""

SHOWN = "Shown"
"""Name of the selector of what the filter leaves."""

AXES = ("logarithmic", "linear")

WIDTH = 1000
"""Width of a specification in pixels; the page's script fits it to the window."""

PLOT, STACKED = 340, 130
"""Pixels of a plot's height, alone and one below the other. Rows have the height that they need."""

AROUND = 100
"""Pixels of axis and legend."""


@dataclass(slots=True)
class Panel:
    """One choice of the selectors."""

    keys: Keys
    members: Sequence[CaseSummary]
    """What it shows; without the floor."""
    spec: dict[str, Any]
    caption: str
    rows: list[str] = field(default_factory=list)
    """Labels of the rows, where the filter leaves out whole rows; empty: the row always stays."""
    explanation: str = ""
    """Instead of the chart's, where its panels are of different kinds."""
    flags: list[Kind] = field(default_factory=list)
    """Findings that concern what it shows."""

    @property
    def own(self) -> Keys:
        """Those of `OWN`."""
        return tuple((name, value) for name, value in self.keys if name in OWN)

    @property
    def shown(self) -> str:
        """The other keys in words."""
        return described(tuple((name, value) for name, value in self.keys if name not in OWN))

    @property
    def height(self) -> float:
        """Return about how many pixels it takes."""
        views = self.spec.get("vconcat", [self.spec])
        return AROUND + sum(float(view["height"]) for view in views)


@dataclass(slots=True)
class Chart:
    """A chart of the page. `id` is the identifier of its element."""

    id: str
    title: str
    explanation: str
    panels: list[Panel]
    left_out: int = 0
    """Cases for which there are data, but no room; the page says so."""
    selectors: dict[str, list[str]] = field(init=False)
    """Names with more than one value, and the values in order."""

    def __post_init__(self) -> None:
        values: dict[str, dict[str, None]] = {}
        for panel in self.panels:
            for name, value in (*panel.own, (SHOWN, panel.shown)):
                values.setdefault(name, {})[value] = None
        self.selectors = {name: list(v) for name, v in values.items() if len(v) > 1}

    def as_json(self, numbers: Mapping[str, int]) -> dict[str, Any]:
        """Return what the page's script needs; `numbers` of the cases."""
        parts = Parts()
        panels = [
            {"own": dict(p.own), "keys": dict(p.keys), "shown": p.shown,
             "cases": [numbers[case.id] for case in p.members],
             "spec": parts.shared(p.spec), "rows": parts.shared(p.rows), "caption": p.caption,
             "explanation": parts.shared(p.explanation),
             "flags": parts.shared([[f.mark, f.severity, f.anchor, f.title] for f in p.flags])}
            for p in self.panels
        ]  # fmt: skip
        return {"width": WIDTH, "panels": panels, "parts": parts.values}


def draw_all(campaign: Campaign) -> dict[str, list[Chart]]:
    """Return the charts for which the campaign has data, by test; some are in one place, to choose
    from."""
    drawn: dict[str, list[Chart]] = {kind.test: [] for kind in CHARTS}
    found = by_case(kinds(campaign.findings))
    places: dict[str, list[ChartKind]] = {}
    for kind in CHARTS:
        places.setdefault(kind.place.id if kind.place else kind.key, []).append(kind)
    for name, own in places.items():
        if made := _together(campaign, name, own, found):
            drawn[own[0].test].append(made)
    return drawn


def _together(
    campaign: Campaign, name: str, own: Sequence[ChartKind], found: Mapping[str, Flags]
) -> Chart | None:
    """Return what one place has; each panel has its own explanation where these differ."""
    first, panels, left_out = own[0], [], 0
    differ = len({kind.explanation for kind in own}) > 1
    for kind in own:
        cases = kind.cases(campaign)
        room = MOST_DRAWN if kind.of_series else len(cases)
        left_out = max(left_out, len(cases) - room)
        for panel in _panels(kind, campaign, cases[:room]):
            panel.keys = (*(kind.place.keys if kind.place else ()), *panel.keys)
            panel.explanation = kind.explanation if differ else ""
            flags = concerning(kind.figures, panel.members, found)
            panel.flags = of_kinds(flag for each in flags.values() for flag in each)
            panels.append(panel)
    if not panels:
        return None
    title = first.place.title if first.place else first.title
    return Chart(name, title, "" if differ else first.explanation, panels, left_out)


def _panels(kind: Any, campaign: Campaign, cases: Sequence[CaseSummary]) -> Iterator[Panel]:
    """Yield a panel for each choice of cases; of boxes one for each case."""
    draw = kind.apart or kind.draw
    for shape in draw(campaign, cases):
        if not isinstance(shape, Picture):
            yield _panel(shape, shape.keys)
        elif not shape.as_bars:
            together = replace(shape, apart=False)
            for axes in AXES if shape.also_linear else ("",):
                chosen = (("Axes", axes),) if axes else ()
                yield _panel(together, (*chosen, *shape.keys), linear=axes == "linear")


def _panel(shape: Any, keys: Keys, *, linear: bool = False) -> Panel:
    rows: list[str] = []
    height: float | None = PLOT
    if isinstance(shape, Bars):
        rows, height = [_of(row.label) for row in shape.rows], None
    elif isinstance(shape, Heat):
        rows, height = [name for name, _ in shape.rows], None
    elif isinstance(shape, Stack):
        height = STACKED
    spec = specification(shape, width=WIDTH, height=height, linear=linear)
    return Panel(keys, shape.members, spec, shape.caption, rows)


def _of(label: Label) -> str:
    """Return the label for the filter: the floor and what is of no adapter stay."""
    return label.text if label.adapter and not is_null(label) else ""
