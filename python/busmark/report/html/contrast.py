"""The page of a comparison: no script, nothing loaded from anywhere."""

from __future__ import annotations

from dataclasses import dataclass
from math import log

from busmark import __version__
from busmark.compare.model import Change, Contrast
from busmark.report.contrast import words
from busmark.report.contrast.grids import Grid, environments, every_figure, headlines
from busmark.report.html.templating import asset, environment

WIDTH = 140
"""Of a drawn interval, in units of its drawing."""

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


def render(contrast: Contrast) -> str:
    """The page as text; the same comparison gives the same bytes."""
    return environment().get_template("contrast.html.j2").render(
        contrast=contrast,
        answers=words.answers(contrast),
        method=words.method(contrast),
        gate=words.gate_text(contrast) if contrast.criteria else "",
        outcomes=words.OUTCOMES,
        tables=[(grid, _bars(grid, contrast)) for grid in headlines(contrast)],
        details=[every_figure(contrast, pair) for pair in contrast.pairs],
        pairs=contrast.pairs,
        environments=environments(contrast),
        findings=words.findings(contrast),
        style=asset("style.css"),
        width=WIDTH,
        version=__version__,
    )  # fmt: skip


def _bars(grid: Grid, contrast: Contrast) -> list[Bar | None]:
    """The headline ratios of one table on one axis."""
    ends = [end for change in grid.changes for end in _ends(change) or ()]
    farthest = max((max(end, 1 / end) for end in ends if end > 0.0), default=1.0)
    span = min(max(farthest * 1.02, LEAST_SPAN), MOST_SPAN)
    return [_bar(change, span, contrast.equivalent) for change in grid.changes]


def _ends(change: Change | None) -> tuple[float, float, float] | None:
    """Value and limits of a ratio; none where there is no interval."""
    figure = change.change if change else None
    if figure is None or figure.low is None or figure.high is None:
        return None
    return figure.value, figure.low, figure.high


def _bar(change: Change | None, span: float, margin: float) -> Bar | None:
    if not (ends := _ends(change)):
        return None
    value, low, high = ends

    def at(value: float) -> float:
        if value <= 0.0:
            return 0.0
        return round(min(max((log(value) / log(span) + 1) / 2, 0.0), 1.0) * WIDTH, 1)

    return Bar(at(value), at(low), at(high), at(1.0), at(1 / (1 + margin)), at(1 + margin))
