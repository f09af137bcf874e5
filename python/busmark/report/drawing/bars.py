"""What a chart of bars shows, as data: a row for each case, with its value and the interval of it.

It is computed once. The page, print and gnuplot draw it, each with its own look.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from busmark.analysis.figures import Figure
from busmark.analysis.model import Campaign, CaseSummary, Label
from busmark.report.drawing.panels import Keys
from busmark.report.drawing.picture import AnyChart, Axis, Captioned, Reference

OUTSIDE = 0.5
"""How far lines across reach beyond the first and the last row; rows are 1 apart."""


@dataclass(frozen=True, slots=True)
class Part:
    """One of the values that a row's value is the mean of."""

    value: float
    note: str = ""
    """What it is, for who points at it."""


@dataclass(frozen=True, slots=True)
class Bar:
    """One row, in the colour of its label; `low` and `high` are absent where there is no
    interval."""

    label: Label
    value: float
    low: float | None = None
    high: float | None = None
    note: str = ""
    """What it is, for who points at it."""
    parts: Sequence[Part] = ()
    mark: float | None = None
    """What the value is to be compared with."""


def bar(
    label: Label, figure: Figure, factor: float = 1.0, *, note: str = "",
    parts: Sequence[Part] = (), mark: float | None = None,
) -> Bar:  # fmt: skip
    """A figure, in units of `factor`."""
    low, high = figure.low, figure.high
    value = figure.value / factor
    if low is None or high is None:
        return Bar(label, value, note=note, parts=parts, mark=mark)
    return Bar(label, value, low / factor, high / factor, note, parts, mark)


@dataclass(frozen=True, slots=True)
class Bars(Captioned):
    """One choice of cases."""

    keys: Keys
    members: Sequence[CaseSummary]
    axis: Axis
    """Axis of the values. One that begins at 0 has bars that begin there, any other one points."""
    rows: Sequence[Bar]
    """From the top."""
    told: str
    value: str = ""
    """What a value is, in the legend; empty: the axis says so."""
    part: str = ""
    """What a part is, in the legend."""
    mark: str = ""
    """What a mark is, in the legend."""
    references: Sequence[Reference] = ()
    """Lines across all rows."""

    def values(self) -> list[float]:
        """All that the axis is to reach."""
        own = [v for row in self.rows for v in (row.value, row.low, row.high, row.mark)]
        parts = [part.value for row in self.rows for part in row.parts]
        return [v for v in own if v is not None] + parts + [r.ends[0][0] for r in self.references]

    def legend(self) -> list[str]:
        """What is explained, in order."""
        lines = [line.name for line in self.references]
        return [name for name in (self.value, self.part, self.mark, *lines) if name]


def across(reference: Reference, rows: int) -> Reference:
    """The line at its place of the axis, from above the first row to below the last."""
    at = reference.ends[0][0]
    ends = ((at, -OUTSIDE), (at, rows - 1 + OUTSIDE))
    return Reference(reference.name, reference.dash, ends)


@dataclass(frozen=True, slots=True)
class BarChart(AnyChart):
    """A kind of chart of bars."""

    draw: Callable[[Campaign, Sequence[CaseSummary]], Iterator[Bars]]
