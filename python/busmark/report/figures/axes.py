"""Axes with units and readable ticks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from math import ceil, floor, log10

from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.ticker import (
    FixedLocator,
    FuncFormatter,
    LogLocator,
    MaxNLocator,
    NullFormatter,
    NullLocator,
)

from busmark.analysis.text import number, size_text
from busmark.report.drawing import look

MARGIN = 1.12
"""Room at both ends of a logarithmic axis, as a factor."""

HEADROOM = 1.06
"""Room above the largest value of an axis that begins at 0, as a factor."""

FEW_LABELS = 4000.0
"""Up to this ratio of its ends a logarithmic axis is labelled at 1 and 3 of each decade."""


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
    positive = [v for v in values if v > 0]
    if not positive:
        grouped(axis)
        return None
    return min(positive) / MARGIN, max(positive) * MARGIN


def _ticks(axis: Axis, ends: tuple[float, float]) -> None:
    axis.set_minor_formatter(NullFormatter())
    within = look.log_ticks(ends)
    if within:
        shown = [at for at, _ in within if ends[0] <= at <= ends[1]]
        # Between ends that are so near, a logarithmic axis is as good as linear.
        few = len(shown) < 2
        axis.set_major_locator(MaxNLocator(4) if few else FixedLocator(shown))
        axis.set_minor_locator(NullLocator())
    else:
        few = ends[1] / ends[0] < FEW_LABELS
        axis.set_major_locator(LogLocator(subs=(1.0, 3.0) if few else (1.0,), numticks=9))
    axis.set_major_formatter(FuncFormatter(lambda at, _: look.plain(round(at, 9))))


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
    axis.set_major_formatter(FuncFormatter(lambda at, _: look.plain(at) if at else "0"))


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


def sizes_x(axes: Axes, sizes: Sequence[int], *, log: bool = True) -> None:
    """The sizes in use; on a linear axis no ticks that would touch."""
    known = sorted(set(sizes))
    axes.set_xlabel("size of the body")
    if log:
        axes.set_xscale("log")
        places = [look.at_size(size) for size in known]
        axes.set_xlim(places[0] / 1.3, places[-1] * 1.3)
        shown = _apart(places, known, lambda a, b: b / a >= 1.6)
    else:
        places = [float(size) for size in known]
        axes.set_xlim(-0.02 * places[-1], places[-1] * 1.05)
        shown = _apart(places, known, lambda a, b: b - a >= places[-1] / 6)
    axes.xaxis.set_major_locator(FixedLocator([at for at, _ in shown]))
    axes.xaxis.set_minor_locator(NullLocator())
    names = {at: size_text(size) for at, size in shown}
    axes.xaxis.set_major_formatter(FuncFormatter(lambda at, _: names.get(at, "")))
    if log and len(shown) > 5:
        axes.tick_params(axis="x", labelrotation=40)


def _apart(
    places: Sequence[float], known: Sequence[int], enough: Callable[[float, float], bool]
) -> list[tuple[float, int]]:
    """Places and sizes, from the largest down, of those far enough from the one before."""
    kept: list[tuple[float, int]] = []
    for at, size in reversed(list(zip(places, known, strict=True))):
        if not kept or enough(at, kept[-1][0]):
            kept.append((at, size))
    return kept[::-1]


def percentiles_x(axes: Axes, end: float) -> None:
    """From the fastest to the rarest sample: each step is ten times rarer."""
    ticks = [p for p in look.PERCENT_TICKS if look.at_percent(p) <= end]
    axes.set_xlabel("percent of samples that are faster")
    axes.set_xlim(0, max(end, 1.0) * 1.02)
    axes.xaxis.set_major_locator(FixedLocator([look.at_percent(p) for p in ticks]))
    names = {round(look.at_percent(p), 6): f"{p:.10g}" for p in ticks}
    axes.xaxis.set_major_formatter(FuncFormatter(lambda at, _: names.get(round(at, 6), "")))
