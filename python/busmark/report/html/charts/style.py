"""Colours, marks and axes. The theme (light, dark, print) is added by the page's script."""

from __future__ import annotations

from collections.abc import Sequence
from math import floor, log10
from typing import Any

from busmark.analysis.model import Label
from busmark.analysis.text import size_text
from busmark.report.drawing.look import (
    DASHES as DASHES,
)
from busmark.report.drawing.look import (
    GREY as GREY,
)
from busmark.report.drawing.look import (
    MICRO as MICRO,
)
from busmark.report.drawing.look import (
    OKABE_ITO as OKABE_ITO,
)
from busmark.report.drawing.look import (
    at_size as at_size,
)
from busmark.report.drawing.look import (
    colour as colour,
)
from busmark.report.drawing.look import (
    dash,
    log_ticks,
    symbol,
)
from busmark.report.drawing.look import (
    label_of as label_of,
)
from busmark.report.html.embedded import SHORT


def line(label: Label) -> dict[str, Any]:
    """Of a curve."""
    return {"color": colour(label), "dash": dash(label), "width": 2}


def marker(label: Label, size: float = 8) -> dict[str, Any]:
    """Of a point."""
    return {"color": colour(label), "symbol": symbol(label), "size": size}


def pale(label: Label, opacity: float) -> str:
    """The label's colour, to be seen through."""
    red, green, blue = (int(colour(label)[i : i + 2], 16) for i in (1, 3, 5))
    return f"rgba({red},{green},{blue},{opacity:g})"


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
    }


def reference(name: str, x: Sequence[float], y: Sequence[float], dash: str) -> Any:
    """A grey line to compare with."""
    return {
        "x": [short(v) for v in x],
        "y": [short(v) for v in y],
        "mode": "lines",
        "line": {"color": GREY, "width": 1, "dash": dash},
        "name": name,
        "hoverinfo": "name",
    }


def short(value: float) -> float:
    """Five digits: more cannot be seen."""
    return 0.0 if value == 0 else round(value, 4 - floor(log10(abs(value))))


def micro(values: Sequence[float]) -> list[float]:
    """Nanoseconds as microseconds. Few are shortened; many are stored with seven digits."""
    if len(values) > SHORT:
        return [v / MICRO for v in values]
    return [short(v / MICRO) for v in values]


def axis(title: str, **more: Any) -> dict[str, Any]:
    """A linear axis."""
    return {"title": {"text": title}, "automargin": True, "exponentformat": "none"} | more


def log_axis(title: str, values: Sequence[float], **more: Any) -> dict[str, Any]:
    """A logarithmic axis; where it spans little, ticks at 1, 2 and 5, written in full."""
    ticks: dict[str, Any] = {"separatethousands": True, "dtick": 1, "minor": {"ticks": "inside"}}
    within = log_ticks(values)
    if within:
        ticks = {"tickvals": [at for at, _ in within], "ticktext": [told for _, told in within]}
    return axis(title, type="log", **(ticks | more))


def size_axis(sizes: Sequence[int]) -> dict[str, Any]:
    """Sizes in use, on a logarithmic axis; see `at_size`."""
    known = sorted(set(sizes))
    ticks = {"tickvals": [at_size(s) for s in known], "ticktext": [size_text(s) for s in known]}
    return axis("size of the body", type="log", **ticks)


def linear_size_axis(sizes: Sequence[int]) -> dict[str, Any]:
    """Bytes on a linear axis, so that a straight line is one."""
    return axis("size of the body, B", rangemode="tozero", separatethousands=True)
