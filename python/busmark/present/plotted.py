"""Text that gnuplot reads: comments, strings, numbers, data sets."""

from __future__ import annotations

from collections.abc import Iterable
from math import isfinite

from busmark.present.charts.shapes import one_line

Rows = Iterable[Iterable[float | None]]


def comment(text: str, longest: int = 3000) -> str:
    """Return a line that gnuplot skips; a backslash at its end would take the next one along."""
    return f"# {one_line(text, longest).rstrip(chr(92))}\n"


def number(value: float | None) -> str:
    """Return NaN where there is no value."""
    return f"{value:.10g}" if value is not None and isfinite(value) else "NaN"


def rows(lines: Rows) -> str:
    """Return a data set. One without rows would not count, and move the index of those behind it:
    it gets a row of NaN."""
    return "".join(" ".join(map(number, line)) + "\n" for line in lines) or "NaN NaN NaN NaN\n"


def quoted(*lines: str) -> str:
    """Return a string of these lines. Between single quotes gnuplot expands nothing; but a doubled
    quote stands for one only in some places, so that an apostrophe is put between two strings, by
    its number."""
    parts = (one_line(line, 1000).split("'") for line in lines or ("",))
    return '."\\n".'.join('."\\047".'.join(f"'{part}'" for part in line) for line in parts)
