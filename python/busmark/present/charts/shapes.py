"""The shapes of charts, as data: curves, bars, boxes round by round, heat maps.

A shape is computed once. The page, print and gnuplot draw it, each with its own look.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from math import isfinite, isnan, log
from typing import Literal, NamedTuple

from busmark.model.case import CaseSummary
from busmark.model.case import Curve as Series
from busmark.model.naming import Label
from busmark.model.text import ABSENT, THIN, Interval, upper_first
from busmark.present.charts import look
from busmark.present.charts.look import Dash, ink

Keys = tuple[tuple[str, str], ...]
"""Selector names and the values that choose a panel."""


def one_line(text: str, longest: int = 60) -> str:
    """Return the text on one line, without characters that cannot be shown, and not endless."""
    line = text
    if not text.isprintable():
        line = "".join(c if c.isprintable() or c == THIN else " " for c in text)
    line = " ".join(part for part in line.split(" ") if part)
    return line if len(line) <= longest else line[: longest - 1] + "…"


Kind = Literal["linear", "log", "sizes", "percent", "signed"]


@dataclass(frozen=True, slots=True)
class Axis:
    """An axis; its title has the unit."""

    title: str
    kind: Kind = "linear"
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
    """Text of the point, for readers who point at it."""


def point(x: float, figure: Interval, factor: float = 1.0, note: str = "") -> Point:
    """Return a figure at `x`, in units of `factor`."""
    return Point(x, figure.value / factor, *_limits(figure, factor), note)


def _limits(figure: Interval, factor: float) -> tuple[float | None, float | None]:
    """Return the limits of an interval that has both, in units of `factor`."""
    low, high = figure.low, figure.high
    if low is None or high is None or not isfinite(high):
        return None, None
    return low / factor, high / factor


def points(of: Series | None, factor: float = 1.0, note: str = "") -> list[Point]:
    """Return the points of a series, its values in units of `factor`; none without a series."""
    known = zip(of.x, of.y, strict=True) if of else ()
    return [Point(x or 0.0, (y or 0.0) / factor, note=note) for x, y in known]


@dataclass(frozen=True, slots=True)
class DrawnCurve:
    """A curve, in the colour of its label."""

    name: str
    """Name in the legend."""
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
    """Whether there are so many points that each is drawn small."""
    only_x: bool = False
    """Whether y is only a place to be seen at, and not a value."""
    fill: float = 0.0
    """Opacity of the area below it."""
    stacked: bool = False
    """Whether its area begins where the previous curve's ends."""


@dataclass(frozen=True, slots=True)
class Reference:
    """A grey line between two points, to compare with."""

    name: str
    """Name in the legend; empty: it shares the entry of the line before."""
    dash: Dash
    ends: tuple[tuple[float, float], tuple[float, float]]
    fits_axis: bool = True
    """Whether the axis is to reach the line."""


def described(keys: Keys) -> str:
    """Return keys for a caption, such as "One CPU, 64 B"."""
    plain = {"Placement", "Size", "Middleware", "Workload"}
    known = [(name, value) for name, value in keys if value != ABSENT]
    sentence = ", ".join(value if name in plain else f"{name} {value}" for name, value in known)
    return upper_first(sentence)


class Shape:
    """A drawing for one choice of cases."""

    __slots__ = ()

    keys: Keys
    members: Sequence[CaseSummary]
    remarks: str
    """The caption, without what was chosen."""

    @property
    def caption(self) -> str:
        """Return the caption; it begins with what was chosen."""
        where = described(self.keys)
        return f"{where}: {self.remarks}" if where else self.remarks


@dataclass(frozen=True, slots=True)
class Plot:
    """Curves on two axes."""

    x: Axis
    y: Axis
    curves: Sequence[DrawnCurve]
    references: Sequence[Reference] = ()
    heading: str = ""
    """Heading where the plot is one of several below each other; the title of x is below the last.
    """

    def places(self) -> list[float]:
        """Return all values of x."""
        own = [point.x for curve in self.curves for point in curve.points]
        return own + [end[0] for line in self.references if line.fits_axis for end in line.ends]

    def values(self) -> list[float]:
        """Return all values of y."""
        own = [p.y for curve in self.curves for p in curve.points if not isnan(p.y)]
        return own + [end[1] for line in self.references if line.fits_axis for end in line.ends]

    def reach(self, *, whole: bool) -> list[float]:
        """Return all values of y, the tops of areas, and limits as far as the axis shows them:
        `whole` all of them."""
        points = [point for curve in self.curves for point in curve.points]
        limits = [(p.low, p.high) if whole else look.within(p.y, p.low, p.high) for p in points]
        ends = [end for pair in limits for end in pair if end is not None and not isnan(end)]
        tops = [top for curve, _, tops in self.stacked() if curve.stacked for top in tops]
        return self.values() + ends + tops

    def stacked(self) -> Iterator[tuple[DrawnCurve, list[float], list[float]]]:
        """Yield curves with the bottoms and the tops of their areas."""
        heights: dict[float, float] = {}
        for curve in self.curves:
            bottom = [heights.get(p.x, 0.0) if curve.stacked else 0.0 for p in curve.points]
            top = [low + p.y for low, p in zip(bottom, curve.points, strict=True)]
            if curve.stacked:
                heights.update((p.x, high) for p, high in zip(curve.points, top, strict=True))
            yield curve, bottom, top

    def sizes(self) -> list[int]:
        """Return those in use, of an axis of sizes."""
        known = (p.x for curve in self.curves if not curve.thin for p in curve.points)
        return sorted({int(size) for size in known})


@dataclass(frozen=True, slots=True)
class Picture(Shape):
    """A drawing of one choice of cases in one plot, or of one case in plots from the top, which
    have headings."""

    keys: Keys
    members: Sequence[CaseSummary]
    plots: Sequence[Plot]
    remarks: str
    also_linear: bool = False
    """Whether it is shown on linear axes, too."""
    apart: bool = False
    """Whether curves have so little in common that paper has a plot for each."""
    together: bool = False
    """Whether x covers the same range in all plots."""

    @property
    def plot(self) -> Plot:
        """Return the only plot."""
        return self.plots[0]

    @property
    def is_stack(self) -> bool:
        """Return whether it is of plots with headings."""
        return bool(self.plot.heading)


OUTSIDE = 0.5
"""Length of lines across beyond the first and the last row; rows are 1 apart."""


@dataclass(frozen=True, slots=True)
class AveragedValue:
    """One of the values that a row's value is the mean of."""

    value: float
    note: str = ""
    """Text of the part, for readers who point at it."""


@dataclass(frozen=True, slots=True)
class Bar:
    """One row, in the colour of its label; `low` and `high` are absent where there is no
    interval."""

    label: Label
    value: float
    low: float | None = None
    high: float | None = None
    note: str = ""
    """Text of the bar, for readers who point at it."""
    parts: Sequence[AveragedValue] = ()
    mark: float | None = None
    """Value to compare with."""


def bar(
    label: Label,
    figure: Interval,
    factor: float = 1.0,
    *,
    note: str = "",
    parts: Sequence[AveragedValue] = (),
    mark: float | None = None,
) -> Bar:
    """Return a figure as a bar, in units of `factor`."""
    return Bar(label, figure.value / factor, *_limits(figure, factor), note, parts, mark)


@dataclass(frozen=True, slots=True)
class Bars(Shape):
    """Bars for one choice of cases."""

    keys: Keys
    members: Sequence[CaseSummary]
    axis: Axis
    """Axis of the values. One that begins at 0 has bars that begin there, any other one points."""
    rows: Sequence[Bar]
    """Rows from the top."""
    remarks: str
    value: str = ""
    """Meaning of a value, in the legend; empty: the axis says it."""
    part: str = ""
    """Meaning of a part, in the legend."""
    mark: str = ""
    """Meaning of a mark, in the legend."""
    references: Sequence[Reference] = ()
    """Lines across all rows."""

    def values(self) -> list[float]:
        """Return all that the axis is to reach."""
        own = [v for row in self.rows for v in (row.value, row.low, row.high, row.mark)]
        parts = [part.value for row in self.rows for part in row.parts]
        return [v for v in own if v is not None] + parts + [r.ends[0][0] for r in self.references]

    def legend(self) -> list[str]:
        """Return what is explained, in order."""
        lines = [line.name for line in self.references]
        return [name for name in (self.value, self.part, self.mark, *lines) if name]


def across(name: str, dash: Dash, at: float, rows: int) -> Reference:
    """Return a line at this place of the axis, from above the first row to below the last."""
    return Reference(name, dash, ((at, -OUTSIDE), (at, rows - 1 + OUTSIDE)))


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
class CaseBoxes:
    """All boxes of one case, in the colour of its label."""

    label: Label
    boxes: Sequence[Box]
    y: Axis
    """Opens on the boxes, whatever the extremes."""
    references: Sequence[Reference] = ()
    """Lines across all boxes."""

    def beyond(self) -> list[tuple[int, float]]:
        """Return places of boxes whose largest value the axis does not reach, and that value."""
        top = self.y.ends[1] if self.y.ends else float("inf")
        return [(at, box.ends[1]) for at, box in enumerate(self.boxes) if box.ends[1] > top]


@dataclass(frozen=True, slots=True)
class Boxes(Shape):
    """Boxes for one choice of cases."""

    keys: Keys
    members: Sequence[CaseSummary]
    x: str
    """Title of the axis on which boxes have their names."""
    cells: Sequence[CaseBoxes]
    remarks: str


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
class HeatField:
    """One field as it is shown."""

    text: str
    shade: float | None
    """0 (best) to 1 (worst); None without a figure."""
    note: str
    """Text of the field, for readers who point at it."""
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
class Heat(Shape):
    """A heat map for one choice of cases."""

    keys: Keys
    members: Sequence[CaseSummary]
    across: str
    """Title of the columns."""
    columns: Sequence[str]
    down: str
    """Title of the rows."""
    rows: Sequence[tuple[str, Sequence[HeatField | None]]]
    """Rows with their heading; a field is None where it was not measured."""
    remarks: str
    scale: Sequence[tuple[float, str]] = ()
    """Shades, and the values that they stand for."""

    @property
    def written(self) -> bool:
        """Return whether fields are few enough to have their texts."""
        return len(self.rows) * len(self.columns) <= MOST_TEXTS


def ground(shade: float) -> str:
    """Return the colour of a field on the page: light is the best. Between the steps it goes
    evenly."""
    place = min(max(shade, 0.0), 1.0) * (len(SHADES) - 1)
    first = min(int(place), len(SHADES) - 2)
    pairs = zip(_bytes(SHADES[first]), _bytes(SHADES[first + 1]), strict=True)
    return "#" + "".join(f"{round(a + (place - first) * (b - a)):02X}" for a, b in pairs)


def _bytes(colour: str) -> list[int]:
    return [int(colour[at : at + 2], 16) for at in (1, 3, 5)]


def shade(value: float, positive: Sequence[float], *, more_is_better: bool) -> float:
    """Return where a value lies between the best and the worst, by its logarithm: ratios look
    alike."""
    if value <= 0 or not positive:
        return 1.0 if more_is_better else 0.0
    low = min(positive)
    # At least a factor of two: what is nearly equal must not look far apart.
    place = log(value / low) / log(max(max(positive) / low, 2))
    return 1 - place if more_is_better else place
