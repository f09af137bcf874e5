"""What a chart of curves shows, as data: curves over an axis, lines to compare with, a caption.

It is computed once. The page, print and gnuplot draw it, each with its own look.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from math import isnan
from typing import Literal, NamedTuple

from busmark.analysis.figures import Figure
from busmark.analysis.model import Campaign, CaseSummary, Label
from busmark.report.drawing import look, panels
from busmark.report.drawing.look import Dash
from busmark.report.drawing.panels import Keys


@dataclass(frozen=True, slots=True)
class Axis:
    """Its title has the unit."""

    title: str
    kind: Literal["linear", "log", "sizes", "percent", "signed"] = "linear"
    """sizes: bytes, each of them a tick; beside a logarithmic axis logarithmic as well. percent:
    from the fastest to the rarest sample, each step ten times rarer. signed: of both signs, most of
    them near 0."""
    from_zero: bool = False
    ends: tuple[float, float] | None = None
    middle: tuple[float, float] | None = None
    """Between which most values lie, where the rest would flatten the curves."""
    names: Sequence[tuple[float, str]] = ()
    """Names of places, instead of numbers."""


class Point(NamedTuple):
    """One point of a curve; `low` and `high` are absent where there is no interval. Where y is not
    a number, the curve is broken."""

    x: float
    y: float
    low: float | None = None
    high: float | None = None
    note: str = ""
    """What it is, for who points at it."""


def point(x: float, figure: Figure, factor: float = 1.0, note: str = "") -> Point:
    """A figure at `x`, in units of `factor`."""
    low, high = figure.low, figure.high
    if low is None or high is None:
        return Point(x, figure.value / factor, note=note)
    return Point(x, figure.value / factor, low / factor, high / factor, note)


@dataclass(frozen=True, slots=True)
class Curve:
    """In the colour of its label."""

    name: str
    """In the legend."""
    label: Label
    points: Sequence[Point]
    line: bool = True
    marks: bool = True
    hollow: bool = False
    dash: Dash | None = None
    """Instead of the label's."""
    steps: bool = False
    """Whether a value holds up to the next."""
    thin: bool = False
    """A line that goes with another curve, and is not in the legend."""
    dots: bool = False
    """Whether there are so many points that each is small."""
    only_x: bool = False
    """Whether y is a place to be seen at, and no value."""
    fill: float = 0.0
    """How solid the area below it is."""
    stacked: bool = False
    """Whether its area begins where the previous curve's ends."""


@dataclass(frozen=True, slots=True)
class Reference:
    """A grey line between two points, to compare with."""

    name: str
    """In the legend; empty: it goes with the one before."""
    dash: Dash
    ends: tuple[tuple[float, float], tuple[float, float]]
    fits_axis: bool = True
    """Whether the axis is to reach it."""


class Captioned:
    """For a class about a choice of cases."""

    __slots__ = ()

    keys: Keys
    members: Sequence[CaseSummary]
    told: str
    """The caption, without what was chosen."""

    @property
    def caption(self) -> str:
        """Begins with what was chosen."""
        return panels.captioned(self.keys, self.told)


class OnAxes:
    """For a class that has curves on two axes."""

    __slots__ = ()

    x: Axis
    y: Axis
    curves: Sequence[Curve]
    references: Sequence[Reference]

    def places(self) -> list[float]:
        """All values of x."""
        own = [point.x for curve in self.curves for point in curve.points]
        return own + [end[0] for line in self.references if line.fits_axis for end in line.ends]

    def values(self) -> list[float]:
        """All values of y."""
        own = [p.y for curve in self.curves for p in curve.points if not isnan(p.y)]
        return own + [end[1] for line in self.references if line.fits_axis for end in line.ends]

    def reach(self) -> list[float]:
        """All values of y, and their limits as far as the axis shows them."""
        limits = (look.within(p.y, p.low, p.high) for curve in self.curves for p in curve.points)
        return self.values() + [end for ends in limits for end in ends if not isnan(end)]

    def cut(self) -> bool:
        """Whether x must end before what is drawn does."""
        return not all(line.fits_axis for line in self.references)

    def sizes(self) -> list[int]:
        """Those in use, of an axis of sizes."""
        known = (p.x for curve in self.curves if not curve.thin for p in curve.points)
        return sorted({int(size) for size in known})


@dataclass(frozen=True, slots=True)
class Picture(Captioned, OnAxes):
    """One choice of cases."""

    keys: Keys
    members: Sequence[CaseSummary]
    x: Axis
    y: Axis
    curves: Sequence[Curve]
    told: str
    references: Sequence[Reference] = ()
    also_linear: bool = False
    """Whether it is shown on linear axes, too."""
    as_bars: bool = False
    """Whether a form that has bars shows the same as bars, and not as points of one place."""
    apart: bool = False
    """Whether curves have so little in common that paper has a plot for each."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where the page shows several charts, to choose from."""

    id: str
    title: str
    keys: Keys = ()
    """What chooses this one."""


@dataclass(frozen=True, slots=True)
class AnyChart:
    """What every kind of chart has, whatever its shape."""

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
    place: Place | None = field(default=None, kw_only=True)
    """None: one of its own."""
    of_series: bool = field(default=False, kw_only=True)
    """Whether it shows points of samples, for which the page has room only in a limited number of
    cases."""
    figures: tuple[str, ...] = field(default=(), kw_only=True)
    """What it shows of a case, by the names that rules of findings have for figures; empty:
    everything. Findings on other figures are not beside it."""

    def cases(self, campaign: Campaign) -> list[CaseSummary]:
        """Those in it, in the order of the tables."""
        return [case for case in panels.measured(campaign, self.test) if self.has(case)]


@dataclass(frozen=True, slots=True)
class Chart(AnyChart):
    """A kind of chart of curves."""

    draw: Callable[[Campaign, Sequence[CaseSummary]], Iterator[Picture]]
    by_case: bool = False
    """Whether it is of distributions of single cases, which the workbook does not draw."""
