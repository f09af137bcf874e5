"""A kind of chart: which cases are in it, what draws it, and how it is named and explained."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any

from busmark.analysis.model import Campaign, CaseSummary
from busmark.present.charts import panels
from busmark.present.charts.panels import Keys
from busmark.present.charts.shapes import Bars, Boxes, Heat, Picture, Stack

Shape = Picture | Stack | Bars | Boxes | Heat


@dataclass(frozen=True, slots=True)
class Place:
    """Where the page shows several charts, to choose from."""

    id: str
    title: str
    keys: Keys = ()
    """What chooses this one."""


@dataclass(frozen=True, slots=True)
class ChartKind:
    """A kind of chart."""

    key: str
    """Its name in files, and on the page."""
    title: str
    test: str
    explanation: str
    """For who sees such a chart for the first time."""
    needs: str
    """What a campaign must have for it, for the list of what was left out."""
    has: Callable[[CaseSummary], object]
    """Whether a case is in it."""
    draw: Callable[[Campaign, Sequence[CaseSummary]], Iterator[Any]]
    """Make the shapes, one for each choice of cases."""
    _: KW_ONLY
    apart: Callable[[Campaign, Sequence[CaseSummary]], Iterator[Any]] | None = None
    """The same for where each case has a chart of its own: on the page."""
    shape: type[Shape] = Picture
    place: Place | None = None
    """None: one of its own."""
    of_series: bool = False
    """Whether it shows points of samples, for which the page has room only in a limited number of
    cases."""
    figures: tuple[str, ...] = ()
    """What it shows of a case, by the names that rules of findings have for figures; empty:
    everything. Findings on other figures are not shown with it."""
    by_case: bool = False
    """Whether it is of distributions of single cases, which the workbook does not draw."""

    def cases(self, campaign: Campaign) -> list[CaseSummary]:
        """Return those in it, in the order of the tables."""
        return [case for case in panels.measured(campaign, self.test) if self.has(case)]
