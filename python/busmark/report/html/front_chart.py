"""The one chart of the first screen: all middleware in the workloads of the matrix, with baselines
as lines across. It is made of boxes placed by per cent, so that it needs no script."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import log10

from busmark.analysis.figures import Figure
from busmark.analysis.model import Campaign, CaseSummary
from busmark.analysis.words import text
from busmark.report.html.front import FLOOR, Front, workloads

MARGIN = 0.04
"""Margin of the axis, free at either end."""

LANE, LEAST_HEIGHT = 13, 36
"""Heights of the lane of one label, and of a strip, px."""

BEYOND = 1.6
"""How far beyond the greatest value the axis ends, as a factor: a tail that reaches further is left
to the tables, for it would flatten all else."""

LINES = ("solid", "dashed", "dotted", "double")
"""Lines of baselines."""

STEPS = (1, 2, 5)
MOST_TICKS = 9


@dataclass(frozen=True, slots=True)
class Point:
    """A label in one workload; places in per cent of the axis."""

    label: str
    at: float
    low: float | None
    high: float | None
    tail: float | None
    """Value of the 99th percentile."""
    top: int
    told: str


@dataclass(frozen=True, slots=True)
class Line:
    """A baseline in one workload."""

    label: str
    at: float
    style: str
    told: str


@dataclass(frozen=True, slots=True)
class Strip:
    """One workload."""

    title: str
    where: str
    height: int
    points: list[Point]
    lines: list[Line]


@dataclass(frozen=True, slots=True)
class FrontChart:
    """All strips over one logarithmic axis."""

    title: str
    strips: list[Strip]
    ticks: list[tuple[float, str]]
    labels: list[str]
    baselines: list[tuple[str, str]]
    """Label and style of the line."""
    has_tail: bool
    floor: str
    """What is not drawn; empty: there is none."""

    @property
    def described(self) -> str:
        """For who does not see it."""
        parts = []
        for strip in self.strips:
            told = [point.told for point in strip.points] + [line.told for line in strip.lines]
            parts.append(f"{strip.title} {strip.where}: {', '.join(told)}")
        return f"{self.title}. {'; '.join(parts)}."


@dataclass(frozen=True, slots=True)
class _Axis:
    low: float
    high: float

    def place(self, value: float) -> float:
        """Per cent from the left, within the axis."""
        share = log10(value / self.low) / log10(self.high / self.low)
        inside = MARGIN + share * (1 - 2 * MARGIN)
        return round(100 * min(1.0, max(0.0, inside)), 2)

    def ticks(self, scale: text.Scale) -> list[tuple[float, str]]:
        """At 1, 2 and 5 of each decade, or at 1 only."""
        marks: list[float] = []
        for steps in (STEPS, STEPS[:1]):
            marks = [s * 10.0**e for e in range(-12, 16) for s in steps]
            marks = [m for m in marks if self.low <= m * scale.factor <= self.high]
            if len(marks) <= MOST_TICKS:
                break
        return [(self.place(m * scale.factor), text.number(m, max(0, -int(f"{m:e}".split("e")[1]))))
                for m in marks]  # fmt: skip


def front_chart(campaign: Campaign, shown: Front) -> FrontChart | None:
    """Chart of the test that the matrix begins with; None if there is nothing to compare."""
    test = shown.columns[0].workload[0]
    by_workload = workloads(campaign)
    drawn = {row.label: row.role for row in shown.rows}
    chosen = [c for c in shown.columns if c.workload[0] == test]
    members = {
        c.workload: {x: case for x, case in by_workload[c.workload].items() if x in drawn}
        for c in chosen
    }
    every = [
        case
        for of in members.values()
        for label, case in of.items()
        if label != FLOOR and case.headline
    ]
    values = [v for case in every for v in _values(case)]
    if len(every) < 2 or min(values, default=0.0) <= 0:
        return None
    axis = _Axis(min(values), BEYOND * max(values))
    figure = _figure(every[0])
    heading = chosen[0].heading
    assert figure is not None  # by the choice of the cases
    scale = text.scale_for(values, text.SCALES[figure.unit])
    labels = [label for label, role in drawn.items() if role == "middleware"]
    references = [label for label, role in drawn.items() if role == "baseline"]
    styles = {label: LINES[n % len(LINES)] for n, label in enumerate(references)}
    strips = []
    for column in chosen:
        of = members[column.workload]
        known = [label for label in labels if label in of and of[label].headline]
        height = max(LANE * len(known) + 6, LEAST_HEIGHT)
        top = (height - LANE * len(known)) // 2
        points, lines = _points(known, of, axis, top), _lines(styles, of, axis)
        strips.append(Strip(column.size, column.where, height, points, lines))
    return FrontChart(
        title=f"{heading}, {scale.unit}",
        strips=strips,
        ticks=axis.ticks(scale),
        labels=labels,
        baselines=list(styles.items()),
        has_tail=any(point.tail is not None for strip in strips for point in strip.points),
        floor=_floor(members.values()),
    )


def _figure(case: CaseSummary) -> Figure | None:
    return case.headline.figure if case.headline else None


def _values(case: CaseSummary) -> list[float]:
    """What the axis is to reach. A tail or an interval far off is cut: it must not flatten all."""
    figure = _figure(case)
    return [figure.value] if figure else []


def _points(
    labels: Sequence[str], members: dict[str, CaseSummary], axis: _Axis, top: int
) -> list[Point]:
    found: list[Point] = []
    for label in labels:
        case = members[label]
        figure = _figure(case)
        assert figure is not None  # by the choice of the cases
        p99 = case.headline.tail if case.headline else None
        bounded = figure.low is not None and figure.high is not None
        low = axis.place(max(figure.low or axis.low, axis.low)) if bounded else None
        high = axis.place(figure.high) if bounded and figure.high else None
        told = f"{label} {text.figure_text(figure, text.SCALES[figure.unit])}"
        found.append(Point(
            label, axis.place(figure.value), low, high,
            axis.place(p99.value) if p99 and 0 < p99.value <= axis.high else None,
            top + len(found) * LANE, told,
        ))  # fmt: skip
    return found


def _lines(styles: dict[str, str], members: dict[str, CaseSummary], axis: _Axis) -> list[Line]:
    found = []
    for label, style in styles.items():
        case = members.get(label)
        figure = _figure(case) if case else None
        if figure is not None:
            told = f"{label} (baseline) {text.figure_text(figure, text.SCALES[figure.unit])}"
            found.append(Line(label, axis.place(figure.value), style, told))
    return found


def _floor(members: Iterable[dict[str, CaseSummary]]) -> str:
    """Values of the floor, which would only stretch the axis."""
    told = []
    for of in members:
        case = of.get(FLOOR)
        figure = _figure(case) if case else None
        if figure is not None:
            told.append((figure.value, text.SCALES[figure.unit]))
    if not told:
        return ""
    values = [value for value, _ in told]
    scale = text.scale_for(values, told[0][1])
    ends = dict.fromkeys(text.number(v / scale.factor) for v in (min(values), max(values)))
    return f"{' to '.join(ends)} {scale.unit}"
