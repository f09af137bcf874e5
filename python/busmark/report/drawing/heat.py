"""What a heat map shows, as data: fields in rows and columns, each with its text and its shade.

It is computed once. The page, print and gnuplot draw it: light is the best.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from math import log

from busmark.analysis.model import Campaign, CaseSummary
from busmark.report.drawing.adapters import ink
from busmark.report.drawing.panels import Keys
from busmark.report.drawing.picture import AnyChart, Captioned

SHADES = (
    "#FEE838",
    "#DEC958",
    "#BCAE6C",
    "#9B9476",
    "#7D7C78",
    "#61656F",
    "#434E6C",
    "#1A386F",
    "#00224E",
)
"""Cividis (Nuñez, Anderton and Renslow 2018), from the best to the worst: it looks much the same
with any colour vision."""

MOST_TEXTS = 200
"""Fields up to which each has its text written in it."""


@dataclass(frozen=True, slots=True)
class Field:
    """One field as it is shown."""

    text: str
    shade: float | None
    """0 (best) to 1 (worst); None without a figure."""
    note: str
    """What it is, for who points at it."""
    case: str = field(default="", kw_only=True)
    """The case that it is of."""

    @property
    def ground(self) -> str:
        """Its colour on the page; see `SHADES`."""
        return ground(self.shade or 0.0)

    @property
    def ink(self) -> str:
        """Colour of its text there."""
        return ink(self.ground)


@dataclass(frozen=True, slots=True)
class Heat(Captioned):
    """One choice of cases."""

    keys: Keys
    members: Sequence[CaseSummary]
    across: str
    """Title of the columns."""
    columns: Sequence[str]
    down: str
    """Title of the rows."""
    rows: Sequence[tuple[str, Sequence[Field | None]]]
    """None: not measured."""
    told: str
    scale: Sequence[tuple[float, str]] = ()
    """Shades, and the values that they stand for."""

    @property
    def written(self) -> bool:
        """Whether fields are few enough to have their texts."""
        return len(self.rows) * len(self.columns) <= MOST_TEXTS


@dataclass(frozen=True, slots=True)
class HeatChart(AnyChart):
    """A kind of heat map."""

    draw: Callable[[Campaign, Sequence[CaseSummary]], Iterator[Heat]]


def ground(shade: float) -> str:
    """The colour of a field on the page: light is the best. Between the steps it goes evenly."""
    place = min(max(shade, 0.0), 1.0) * (len(SHADES) - 1)
    first = min(int(place), len(SHADES) - 2)
    pairs = zip(_bytes(SHADES[first]), _bytes(SHADES[first + 1]), strict=True)
    return "#" + "".join(f"{round(a + (place - first) * (b - a)):02X}" for a, b in pairs)


def _bytes(colour: str) -> list[int]:
    return [int(colour[at : at + 2], 16) for at in (1, 3, 5)]


def shade(value: float, positive: Sequence[float], *, more_is_better: bool) -> float:
    """Where a value lies between the best and the worst, by its logarithm: ratios look alike."""
    if value <= 0 or not positive:
        return 1.0 if more_is_better else 0.0
    low = min(positive)
    # At least a factor of two: what is nearly equal must not look far apart.
    place = log(value / low) / log(max(max(positive) / low, 2))
    return 1 - place if more_is_better else place
