"""Values in narrow cells. What is not known is a dash, never 0."""

from __future__ import annotations

import time
from collections.abc import Sequence

ABSENT = "—"
BLOCKS = "▁▂▃▄▅▆▇█"
LEAST_SPAN = 0.25
"""Least height of a sparkline, as a share of the highest value."""
US = 1e3


def value(number: float | None) -> str:
    """Format a number, three significant digits or more from 0.1 on, thousands in groups."""
    if number is None:
        return ABSENT
    size = abs(number)
    places = 0 if size >= 1000 or size == 0 else 1 if size >= 100 else 2 if size >= 1 else 3
    return f"{number:,.{places}f}"


def us(ns: float | None) -> str:
    """Format nanoseconds in µs."""
    return value(None if ns is None else ns / US)


def count(number: int | None) -> str:
    """Format a number with all its digits."""
    return ABSENT if number is None else f"{number:,}"


def plural(number: int, noun: str) -> str:
    """Return number and noun, such as `1 writer`, `2 writers`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def percent(share: float | None) -> str:
    """Format a share of 1 in percent; "0 %" only where it is nothing at all."""
    if share is None:
        return ABSENT
    if share == 0:
        return "0 %"
    if share < 0.001:
        return "<0.1 %"
    return f"{100 * share:.0f} %" if share >= 0.0995 else f"{100 * share:.1f} %"


def clock(ns: int | None) -> str:
    """Return the local time of day of a moment, ns since 1970."""
    if not ns:
        return ABSENT
    try:
        return time.strftime("%H:%M:%S", time.localtime(ns / 1e9))
    except (OverflowError, ValueError, OSError):
        return ABSENT


def sparkline(values: Sequence[float], width: int) -> str:
    """Draw a block for each of the last values, from the lowest to the highest; values that vary
    little make a flat line."""
    shown = list(values)[-width:] if width > 0 else []
    low, high = min(shown, default=0.0), max(shown, default=0.0)
    span = max(high - low, LEAST_SPAN * high)
    steps = (round((each - low) / span * (len(BLOCKS) - 1)) if span > 0 else 0 for each in shown)
    return "".join(BLOCKS[step] for step in steps).rjust(max(0, width))


def bars(counts: Sequence[int], height: int) -> list[str]:
    """Draw bars of this height, from the top line to the bottom one; no count above 0 is empty."""
    most = max(counts, default=0)
    eighths = [
        0 if not each or not most else max(1, round(each / most * height * 8)) for each in counts
    ]
    lines = []
    for line in range(height - 1, -1, -1):
        rest = [min(8, max(0, full - 8 * line)) for full in eighths]
        lines.append("".join(" " if not full else BLOCKS[full - 1] for full in rest))
    return lines
