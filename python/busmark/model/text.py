"""Numbers as people read them: few digits, one unit, the interval beside the value.

Everything that shows a figure (sentences, tables, plots) writes it with these functions, so that
a number looks the same wherever it appears.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from math import floor, isfinite, log10
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    pass

ABSENT = "\N{EM DASH}"
"""Stands for a value that is not there. Never 0."""

THIN = "\N{NARROW NO-BREAK SPACE}"
"""Between groups of thousands, and nowhere else."""

MINUS = "\N{MINUS SIGN}"


@dataclass(frozen=True, slots=True)
class UnitScale:
    """A unit for display: `unit` is its name, `factor` how many base units it holds."""

    unit: str
    factor: float


TIME = (UnitScale("ns", 1.0), UnitScale("µs", 1e3), UnitScale("ms", 1e6), UnitScale("s", 1e9))
"""Scales for nanoseconds."""

RATE = (UnitScale("1/s", 1.0), UnitScale("10³/s", 1e3), UnitScale("10⁶/s", 1e6))
"""Scales for samples per second."""

BYTES = (
    UnitScale("B/s", 1.0),
    UnitScale("kB/s", 1e3),
    UnitScale("MB/s", 1e6),
    UnitScale("GB/s", 1e9),
)
"""Scales for bytes per second, decimal as rates of networks are."""

CPUS = (UnitScale("", 1.0),)
"""CPU time per time has no unit: 1 is one CPU kept busy."""

MBIT = (UnitScale("Mbit/s", 1.0),)
"""Goodput is always in Mbit/s (10⁶ bit/s): it is compared across tables."""

COUNT = (UnitScale("", 1.0),)
"""Numbers of things."""

SIZE = (UnitScale("B", 1.0),)
"""Bytes on the wire are shown to the byte: they are counted."""

MEMORY = (UnitScale("MiB", 1.0),)
"""Memory in RAM."""

SCALES = {
    "ns": TIME,
    "1/s": RATE,
    "Mbit/s": MBIT,
    "B/s": BYTES,
    "CPU": CPUS,
    "B": SIZE,
    "MiB": MEMORY,
    "": COUNT,
}
"""Scales by the unit of a figure; a share is shown in per cent."""


class Interval(Protocol):
    """A value, perhaps with limits."""

    @property
    def value(self) -> float: ...
    @property
    def low(self) -> float | None: ...
    @property
    def high(self) -> float | None: ...


def scale_for(values: Iterable[float | None], scales: Sequence[UnitScale] = TIME) -> UnitScale:
    """Choose the largest scale in which the smallest positive value is still at least 1.

    One column of a table uses one scale; without any value it is the smallest of `scales`.
    """
    positive = [v for v in values if v is not None and isfinite(v) and v > 0]
    chosen = scales[0]
    for scale in scales:
        if positive and min(positive) >= scale.factor * 0.9995:
            chosen = scale
    return chosen


def decimals(value: float, digits: int = 3) -> int:
    """Return the decimal places that show `value` with this many significant digits."""
    if value == 0 or not isfinite(value):
        return 0
    # As rounded: 9.996 is 10.0.
    return max(0, digits - 1 - floor(log10(abs(float(f"{value:.{digits - 1}e}")))))


def number(value: float | None, places: int | None = None) -> str:
    """Format a number with `places` decimals, by default three significant digits (four from 1000).

    Thousands are grouped; an absent value is an em dash.
    """
    if value is None or not isfinite(value):
        return ABSENT
    if places is None:
        places = decimals(value)
    if places == 0 and abs(value) >= 10_000:
        value = round(value, 3 - floor(log10(abs(value))))
    text = f"{abs(value):,.{places}f}".replace(",", THIN)
    return MINUS + text if value < 0 and any(c in "123456789" for c in text) else text


def count(value: int | None) -> str:
    """Format a whole number with all its digits, thousands grouped."""
    return ABSENT if value is None else f"{value:,}".replace(",", THIN)


def amount(value: float | None, unit: str = "") -> str:
    """Format a number without an interval: in this unit or, where that is empty, as a count."""
    if value is None:
        return ABSENT
    if unit == "1":
        return percent_text(value)
    return f"{number(value)} {unit.removeprefix('1')}" if unit else count(int(value))


def places_for(figure: Interval, scale: UnitScale) -> int:
    """Return decimals of a value and its limits: three digits, four if three hide the interval."""
    value = figure.value / scale.factor
    places = decimals(value)
    if figure.low is None or figure.high is None:
        return places
    half = (figure.high - figure.low) / 2 / scale.factor
    return decimals(value, 4) if 0 < half < 10.0**-places else places


def value_text(figure: Interval | None, scale: UnitScale, places: int | None = None) -> str:
    """Format the value alone, without its unit."""
    if figure is None:
        return ABSENT
    places = places_for(figure, scale) if places is None else places
    return number(figure.value / scale.factor, places)


def interval_text(figure: Interval | None, scale: UnitScale, places: int | None = None) -> str:
    """Format the limits in brackets, without a unit; empty where there is no interval."""
    if figure is None or figure.low is None or figure.high is None:
        return ""
    places = places_for(figure, scale) if places is None else places
    low, high = figure.low / scale.factor, figure.high / scale.factor
    return f"[{number(low, places)}, {number(high, places)}]"


def figure_text(figure: Interval | None, scales: Sequence[UnitScale] = TIME) -> str:
    """Format value, interval and unit, as in "5.10 [5.02, 5.19] µs"."""
    if figure is None:
        return ABSENT
    scale = scale_for([abs(figure.value)], scales)
    limits = interval_text(figure, scale)
    return " ".join(part for part in (value_text(figure, scale), limits, scale.unit) if part)


def bounded_text(value: float, bound: float, scales: Sequence[UnitScale] = TIME) -> str:
    """Format a value that may be off by `bound`, with that and no more digits than it leaves:
    "1 000.0000031 ±0.0000078 s"."""
    scale = scale_for([abs(value)], scales)
    value, bound = value / scale.factor, bound / scale.factor
    places = decimals(bound, 2)
    return f"{number(value, places)} \N{PLUS-MINUS SIGN}{number(bound, places)} {scale.unit}"


def as_set(value: float) -> str:
    """Format a number that somebody has set in the form in which it was set: 0.05."""
    return f"{Decimal(f'{value:g}'):f}"


def time_text(value_ns: float | None) -> str:
    """Format a time (ns) without an interval, in a unit of its own."""
    if value_ns is None:
        return ABSENT
    scale = scale_for([abs(value_ns)])
    return f"{number(value_ns / scale.factor)} {scale.unit}"


def size_text(size: int | None) -> str:
    """Format bytes, in KiB, MiB or GiB where that is exact."""
    if size is None:
        return ABSENT
    for unit, factor in (("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)):
        if size >= factor and size % factor == 0:
            return f"{count(size // factor)} {unit}"
    return f"{count(size)} B"


def percent_text(share: float | None) -> str:
    """Format a share of 1 as a percentage: "0 %" only when it is nothing at all, "100 %" only when
    it is all."""
    if share is None:
        return ABSENT
    percent = share * 100
    if percent == 0:
        return "0 %"
    if percent < 0.001:
        return "<0.001 %"
    if 99.999 < percent < 100:
        return ">99.999 %"
    places = min(decimals(percent, 2), 3)
    while percent < 100 and float(f"{percent:.{places}f}") == 100:
        places += 1
    return f"{number(percent, places)} %"


def set_percent_text(share: float) -> str:
    """Return a share that the user or the code has set, as it was set: "2 %"."""
    return f"{as_set(share * 100)} %"


def duration(seconds: float) -> str:
    """Format seconds, such as 45 s, 3 min, 1 h 20 min."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 90 else f"{minutes // 60} h {minutes % 60} min"


def plural(number_of: int, noun: str, many: str | None = None) -> str:
    """Return a number with its noun: "1 round", "5 rounds"."""
    return f"{count(number_of)} {noun if number_of == 1 else many or noun + 's'}"


def samples(number_of: int | None) -> str:
    """Return "5 samples"; None: an imported source does not say."""
    return "an unknown number of samples" if number_of is None else plural(number_of, "sample")


def upper_first(words: str) -> str:
    """Return the words as the start of a heading or a sentence."""
    return words[:1].upper() + words[1:]


def lower_first(sentence: str) -> str:
    """Return a sentence as a part of another, with a small first letter; CPU stays CPU."""
    if sentence[:2].isupper():
        return sentence
    return sentence[:1].lower() + sentence[1:]


def joined(parts: Sequence[str], last: str = "and") -> str:
    """Join parts: "a", "a and b", "a, b and c"."""
    if len(parts) < 2:
        return "".join(parts)
    return f"{', '.join(parts[:-1])} {last} {parts[-1]}"
