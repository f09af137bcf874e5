"""What a chart of boxes shows, as data: of each case a box and a violin for each of its rounds.

It is computed once. The page draws a case at a time, print and gnuplot all that belong together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from busmark.analysis.model import Campaign, CaseSummary, Label
from busmark.report.drawing import panels
from busmark.report.drawing.panels import Keys
from busmark.report.drawing.picture import AnyChart, Axis, Captioned, Reference

WIDEST = 0.42
"""Half of a violin; boxes are 1 apart."""


@dataclass(frozen=True, slots=True)
class Box:
    """Box of one round."""

    name: str
    whiskers: tuple[float, float]
    quartiles: tuple[float, float, float]
    """The median between them."""
    ends: tuple[float, float]
    """The smallest and the largest value."""
    outline: Sequence[tuple[float, float]]
    """Outline of a violin: values, and half of its width there, at most `WIDEST`."""


@dataclass(frozen=True, slots=True)
class Cell:
    """All boxes of one case, in the colour of its label."""

    label: Label
    boxes: Sequence[Box]
    y: Axis
    """Opens on the boxes, whatever the extremes."""
    references: Sequence[Reference] = ()
    """Lines across all boxes."""

    def beyond(self) -> list[tuple[int, float]]:
        """Places of boxes whose largest value the axis does not reach, and that value."""
        top = self.y.ends[1] if self.y.ends else float("inf")
        return [(at, box.ends[1]) for at, box in enumerate(self.boxes) if box.ends[1] > top]


@dataclass(frozen=True, slots=True)
class Boxes(Captioned):
    """One choice of cases."""

    keys: Keys
    members: Sequence[CaseSummary]
    x: str
    """Title of the axis on which boxes have their names."""
    cells: Sequence[Cell]
    told: str


@dataclass(frozen=True, slots=True)
class BoxChart(AnyChart):
    """A kind of chart of boxes."""

    of: Callable[[Campaign, Keys, Sequence[CaseSummary]], Boxes]

    def draw(self, campaign: Campaign, cases: Sequence[CaseSummary]) -> Iterator[Boxes]:
        """Cases that belong together."""
        for keys, members in panels.split(cases, panels.where):
            yield self.of(campaign, keys, members)

    def apart(self, campaign: Campaign, cases: Sequence[CaseSummary]) -> Iterator[Boxes]:
        """Each case alone."""
        for case in cases:
            yield self.of(campaign, panels.of_one(case), [case])
