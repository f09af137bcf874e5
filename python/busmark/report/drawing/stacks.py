"""What a chart over time shows, as data: plots of one case, one below the other.

It is computed once. The page, print and gnuplot draw it, each with its own look.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from busmark.analysis.model import Campaign, CaseSummary
from busmark.report.drawing.panels import Keys
from busmark.report.drawing.picture import AnyChart, Axis, Captioned, Curve, OnAxes, Reference


@dataclass(frozen=True, slots=True)
class Row(OnAxes):
    """One of the plots."""

    heading: str
    x: Axis
    """The same for all plots of a stack: its title is below the last."""
    y: Axis
    curves: Sequence[Curve]
    references: Sequence[Reference] = ()


@dataclass(frozen=True, slots=True)
class Stack(Captioned):
    """One case."""

    keys: Keys
    members: Sequence[CaseSummary]
    rows: Sequence[Row]
    """From the top."""
    told: str
    together: bool = False
    """Whether x reaches from the same begin to the same end in all of them."""


@dataclass(frozen=True, slots=True)
class StackChart(AnyChart):
    """A kind of chart of plots one below the other."""

    draw: Callable[[Campaign, Sequence[CaseSummary]], Iterator[Stack]]
