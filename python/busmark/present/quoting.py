"""Text as gnuplot and spreadsheets read it.

Names and reasons may come from elsewhere: from an imported file, from a node, from what an adapter
says. A spreadsheet runs a cell that begins with a sign of `BEGIN`, so an apostrophe is put before
it (OWASP, "CSV Injection"). Text that is a number as a whole is not changed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from math import isfinite
from typing import TypeVar

import polars as pl

from busmark.present.charts.shapes import one_line

Frame = TypeVar("Frame", pl.DataFrame, pl.LazyFrame)

GUARD = "'"
BEGIN = r"\A[=+\-@\t\r\n]"
NUMBER = r"\A[+-]?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?\z"


def guarded(text: str) -> str:
    """Guard the text of one cell."""
    number = re.fullmatch(NUMBER.removesuffix(r"\z"), text)
    return GUARD + text if re.match(BEGIN, text) and not number else text


def guarded_frame(frame: Frame) -> Frame:
    """Guard all text of a frame, and the names of its columns."""
    text = pl.col(pl.String)
    risky = text.str.contains(BEGIN) & ~text.str.contains(NUMBER)
    safe = frame.with_columns(pl.when(risky).then(pl.lit(GUARD) + text).otherwise(text).name.keep())
    names = safe.collect_schema().names()
    return safe.rename({name: guarded(name) for name in names})


Rows = Iterable[Iterable[float | None]]


def comment(text: str, longest: int = 3000) -> str:
    """Return a line that gnuplot skips; a backslash at its end would take the next one along."""
    return f"# {one_line(text, longest).rstrip(chr(92))}\n"


def number(value: float | None) -> str:
    """Return a number for gnuplot; NaN where there is no value."""
    return f"{value:.10g}" if value is not None and isfinite(value) else "NaN"


def rows(lines: Rows) -> str:
    """Return a data set for gnuplot. One without rows would not count, and move the index of those
    behind it: it gets a row of NaN."""
    return "".join(" ".join(map(number, line)) + "\n" for line in lines) or "NaN NaN NaN NaN\n"


def quoted(*lines: str) -> str:
    """Return a string of these lines. Between single quotes gnuplot expands nothing; but a doubled
    quote stands for one only in some places, so that an apostrophe is put between two strings, by
    its number."""
    parts = (one_line(line, 1000).split("'") for line in lines or ("",))
    return '."\\n".'.join('."\\047".'.join(f"'{part}'" for part in line) for line in parts)
