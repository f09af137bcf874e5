"""Texts, numbers and arrays in the language of gnuplot."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import isfinite
from textwrap import wrap

from busmark.report.drawing.texts import one_line

ABSENT = "NaN"

WIDTH = 96
"""Characters that find room above a plot."""

MOST = 1000
"""Longest text of several lines."""

BACKSLASH = "\\"
APOSTROPHE = r'."\047".'


def quoted(text: str, longest: int = 200) -> str:
    """A string. Between single quotes gnuplot expands nothing; but a doubled quote stands for one
    only in some places, so that an apostrophe is put between two strings, by its number."""
    return APOSTROPHE.join(f"'{part}'" for part in one_line(text, longest).split("'"))


def comment(text: str, longest: int = 400) -> str:
    """A line that gnuplot skips; a backslash at its end would take the next one along."""
    return f"# {one_line(text, longest).rstrip(BACKSLASH)}\n"


def number(value: float | None, digits: int = 10) -> str:
    """NaN where there is none."""
    return ABSENT if value is None or not isfinite(value) else f"{value:.{digits}g}"


def assign(name: str, value: str | float | None) -> str:
    """A variable."""
    return f"{name} = {quoted(value) if isinstance(value, str) else number(value)}\n"


def lines(name: str, text: str) -> str:
    """A variable with a text of several lines."""
    parts = wrap(one_line(text, MOST), WIDTH) or [""]
    joint = '."\\n".'
    return f"{name} = {joint.join(map(quoted, parts))}\n"


def array(name: str, values: Sequence[str | float | None]) -> str:
    """An array; gnuplot has no empty one, so that it gets one element that is not there."""
    told = [quoted(v) if isinstance(v, str) else number(v) for v in values]
    return f"array {name}[{max(1, len(told))}] = [{', '.join(told or [ABSENT])}]\n"


def rows(lines: Iterable[Iterable[float | None]]) -> str:
    """A data set. One without rows would not count, and move the index of those behind it: it gets
    a row of NaN."""
    told = "".join(" ".join(map(number, line)) + "\n" for line in lines)
    return told or f"{' '.join([ABSENT] * 3)}\n"
