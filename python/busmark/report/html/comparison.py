"""The page of a comparison: no script, nothing loaded from anywhere."""

from __future__ import annotations

from dataclasses import dataclass
from math import log

from busmark import __version__
from busmark.compare.model import Change, Comparison, SideSummary
from busmark.present.charts.look import swatch
from busmark.present.web import style
from busmark.report.comparison import words
from busmark.report.comparison.grids import Grid, brief, environments, every_figure
from busmark.report.html.templating import environment

WIDTH = 140
"""Width of a drawn interval, in units of its drawing."""

LEAST_SPAN = 1.1
"""An axis reaches this factor to both sides of 1 at least."""

MOST_SPAN = 10.0
"""And this at most; what lies beyond is drawn at the edge, and told in figures."""


@dataclass(frozen=True, slots=True)
class Bar:
    """Places along an axis of logarithms, 0 to `WIDTH`."""

    value: float
    low: float
    high: float
    one: float
    margin_low: float
    margin_high: float


def render(comparison: Comparison) -> str:
    """The page as text; the same comparison gives the same bytes."""
    names = [side.name for side in comparison.candidates]
    return environment().get_template("comparison.html.j2").render(
        comparison=comparison,
        title=words.versus(names, comparison),
        answers=words.answers(comparison),
        legend=words.legend(comparison),
        method=words.method(comparison),
        sides=_sides(comparison),
        gate=words.gate_text(comparison),
        gate_mark=words.gate_mark(comparison),
        conditions=words.conditions(comparison),
        judged_text=words.judged_text,
        outcomes=words.OUTCOMES,
        tables=[(grid, _bars(grid, comparison)) for grid in brief(comparison)],
        details=[every_figure(comparison, pair) for pair in comparison.pairs],
        pairs=comparison.pairs,
        figure_name=words.figure_name,
        differs=words.differs(comparison),
        environments=environments(comparison),
        findings=words.findings(comparison),
        style=style("style", "comparison"),
        swatch=swatch,
        width=WIDTH,
        version=__version__,
    )  # fmt: skip


def _sides(comparison: Comparison) -> list[tuple[str, SideSummary]]:
    """What was compared; once, where it is one campaign."""
    sides = [comparison.baseline, *comparison.candidates]
    if len({side.directory for side in sides}) == 1:
        return [("Campaign", sides[0].model_copy(update={"name": sides[0].directory}))]
    return [("Candidate" if number else "Baseline", side) for number, side in enumerate(sides)]


def _bars(grid: Grid, comparison: Comparison) -> dict[tuple[int, int], Bar]:
    """The headline ratios of one table on one axis, by row and column."""
    drawn = {
        (number, place): cell.drawn
        for number, row in enumerate(grid.rows)
        for place, cell in enumerate(row.cells)
        if cell.drawn
    }
    ends = [end for change in drawn.values() for end in _ends(change) or ()]
    farthest = max((max(end, 1 / end) for end in ends if end > 0.0), default=1.0)
    span = min(max(farthest * 1.02, LEAST_SPAN), MOST_SPAN)
    bars = {place: _bar(change, span, comparison.equivalent) for place, change in drawn.items()}
    return {place: bar for place, bar in bars.items() if bar}


def _ends(change: Change) -> tuple[float, float, float] | None:
    """Value and limits of a ratio; none where there is no interval."""
    figure = change.change
    if figure is None or figure.low is None or figure.high is None:
        return None
    return figure.value, figure.low, figure.high


def _bar(change: Change, span: float, margin: float) -> Bar | None:
    if not (ends := _ends(change)):
        return None
    value, low, high = ends

    def at(value: float) -> float:
        if value <= 0.0:
            return 0.0
        return round(min(max((log(value) / log(span) + 1) / 2, 0.0), 1.0) * WIDTH, 1)

    return Bar(at(value), at(low), at(high), at(1.0), at(1 / (1 + margin)), at(1 + margin))
