"""How curves look and where values stand, for all kinds of drawing.

Dashes and marks go by plotly's names; other drawings translate them.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, floor, log10

from busmark.analysis.figures import Figure
from busmark.analysis.model import Campaign, CaseSummary, Label
from busmark.analysis.text import number

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

WIDE = 3.0
"""Limits further from the value, as a factor, are cut off by the axis."""

MICRO = 1e3
"""Nanoseconds in the unit of every latency axis."""

PERCENT_TICKS = (0.0, 50.0, 90.0, 99.0, 99.9, 99.99, 99.999, 99.9999)
"""Of an axis that reaches to the rarest samples; see `at_percent`."""


def label_of(campaign: Campaign, case: CaseSummary) -> Label:
    """How the case's curve looks."""
    return next(label for label in campaign.labels if label.text == case.label)


def colour(label: Label) -> str:
    """The floor is grey."""
    return GREY if label.colour < 0 else OKABE_ITO[label.colour % len(OKABE_ITO)]


def dash(label: Label) -> str:
    """Of the curve; the floor is dashed."""
    return "dash" if label.colour < 0 else DASHES[label.mark % len(DASHES)]


def symbol(label: Label) -> str:
    """Of its points; the floor's are short lines."""
    return "line-ew-open" if label.colour < 0 else SYMBOLS[label.mark % len(SYMBOLS)]


def log_ticks(values: Sequence[float]) -> list[tuple[float, str]] | None:
    """Ticks at 1, 2 and 5, and how they are written, for a logarithmic axis of few decades; None
    where whole decades are enough."""
    positive = [v for v in values if v > 0] or [1.0]
    low, high = floor(log10(min(positive))), ceil(log10(max(positive)))
    decades = log10(max(positive) / min(positive))
    if decades >= MOST_DECADES:
        return None
    within = (1, 2, 5) if decades > FEW_DECADES else (1, 1.5, 2, 3, 4, 5, 7)
    marks = [m * 10.0**e for e in range(low - 1, high + 1) for m in within]
    return [(mark, plain(mark)) for mark in marks]


def reach(figure: Figure) -> tuple[float, float]:
    """Up to where an axis shows an interval: a wide one must not flatten all curves."""
    low = figure.value if figure.low is None else max(figure.low, figure.value / WIDE)
    high = figure.value if figure.high is None else min(figure.high, figure.value * WIDE)
    return low, high


def plain(mark: float) -> str:
    """A tick's number in full, without zeros at its end."""
    return number(mark, 9).rstrip("0").rstrip(".")


def at_size(size: float) -> float:
    """Where a size is drawn: an empty body has no logarithm and stands left of 1 B."""
    return size or 0.5


def at_percent(percent: float) -> float:
    """Place of a percentile on the axis: -log10(1 - F), one unit for each tenfold rarity."""
    return 0.0 if percent <= 0 else -log10(1 - percent / 100)
