"""Axes with units and readable ticks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import ceil, floor, log10

from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.ticker import (
    FixedLocator,
    FuncFormatter,
    NullLocator,
)

from busmark.analysis.words.text import number
from busmark.report.drawing import look, ticks
from busmark.report.drawing.ticks import plain

HEADROOM = 1.06
"""Room above the largest value of an axis that begins at 0, as a factor."""


def log_y(axes: Axes, unit: str, values: Iterable[float]) -> None:
    """A vertical axis that is logarithmic where something positive is drawn."""
    axes.set_ylabel(unit)
    ends = _log(axes.yaxis, values)
    if ends:
        axes.set_yscale("log")
        axes.set_ylim(*ends)
        _ticks(axes.yaxis, ends)


def log_x(axes: Axes, unit: str, values: Iterable[float]) -> None:
    """The same, horizontal."""
    axes.set_xlabel(unit)
    ends = _log(axes.xaxis, values)
    if ends:
        axes.set_xscale("log")
        axes.set_xlim(*ends)
        _ticks(axes.xaxis, ends)


def _log(axis: Axis, values: Iterable[float]) -> tuple[float, float] | None:
    ends = ticks.log_ends(list(values))
    if ends is None:
        grouped(axis)
    return ends


def _ticks(axis: Axis, ends: tuple[float, float]) -> None:
    _mark(axis, ticks.log_ticks(*ends))


def _mark(axis: Axis, marks: Sequence[ticks.Tick]) -> None:
    """Ticks here and nowhere else."""
    axis.set_major_locator(FixedLocator([at for at, _ in marks]))
    axis.set_minor_locator(NullLocator())
    names = dict(marks)
    axis.set_major_formatter(FuncFormatter(lambda at, _: names.get(at, "")))


def signed_y(axes: Axes, unit: str, values: Sequence[float]) -> None:
    """A vertical axis for both signs: logarithmic outwards, linear around 0 where most values
    are."""
    axes.set_ylabel(unit)
    ticks = _signed(values)
    if ticks:
        axes.set_yscale("symlog", linthresh=ticks[0], linscale=0.6)
        _mirror(axes.yaxis, ticks)
        axes.set_ylim(-ticks[-1] * 1.3, ticks[-1] * 1.3)
    else:
        grouped(axes.yaxis)


def signed_x(axes: Axes, unit: str, values: Sequence[float]) -> None:
    """The same, horizontal."""
    axes.set_xlabel(unit)
    ticks = _signed(values)
    if ticks:
        axes.set_xscale("symlog", linthresh=ticks[0], linscale=0.6)
        _mirror(axes.xaxis, ticks)
        axes.set_xlim(-ticks[-1] * 1.3, ticks[-1] * 1.3)
    else:
        grouped(axes.xaxis)


def _signed(values: Sequence[float]) -> list[float]:
    """Powers of ten from the middle magnitude to beyond the largest."""
    magnitudes = sorted(abs(v) for v in values if v)
    if not magnitudes:
        return []
    low = floor(log10(magnitudes[len(magnitudes) // 2]))
    high = max(ceil(log10(magnitudes[-1])), low + 1)
    return [10.0**power for power in range(low, high + 1)]


def _mirror(axis: Axis, ticks: Sequence[float]) -> None:
    shown = ticks[:: -max(1, ceil(len(ticks) / 4))][::-1]
    axis.set_major_locator(FixedLocator([*(-t for t in reversed(shown)), 0.0, *shown]))
    axis.set_minor_locator(NullLocator())
    axis.set_major_formatter(FuncFormatter(lambda at, _: plain(at) if at else "0"))


def grouped(axis: Axis) -> None:
    """A linear axis: numbers in full, thousands apart."""
    axis.set_major_formatter(FuncFormatter(lambda at, _: _linear(at)))


def _linear(at: float) -> str:
    return number(round(at, 9), 0) if abs(at) >= 100 or at == 0 else _trimmed(at)


def _trimmed(at: float) -> str:
    told = number(round(at, 9), 6)
    return told.rstrip("0").rstrip(".") if "." in told else told


def linear_y(axes: Axes, unit: str, *, from_zero: bool = False) -> None:
    """A vertical axis that is linear."""
    axes.set_ylabel(unit)
    grouped(axes.yaxis)
    if from_zero:
        axes.set_ylim(0, axes.dataLim.y1 * HEADROOM or 1)


def linear_x(axes: Axes, unit: str, *, from_zero: bool = False) -> None:
    """The same, horizontal."""
    axes.set_xlabel(unit)
    grouped(axes.xaxis)
    if from_zero:
        axes.set_xlim(0, axes.dataLim.x1 * HEADROOM or 1)


def fit_x(axes: Axes, places: Sequence[float]) -> None:
    """Ends a linear axis with these places, whatever else is drawn."""
    room = 0.04 * (max(places) - min(places)) or 0.05 * abs(places[0]) or 1.0
    axes.set_xlim(min(places) - room, max(places) + room)


def sizes_x(axes: Axes, sizes: Sequence[int], *, log: bool = True) -> None:
    """Powers of two."""
    axes.set_xlabel("size of the body")
    if log:
        places = [look.at_size(size) for size in sizes]
        axes.set_xscale("log")
        axes.set_xlim(min(places) / 1.3, max(places) * 1.3)
        marks = ticks.size_ticks(sizes)
    else:
        largest = max(sizes)
        axes.set_xlim(-0.02 * largest, largest * 1.05)
        marks = ticks.linear_size_ticks(largest)
    _mark(axes.xaxis, marks)
    if log and len(marks) > 5:
        axes.tick_params(axis="x", labelrotation=40)


def percentiles_x(axes: Axes, title: str, end: float) -> None:
    """From the fastest to the rarest sample: each step is ten times rarer."""
    ticks = [p for p in look.PERCENT_TICKS if look.at_percent(p) <= end]
    axes.set_xlabel(title)
    axes.set_xlim(0, max(end, 1.0) * 1.02)
    axes.xaxis.set_major_locator(FixedLocator([look.at_percent(p) for p in ticks]))
    names = {round(look.at_percent(p), 6): f"{p:.10g}" for p in ticks}
    axes.xaxis.set_major_formatter(FuncFormatter(lambda at, _: names.get(round(at, 6), "")))
