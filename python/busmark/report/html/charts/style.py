"""Colours, marks and axes. The theme (light, dark, print) is added by the page's script."""

from __future__ import annotations

from collections.abc import Sequence
from math import floor, log10
from typing import Any

from busmark.analysis.model import Label
from busmark.report.drawing import ticks
from busmark.report.drawing.look import (
    GREY as GREY,
)
from busmark.report.drawing.look import (
    at_size as at_size,
)
from busmark.report.drawing.look import (
    colour as colour,
)
from busmark.report.drawing.look import (
    dash,
    is_null,
    symbol,
)
from busmark.report.html.embedded import SHORT


def line(label: Label) -> dict[str, Any]:
    """Line of a curve."""
    return {"color": colour(label), "dash": dash(label), "width": 2}


def marker(label: Label, size: float = 8) -> dict[str, Any]:
    """Marker of a point."""
    return {"color": colour(label), "symbol": symbol(label), "size": size}


def pale(label: Label, opacity: float) -> str:
    """The label's colour, to be seen through."""
    red, green, blue = (int(colour(label)[i : i + 2], 16) for i in (1, 3, 5))
    return f"rgba({red},{green},{blue},{opacity:g})"


def of(label: Label) -> dict[str, Any]:
    """For the filter: what the trace is of. The floor and what is of no adapter stay."""
    return {"meta": label.text} if label.adapter and not is_null(label) else {}


def band(label: Label, x: Sequence[float], low: Sequence[float], high: Sequence[float]) -> Any:
    """An interval along a curve."""
    return {
        "x": [*x, *reversed(x)],
        "y": [*high, *reversed(low)],
        "fill": "toself",
        "fillcolor": pale(label, 0.22),
        "line": {"width": 0},
        "mode": "lines",
        "hoverinfo": "skip",
        "showlegend": False,
        "legendgroup": label.text,
        **of(label),
    }


def reference(name: str, x: Sequence[float], y: Sequence[float], dash: str) -> Any:
    """A grey line to compare with."""
    return {
        "x": [short(v) for v in x],
        "y": [short(v) for v in y],
        "mode": "lines",
        "line": {"color": GREY, "width": 1, "dash": dash},
        "name": name,
        "legendgroup": name,
        "hoverinfo": "name",
    }


def short(value: float) -> float:
    """Five digits: more cannot be seen."""
    return 0.0 if value == 0 else round(value, 4 - floor(log10(abs(value))))


def shortened(values: list[float]) -> list[float]:
    """Coordinates: few are shortened; many are stored with seven digits anyway."""
    return values if len(values) > SHORT else [short(v) for v in values]


def axis(title: str, **more: Any) -> dict[str, Any]:
    """A linear axis."""
    return {"title": {"text": title}, "automargin": True, "exponentformat": "none"} | more


def log_axis(title: str, values: Sequence[float], **more: Any) -> dict[str, Any]:
    """A logarithmic axis that shows these values, with ticks that are written in full."""
    ends = ticks.log_ends(values)
    if ends is None:
        return axis(title, type="log", **more)
    return axis(title, type="log", **(_opened(*ends) | _marked(ticks.log_ticks(*ends)) | more))


def _opened(low: float, high: float) -> dict[str, Any]:
    return {"range": [short(log10(low)), short(log10(high))]}


def _marked(marks: Sequence[ticks.Tick]) -> dict[str, Any]:
    return {"tickvals": [at for at, _ in marks], "ticktext": [told for _, told in marks]}


def size_axis(sizes: Sequence[int]) -> dict[str, Any]:
    """Sizes on a logarithmic axis; see `at_size`."""
    return axis("size of the body", type="log", **_marked(ticks.size_ticks(sizes)))


def linear_size_axis(sizes: Sequence[int]) -> dict[str, Any]:
    """Sizes on a linear axis, so that a straight line is one."""
    marks = _marked(ticks.linear_size_ticks(max(sizes, default=0)))
    return axis("size of the body", rangemode="tozero", **marks)
