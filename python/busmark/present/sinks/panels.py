"""What the page's script draws: a panel for each choice of what a chart shows, with a specification
of Vega-Lite."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from busmark.model.case import CaseSummary
from busmark.model.naming import Label
from busmark.present.charts import look
from busmark.present.charts.look import is_null
from busmark.present.charts.panels import MOST_CURVES
from busmark.present.charts.shapes import Bars, Boxes, Heat, Keys, Picture, described
from busmark.present.document import Chart
from busmark.present.vega import specification
from busmark.present.vega.parts import LegendEntry, dashes, legend, line_path
from busmark.present.web.embedded import Parts

OWN = ("Plot", "Of", "Axes", "Node")
"""Keys that say how something is drawn. Cases are chosen by all others, as by the page's filter."""

SHOWN = "Shown"
"""Name of the selector of what the filter leaves."""

AXES = ("logarithmic", "linear")

WIDTH = 1000
"""Width of a specification in pixels; the page's script fits it to the window."""

EM = 12.0
"""Pixels of the text's size."""

PLOT, STACKED = 340, 130
"""Pixels of a plot's height, alone and one below the other. Rows have the height that they need."""

SEVERITIES = {"!!": "error", "!": "warning", "": "note"}
"""Severities by the sign before the letter of a finding."""

Flags = Mapping[str, tuple[str, str]]

AROUND = 100
"""Pixels of axis and legend."""


@dataclass(frozen=True, slots=True)
class Panel:
    """A panel: one choice of the selectors."""

    keys: Keys
    spec: dict[str, Any]
    caption: str
    axes: str
    """Quantities on the axes, with units."""
    members: Sequence[CaseSummary] = ()
    """Cases that it shows; without the floor."""
    rows: Sequence[str] = ()
    """Labels of the rows, where the filter leaves out whole rows; empty: the row always stays."""
    explanation: str = ""
    marks: Sequence[str] = field(default=())
    """Marks of the findings that concern what it shows."""

    @property
    def height(self) -> float:
        """Return about how many pixels it takes."""
        views = self.spec.get("vconcat", [self.spec])
        return AROUND + sum(float(view["height"]) for view in views)


def panels(chart: Chart) -> list[Panel]:
    """Return the panels of a chart, each shape on the axes that it may have."""
    made = []
    for place, shape in enumerate(chart.shapes):
        explanation = chart.explanations[place] if chart.explanations else chart.explanation
        marks = chart.marks[place] if chart.marks else ()
        before = chart.keys[place] if chart.keys else ()
        both = isinstance(shape, Picture) and shape.also_linear
        for axes in AXES if both else ("",):
            keys = (*before, *((("Axes", axes),) if axes else ()), *shape.keys)
            spec = _specification(shape, linear=axes == "linear")
            made.append(
                Panel(
                    keys,
                    spec,
                    shape.caption,
                    _axes(shape),
                    shape.members,
                    _rows(shape),
                    explanation,
                    marks,
                )
            )
    return made


def _specification(shape: Any, *, linear: bool) -> dict[str, Any]:
    height: float | None = PLOT
    if isinstance(shape, Bars | Heat):
        height = None
    elif isinstance(shape, Picture) and shape.is_stack:
        height = STACKED
    return specification(shape, width=WIDTH, height=height, linear=linear)


def _axes(shape: Any) -> str:
    if isinstance(shape, Bars):
        return shape.axis.title
    if isinstance(shape, Boxes):
        return f"{shape.cells[0].y.title}, by {shape.x}"
    if isinstance(shape, Picture):
        titles = dict.fromkeys(plot.y.title for plot in shape.plots)
        return f"{'; '.join(titles)} over {shape.plot.x.title}"
    return ""


def _rows(shape: Any) -> list[str]:
    if isinstance(shape, Bars):
        return [_of(row.label) for row in shape.rows]
    return [name for name, _ in shape.rows] if isinstance(shape, Heat) else []


def _of(label: Label) -> str:
    """Return the label for the filter, empty for the floor and what is of no adapter: they stay."""
    return label.text if label.adapter and not is_null(label) else ""


def own_keys(panel: Panel, *, shared: bool) -> dict[str, str]:
    """Return the keys that are chosen for this chart alone; `shared`: others are for all charts."""
    return {name: value for name, value in panel.keys if not shared or name in OWN}


def selectors(chart: Sequence[Panel], *, shared: bool) -> dict[str, list[str]]:
    """Return the keys of which panels have several values, with these."""
    values: dict[str, dict[str, None]] = {}
    for panel in chart:
        own = own_keys(panel, shared=shared)
        keys = own | ({SHOWN: _shown(panel)} if shared else {})
        for name, value in keys.items():
            values.setdefault(name, {})[value] = None
    return {name: list(found) for name, found in values.items() if len(found) > 1}


def _shown(panel: Panel) -> str:
    return described(tuple((name, value) for name, value in panel.keys if name not in OWN))


def flag_of(mark: str, flags: Flags) -> tuple[str, str, str, str] | None:
    """Return the mark of a finding, its severity, the element that explains it, and its title."""
    letter = mark.lstrip("!")
    severity = SEVERITIES.get(mark.removesuffix(letter))
    return (mark, severity, *flags[letter]) if letter in flags and severity else None


def script_data(chart: Sequence[Panel], numbers: Mapping[str, int], flags: Flags) -> dict[str, Any]:
    """Return what the page's script needs.

    Args:
        chart: its panels.
        numbers: of the cases that the page lists.
        flags: by the letter of a finding, the element that explains it and its title.
    """
    parts, shared = Parts(), bool(numbers)
    return {
        "width": WIDTH,
        "panels": list(_data(chart, numbers, flags, parts, shared=shared)),
        "parts": parts.values,
    }


def _data(
    chart: Sequence[Panel], numbers: Mapping[str, int], flags: Flags, parts: Parts, *, shared: bool
) -> Iterator[dict[str, Any]]:
    for panel in chart:
        yield {
            "own": own_keys(panel, shared=shared),
            "keys": dict(panel.keys),
            "shown": _shown(panel) if shared else "",
            "cases": [numbers[case.id] for case in panel.members if case.id in numbers],
            "spec": parts.shared(panel.spec),
            "rows": parts.shared(list(panel.rows)),
            "caption": panel.caption,
            "axes": parts.shared(panel.axes),
            "explanation": parts.shared(panel.explanation),
            "flags": parts.shared([f for mark in panel.marks if (f := flag_of(mark, flags))]),
        }


def overlay_data(labels: Sequence[Label]) -> dict[str, Any]:
    """Return what the script needs to draw ticked cases together: the adapter of each label, looks
    of adapters and, by place, of cases that share one, and a legend to be filled."""
    (key,) = legend([LegendEntry("case", "", "")], EM, WIDTH)
    return {
        "labels": {label.text: label.adapter for label in labels},
        "adapters": {each.adapter: _look(Label(text="", adapter=each.adapter)) for each in labels},
        "places": [_look(look.series("", place)) for place in range(MOST_CURVES)],
        "legend": key,
    }


def _look(label: Label) -> dict[str, Any]:
    dash = look.dash(label)
    return {"colour": look.colour(label), "dash": dashes(dash, EM), "path": line_path(dash)}
