"""How curves look and where values stand, for all kinds of drawing.

Dashes and marks go by names of their own, which each drawing translates.
"""

from __future__ import annotations

from math import log10
from typing import Literal

from busmark.analysis.model import Campaign, CaseSummary, Label
from busmark.report.drawing.adapters import FLOOR, GREY, PALETTE, Look, look_of, shade

__all__ = ["GREY", "PALETTE"]

Dash = Literal["solid", "dash", "dot", "dashdot", "longdash", "longdashdot"]

DASHES: tuple[Dash, ...] = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")
SYMBOLS = (
    "circle", "square", "diamond", "triangle-up", "cross", "x", "triangle-down", "star",
)  # fmt: skip
SIGNS = ("●", "■", "◆", "▲", "✚", "✖", "▼", "★")
"""The same as characters."""

WIDE = 3.0
"""Limits further from the value, as a factor, are cut off by the axis."""

LOST = 1
"""Place, among series that are of no adapter, of what was lost."""

MICRO = 1e3
"""Nanoseconds in the unit of every latency axis."""

PERCENT_TICKS = (0.0, 50.0, 90.0, 99.0, 99.9, 99.99, 99.999, 99.9999)
"""Ticks of an axis that reaches to the rarest samples; see `at_percent`."""


def label_of(campaign: Campaign, case: CaseSummary) -> Label:
    """How the case's curve looks."""
    return next(label for label in campaign.labels if label.text == case.label)


def series(text: str, place: int) -> Label:
    """A label for what is not of one adapter, such as a participant: it looks by its place."""
    return Label(text=text, adapter="", variant=place)


def _look(label: Label) -> Look:
    if not label.adapter:
        return Look(PALETTE[label.variant % len(PALETTE)], label.variant, label.variant)
    own = look_of(label.adapter)
    return Look(
        shade(own.colour, label.variant), own.mark + label.variant, own.dash + label.variant
    )


def is_null(label: Label) -> bool:
    """Whether it is of the null adapter, which is drawn behind all others."""
    return label.adapter == FLOOR


def colour(label: Label) -> str:
    """The adapter's own, its variants lighter and darker. The null adapter is grey."""
    return _look(label).colour


def dash(label: Label) -> Dash:
    """Dash of the curve; the null adapter's is dashed."""
    return DASHES[_look(label).dash % len(DASHES)]


def symbol(label: Label) -> str:
    """Symbol of its points; the null adapter's are short lines."""
    return "line-ew-open" if is_null(label) else SYMBOLS[_look(label).mark % len(SYMBOLS)]


def sign(label: Label) -> str:
    """The symbol as a character."""
    return "━" if is_null(label) else SIGNS[_look(label).mark % len(SIGNS)]


def swatch(label: Label | str) -> dict[str, str]:
    """Colour and mark of a label, or of an adapter, to stand beside its name."""
    found = Label(text="", adapter=label) if isinstance(label, str) else label
    return {"colour": colour(found), "mark": sign(found)}


def within(value: float, low: float | None, high: float | None) -> tuple[float, float]:
    """Up to where an axis shows an interval: a wide one must not flatten all curves."""
    low = value if low is None else max(low, value / WIDE)
    high = value if high is None else min(high, value * WIDE)
    return low, high


def at_size(size: float) -> float:
    """Where a size is drawn: an empty body has no logarithm and stands left of 1 B."""
    return size or 0.5


def at_percent(percent: float) -> float:
    """Place of a percentile on the axis: -log10(1 - F), one unit for each tenfold rarity."""
    return 0.0 if percent <= 0 else -log10(1 - percent / 100)
