"""Figures as evidence shows them: three significant digits, a unit, thousands grouped as in the
tables of reports."""

from __future__ import annotations

from collections.abc import Sequence
from math import floor, log10

THIN = "\N{NARROW NO-BREAK SPACE}"
"""Between groups of thousands."""

TIME_UNITS = ((1e9, "s"), (1e6, "ms"), (1e3, "µs"), (1.0, "ns"))
SIZE_UNITS = ((1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB"))
NAMED = 3
"""Items named in a list before it is cut short."""


def number(value: float) -> str:
    """Three significant digits, all digits from 100 up: 0.0123, 9.41, 88.0, 12 300."""
    if value == 0.0:
        return "0"
    places = min(6, max(0, 2 - floor(log10(abs(value)))))
    return f"{value:,.{places}f}".replace(",", THIN)


def whole(value: float) -> str:
    """A number without decimals, thousands grouped."""
    return f"{value:,.0f}".replace(",", THIN)


def duration(nanoseconds: float) -> str:
    """88.2 ms."""
    for factor, unit in TIME_UNITS:
        if abs(nanoseconds) >= factor:
            return f"{number(nanoseconds / factor)} {unit}"
    return f"{number(nanoseconds)} ns"


def size(octets: float) -> str:
    """208 KiB; without decimals where it is a whole number of the unit."""
    for factor, unit in SIZE_UNITS:
        if octets >= factor:
            exact = octets % factor == 0
            return f"{whole(octets // factor) if exact else number(octets / factor)} {unit}"
    return f"{whole(octets)} B"


def share(fraction: float) -> str:
    """1.80 %, and no decimals where there are none: 100 %."""
    percent = 100.0 * fraction
    return f"{whole(percent) if percent == round(percent) else number(percent)} %"


def p_value(p: float, digits: int = 1) -> str:
    """Return "p = 0.002"; "p < 0.0001" where it is less."""
    return f"p = {p:.{digits}g}" if p >= 1e-4 else "p < 0.0001"


def count(items: int, noun: str) -> str:
    """1 round; 2 rounds."""
    return f"{whole(items)} {noun}{'' if items == 1 else 's'}"


def listed(items: Sequence[object]) -> str:
    """The first few, and how many more there are."""
    shown = ", ".join(str(item) for item in items[:NAMED])
    more = len(items) - NAMED
    return f"{shown} and {more} more" if more > 0 else shown
