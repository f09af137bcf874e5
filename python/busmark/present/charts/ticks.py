"""Where axes reach and have their ticks, and how these are written: the same on the page, on paper
and in gnuplot."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import ceil, floor, log, log2, log10

from busmark.model.text import number, size_text
from busmark.present.charts.look import PERCENT_TICKS, at_percent, at_size
from busmark.present.charts.shapes import Axis, Kind, Plot

Tick = tuple[float, str]

ENOUGH, MOST = 4, 9
"""Ticks of a logarithmic axis."""

STEPS = ((1.0,), (1.0, 3.0), (1.0, 2.0, 5.0), (1.0, 1.5, 2.0, 3.0, 5.0, 7.0))
"""Within a decade: the first of these that gives enough."""

MOST_SIZES = 8
"""Ticks of an axis of sizes."""

APART = 1.6
"""Ratio of sizes whose names do not touch."""

MARGIN = 1.12
"""Room at both ends of a logarithmic axis, as a factor."""

HEADROOM = 1.06
"""Room above the largest value of an axis that begins at 0, as a factor."""


@dataclass(frozen=True, slots=True)
class AxisScale:
    """Scale of an axis: how far it reaches, and its ticks."""

    kind: Kind
    ends: tuple[float, float]
    ticks: Sequence[Tick] = ()
    """Ticks; none on a linear axis that each form may divide by itself."""
    step: float = 1.0
    """Value at which a signed axis stops being linear."""

    def place(self, value: float) -> float:
        """Return where a value is on it, in the unit of its ends."""
        if self.kind == "percent":
            return at_percent(value)
        return at_size(value) if self.kind == "sizes" else float(value)

    def share(self, place: float) -> float:
        """Return where a place is between the ends, about 0 to 1."""
        low, high, place = map(self._drawn, (*self.ends, place))
        return (place - low) / (high - low)

    def _drawn(self, place: float) -> float:
        if self.kind == "signed":
            size = log(1 + abs(place) / self.step)
            return size if place > 0 else -size
        return log(max(place, self.ends[0])) if self.kind in ("log", "sizes") else place

    def beyond(self, place: float) -> int:
        """Return -1 below the axis, 1 above it, and 0 on it."""
        low, high = self.ends
        return (place > high) - (place < low)


def scale(axis: Axis, values: Sequence[float], *, linear: bool = False) -> AxisScale:
    """Return the scale that reaches these values; `linear`: a linear one, whatever its kind."""
    if axis.kind == "sizes":
        linear = linear or not values
        ends, ticks = size_axis([*map(int, values)], linear=linear)
        return AxisScale("linear" if linear else "sizes", ends, ticks)
    if axis.kind == "percent":
        end, ticks = percent_axis(values)
        return AxisScale("percent", (0, end), ticks)
    if axis.kind == "signed" and any(values):
        step, marks = signed_ticks(values)
        end = 1.3 * marks[-1]
        return AxisScale("signed", (-end, end), [(mark, plain(mark)) for mark in marks], step)
    wanted = axis.kind == "log" and not linear
    if wanted and (reach := axis.ends or log_ends(axis.middle or values)):
        return AxisScale("log", reach, log_ticks(*reach))
    if axis.ends:
        return AxisScale("linear", axis.ends, axis.names)
    if axis.from_zero or axis.kind == "log":
        return AxisScale("linear", from_zero(values), axis.names)
    return AxisScale("linear", axis.middle or around(values), axis.names)


def scales(plot: Plot, *, linear: bool = False) -> tuple[AxisScale, AxisScale]:
    """Return the scales of x and y on which all curves are."""
    places = plot.sizes() if plot.x.kind == "sizes" else plot.places()
    # A logarithmic axis has room for intervals, however wide.
    reach = plot.reach(whole=plot.y.kind == "log" and not linear)
    return scale(plot.x, places, linear=linear), scale(plot.y, reach, linear=linear)


def around(values: Sequence[float]) -> tuple[float, float]:
    """Return the ends of a linear axis on which all of these are."""
    low, high = min(values, default=0.0), max(values, default=1.0)
    room = 0.04 * (high - low) or 0.05 * abs(high) or 1.0
    return low - room, high + room


def from_zero(values: Sequence[float]) -> tuple[float, float]:
    """Return the ends of a linear axis on which all of these and 0 are."""
    return min(0.0, *values, 0.0), max(*values, 0.0, 0.0) * HEADROOM or 1.0


def signed_ticks(values: Sequence[float]) -> tuple[float, list[float]]:
    """Return where an axis of both signs stops being linear, as most values are there, and its
    ticks."""
    magnitudes = sorted(abs(value) for value in values if value)
    first = floor(log10(magnitudes[len(magnitudes) // 2]))
    last = max(ceil(log10(magnitudes[-1])), first + 1)
    powers = [10.0**power for power in range(first, last + 1)]
    shown = powers[:: -ceil(len(powers) / 4)][::-1]
    return powers[0], [*(-each for each in reversed(shown)), 0.0, *shown]


def log_ends(values: Sequence[float]) -> tuple[float, float] | None:
    """Return ends of a logarithmic axis on which these are seen; None where none is positive."""
    positive = [value for value in values if value > 0]
    return (min(positive) / MARGIN, max(positive) * MARGIN) if positive else None


def log_ticks(low: float, high: float) -> list[Tick]:
    """Return ticks between the ends of a logarithmic axis: two at least, whatever the ends."""
    first, last = floor(log10(low)), ceil(log10(high))
    found: list[float] = []
    for steps in STEPS:
        within = [step * 10.0**power for power in range(first, last + 1) for step in steps]
        found = [at for at in within if low <= at <= high]
        if len(found) >= ENOUGH:
            break
    if len(found) < ENOUGH:
        found = even(low, high)
    every = ceil(len(found) / MOST)
    return [(at, plain(at)) for at in found[::every]]


def even(low: float, high: float, fewest: int = ENOUGH - 1) -> list[float]:
    """Return multiples of 1, 2 or 5 times a power of ten, on a linear axis or on one that is as
    good as linear; both ends where that gives too few."""
    power = floor(log10(high - low)) if high > low else 0
    for step in (
        5 * 10.0**power,
        2 * 10.0**power,
        10.0**power,
        5 * 10.0 ** (power - 1),
        2 * 10.0 ** (power - 1),
        10.0 ** (power - 1),
    ):
        found = [n * step for n in range(ceil(low / step), floor(high / step) + 1)]
        if len(found) >= fewest:
            return found
    return [low, high]


def size_ticks(sizes: Sequence[int]) -> list[Tick]:
    """Return ticks of a logarithmic axis of sizes: powers of two, or the sizes in use if all of
    them are and they are few."""
    known = sorted(set(sizes))
    positive = [size for size in known if size]
    text = [(at_size(0), size_text(0))] if 0 in known else []
    if not positive:
        return text
    apart = all(b / a >= APART for a, b in pairwise(positive))
    if apart and len(positive) <= MOST_SIZES and not any(size & (size - 1) for size in positive):
        return text + [(float(size), size_text(size)) for size in positive]
    low, high = ceil(log2(positive[0])), floor(log2(positive[-1]))
    every = max(1, ceil((high - low + 1) / MOST_SIZES))
    # 1 KiB is one of them, however far apart they are.
    powers = [power for power in range(low, high + 1) if (power - 10) % every == 0]
    if len(powers) < 2:
        return text + [
            (float(size), size_text(size)) for size in dict.fromkeys((positive[0], positive[-1]))
        ]
    return text + [(2.0**power, size_text(2**power)) for power in powers]


def size_axis(sizes: Sequence[int], *, linear: bool) -> tuple[tuple[float, float], list[Tick]]:
    """Return the ends and the ticks of an axis of sizes; a linear one has ticks at multiples of a
    power of two."""
    if not linear:
        places = [*map(at_size, sizes)]
        return (min(places) / 1.3, max(places) * 1.3), size_ticks(sizes)
    largest = max(sizes, default=0)
    step = 2 ** max(0, ceil(log2(largest / 6))) if largest > 0 else 1
    marks = [(float(at), size_text(at)) for at in range(0, largest + 1, step)]
    return (-0.02 * largest, 1.05 * largest or 1.0), marks


def percent_axis(values: Sequence[float]) -> tuple[float, list[Tick]]:
    """Return the end and the ticks of an axis from the fastest to the rarest sample."""
    end = max([1.0, *map(at_percent, values)]) * 1.02
    marks = [(at_percent(percent), f"{percent:.10g}") for percent in PERCENT_TICKS]
    return end, [mark for mark in marks if mark[0] <= end]


def plain(mark: float) -> str:
    """Write a tick's number in full, without zeros at its end."""
    text = number(float(f"{mark:.9g}"), 9)
    return text.rstrip("0").rstrip(".") if "." in text else text
