"""Colours, marks and axes. The theme (light, dark, print) is added by the page's script."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, floor, log10
from typing import Any

from busmark.analysis.model import Campaign, CaseSummary, Label
from busmark.analysis.text import number, size_text

OKABE_ITO = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#8C7A00")
"""Told apart with any colour vision; the palette's yellow is darkened to be seen on white."""

GREY = "#7F7F7F"
"""Of the floor."""

DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")
SYMBOLS = (
    "circle", "square", "diamond", "triangle-up", "cross", "x", "triangle-down", "star",
)  # fmt: skip
FEW_DECADES = 0.8
"""Up to which it has many of them."""

MOST_DECADES = 2.5
"""Up to which a logarithmic axis has ticks within the decades."""

MICRO = 1e3
"""Nanoseconds in the unit of every latency axis."""


def label_of(campaign: Campaign, case: CaseSummary) -> Label:
    """How the case's curve looks."""
    return next(label for label in campaign.labels if label.text == case.label)


def colour(label: Label) -> str:
    """The floor is grey."""
    return GREY if label.colour < 0 else OKABE_ITO[label.colour % len(OKABE_ITO)]


def line(label: Label) -> dict[str, Any]:
    """Of a curve."""
    dash = "dash" if label.colour < 0 else DASHES[label.mark % len(DASHES)]
    return {"color": colour(label), "dash": dash, "width": 2}


def marker(label: Label, size: float = 8) -> dict[str, Any]:
    """Of a point."""
    symbol = "line-ew-open" if label.colour < 0 else SYMBOLS[label.mark % len(SYMBOLS)]
    return {"color": colour(label), "symbol": symbol, "size": size}


def band(label: Label, x: Sequence[float], low: Sequence[float], high: Sequence[float]) -> Any:
    """An interval along a curve."""
    red, green, blue = (int(colour(label)[i : i + 2], 16) for i in (1, 3, 5))
    return {
        "x": [*x, *reversed(x)],
        "y": [*high, *reversed(low)],
        "fill": "toself",
        "fillcolor": f"rgba({red},{green},{blue},0.22)",
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
    """Nanoseconds as microseconds."""
    return [short(v / MICRO) for v in values]


def axis(title: str, **more: Any) -> dict[str, Any]:
    """A linear axis."""
    return {"title": {"text": title}, "automargin": True, "exponentformat": "none"} | more


def log_axis(title: str, values: Sequence[float], **more: Any) -> dict[str, Any]:
    """A logarithmic axis; where it spans little, ticks at 1, 2 and 5, written in full."""
    positive = [v for v in values if v > 0] or [1.0]
    low, high = floor(log10(min(positive))), ceil(log10(max(positive)))
    ticks: dict[str, Any] = {"separatethousands": True, "dtick": 1, "minor": {"ticks": "inside"}}
    decades = log10(max(positive) / min(positive))
    if decades < MOST_DECADES:
        within = (1, 2, 5) if decades > FEW_DECADES else (1, 1.5, 2, 3, 4, 5, 7)
        marks = [m * 10.0**e for e in range(low - 1, high + 1) for m in within]
        ticks = {"tickvals": marks, "ticktext": [_plain(m) for m in marks]}
    return axis(title, type="log", **(ticks | more))


def _plain(mark: float) -> str:
    return f"{number(mark, 9)}".rstrip("0").rstrip(".")


def size_axis(sizes: Sequence[int]) -> dict[str, Any]:
    """Sizes in use, on a logarithmic axis; see `at_size`."""
    known = sorted(set(sizes))
    ticks = {"tickvals": [at_size(s) for s in known], "ticktext": [size_text(s) for s in known]}
    return axis("size of the body", type="log", **ticks)


def at_size(size: int) -> float:
    """Where a size is drawn: an empty body has no logarithm and stands left of 1 B."""
    return size or 0.5
