"""Charts of curves on paper: what `drawing.charts` has as data, drawn by matplotlib."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from busmark.report.drawing import look
from busmark.report.drawing import picture as data
from busmark.report.figures import axes as ax
from busmark.report.figures import theme
from busmark.report.figures.kind import Drawing, Kind, Source
from busmark.report.figures.sheet import Sheet, grid, wrap_y
from busmark.report.figures.sheet import place as name_plot

CELL_MM = 50.0
"""Height of a plot of one curve."""

FEW = 200
"""Dots that are drawn larger."""

Heights = dict[float, float]
"""Up to where areas reach, by their places."""


def drawings(chart: data.Chart, source: Source, kind: Kind) -> Iterator[Drawing]:
    """All of this kind."""
    for picture, findings in source.drawn(chart):
        if picture.as_bars:
            continue
        sheet = _apart(picture) if picture.apart else _whole(picture)
        yield source.drawing(kind, picture, sheet, findings)


def _whole(picture: data.Picture) -> Sheet:
    """All curves in one plot, and where that is wanted on linear axes, too."""
    two = picture.also_linear
    sheet = Sheet(theme.TWO_COLUMNS_MM if two else theme.ONE_COLUMN_MM, 62 if two else 58)
    first, *second = sheet.axes(1, 2 if two else 1)
    plot(picture, sheet, first)
    if second:
        plot(picture, sheet, second[0], linear=True)
        name_plot(first, "(a) logarithmic")
        name_plot(second[0], "(b) linear")
    return sheet


def _apart(picture: data.Picture) -> Sheet:
    """A plot for each curve, which reaches as far as the curve does."""
    sheet, cells = grid([curve.name for curve in picture.curves], CELL_MM)
    for axes, curve in zip(cells, picture.curves, strict=True):
        plot(replace(picture, curves=[replace(curve, name="")], references=()), sheet, axes)
        ends = axes.get_xlim(), axes.get_ylim()
        references(picture.references, sheet, axes)
        axes.set(xlim=ends[0], ylim=ends[1])
        axes.xaxis.set_major_locator(MaxNLocator(4))
        wrap_y(axes, CELL_MM)
    return sheet


def plot(picture: data.OnAxes, sheet: Sheet, axes: Axes, *, linear: bool = False) -> None:
    """Curves and axes; `linear`: linear ones, whatever its own are."""
    heights: Heights = {}
    for curve in picture.curves:
        _curve(curve, sheet, axes, _place(picture.x, linear=linear), heights)
    references(picture.references, sheet, axes)
    values = picture.y.middle or picture.reach()
    if picture.x.kind == "sizes":
        ax.sizes_x(axes, picture.sizes(), log=not linear)
    elif picture.x.kind == "percent":
        end = max(map(look.at_percent, picture.places()), default=1.0)
        ax.percentiles_x(axes, picture.x.title, end)
    elif picture.x.kind == "log" and not linear:
        ax.log_x(axes, picture.x.title, picture.x.middle or picture.places())
    elif picture.x.kind == "signed":
        ax.signed_x(axes, picture.x.title, picture.places())
    else:
        ax.linear_x(axes, picture.x.title, from_zero=picture.x.from_zero)
        if picture.cut():
            ax.fit_x(axes, picture.places())
    if picture.y.kind == "log" and not linear:
        ax.log_y(axes, picture.y.title, values)
    elif picture.y.kind == "signed":
        ax.signed_y(axes, picture.y.title, picture.values())
    else:
        zero = picture.y.from_zero or picture.y.kind == "log"
        ax.linear_y(axes, picture.y.title, from_zero=zero)
    if picture.x.ends:
        axes.set_xlim(*picture.x.ends)
    if picture.y.ends:
        axes.set_ylim(*picture.y.ends)


def _place(axis: data.Axis, *, linear: bool) -> Callable[[float], float]:
    """Place of a value on this axis."""
    if axis.kind == "percent":
        return look.at_percent
    return look.at_size if axis.kind == "sizes" and not linear else float


def references(lines: Sequence[data.Reference], sheet: Sheet, axes: Axes) -> None:
    """Grey lines, and their entries of the legend."""
    for line in lines:
        x, y = zip(*line.ends, strict=True)
        look_of = theme.REFERENCE | {"linestyle": theme.DASHES[line.dash]}
        (drawn,) = axes.plot(x, y, zorder=1, **look_of)
        if line.name:
            sheet.entry(line.name, drawn)


def _curve(
    curve: data.Curve, sheet: Sheet, axes: Axes, place: Callable[[float], float], heights: Heights
) -> None:
    x = [place(p.x) for p in curve.points]
    y = [p.y for p in curve.points]
    area = _area(curve, axes, x, y, heights) if curve.fill else None
    drawn = area if curve.stacked else _line(curve, axes, x, y)
    if curve.name and not curve.thin:
        sheet.entry(curve.name, drawn)


def _area(
    curve: data.Curve, axes: Axes, x: Sequence[float], y: Sequence[float], heights: Heights
) -> Any:
    """Below the curve; `heights`: up to where those before it reach."""
    below = [heights.get(at, 0.0) if curve.stacked else 0.0 for at in x]
    top = [a + b for a, b in zip(below, y, strict=True)]
    if curve.stacked:
        heights.update(zip(x, top, strict=True))
    return axes.fill_between(
        x, below, top, step="post" if curve.steps else None, color=look.colour(curve.label),
        alpha=curve.fill, linewidth=0,
    )  # fmt: skip


def _line(curve: data.Curve, axes: Axes, x: Sequence[float], y: Sequence[float]) -> Any:
    style = theme.points(curve.label) if curve.marks else theme.line(curve.label)
    if curve.dash:
        style["linestyle"] = theme.DASHES[curve.dash]
    if not curve.line:
        style["linestyle"] = "none"
    if curve.hollow:
        style["markerfacecolor"] = "white"
    if curve.thin:
        style["linewidth"] = 0.7
    elif curve.line and len(curve.points) == 1:
        style |= theme.points(curve.label)
    if curve.steps:
        style["drawstyle"] = "steps-post"
    if curve.dots:
        few = len(x) <= FEW
        style |= {"marker": ".", "markersize": 4.0 if few else 1.6, "markeredgewidth": 0}
        style["rasterized"] = True
    if all(p.low is None for p in curve.points):
        return axes.plot(x, y, **style)[0]
    low = [0.0 if p.low is None else p.y - p.low for p in curve.points]
    high = [0.0 if p.high is None else p.high - p.y for p in curve.points]
    return axes.errorbar(
        x, y, yerr=[low, high], capsize=1.8, elinewidth=0.8, capthick=0.8,
        zorder=2 if look.is_null(curve.label) else 3, **style,
    ).lines[0]  # fmt: skip
