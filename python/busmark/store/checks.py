"""Whether the values of a table can be: by column, once, when the table is read."""

from __future__ import annotations

import math
from functools import cache

import polars as pl

from busmark.store.columns import TABLES
from busmark.store.limits import CHOICES, REQUIRED, SPAN_NS, STAMPS, TEXT, bounds_of

NAMED = 3
"""Rows that a sentence names one by one."""

_OF_CAPACITY = (pl.col("test") == "capacity") & (pl.col("status") != "failed")

TOGETHER = (
    ("rate_hz", ~_OF_CAPACITY | pl.col("shortfall").is_null() | pl.col("rate_hz").is_not_null()),
    ("expected", ~_OF_CAPACITY | pl.col("sent").is_null() | pl.col("expected").is_not_null()),
    ("lost", ~_OF_CAPACITY | pl.col("expected").is_null() | pl.col("lost").is_not_null()),
    (
        "sustained_hz",
        pl.col("sustained_hz").is_null()
        | (pl.col("bracket_low_hz").is_not_null() & pl.col("bracket_high_hz").is_not_null()),
    ),
    ("order", (pl.col("test") != "capacity") | pl.col("order").is_not_null()),
    (
        "statistic_variance",
        pl.col("statistic_value").is_null() | pl.col("statistic_variance").is_not_null(),
    ),
)
"""Columns of the table `cases` that need others, and when they have them."""
_TOGETHER = pl.all_horizontal(test.fill_null(value=True).all() for _, test in TOGETHER)


def damage(table: str, frame: pl.DataFrame) -> str | None:
    """The first thing in a frame that cannot be; None if there is none."""
    for name in _unsound(table, frame):
        row = frame.select((~can_be(table, name)).arg_true().first()).item()
        return f"column {name}, row {row}: {shown(frame[name][row])} cannot be"
    return _spread(frame)


@cache
def can_be(table: str, name: str) -> pl.Expr:
    """Whether a value of this column can be."""
    column, test = pl.col(name), pl.lit(value=True)
    if limits := bounds_of(table).get(name):
        # NaN is not between any two numbers.
        test = column.is_null() | column.is_between(*limits)
    if name in _texts(table):
        test = column.is_null() | (column.str.len_bytes() <= TEXT)
    if name in REQUIRED.get(table, ()):
        test &= column.is_not_null()
    if table == "cases" and name in CHOICES:
        test &= column.is_null() | column.is_in(CHOICES[name])
    return test


def _unsound(table: str, frame: pl.DataFrame) -> list[str]:
    """Columns with a value that does not pass `can_be`. They are found by the extremes of each,
    which takes a tenth of the time of an expression for each value."""
    found = []
    present = set(frame.columns)
    required, choices = REQUIRED.get(table, ()), CHOICES if table == "cases" else {}
    for name in checked(table):
        if name not in present:
            continue
        column = frame[name]
        limits = bounds_of(table).get(name)
        if (
            (limits is not None and not _within(column, *limits))
            or (name in _texts(table) and not _short(column))
            or (name in required and column.null_count())
            or (name in choices and not _chosen(column, name))
        ):
            found.append(name)
    return found


@cache
def checked(table: str) -> tuple[str, ...]:
    """Columns of which not every value can be."""
    choices = CHOICES if table == "cases" else {}
    found = (*bounds_of(table), *_texts(table), *REQUIRED.get(table, ()), *choices)
    return tuple(dict.fromkeys(found))


def _within(column: pl.Series, low: float, high: float) -> bool:
    least, most = column.min(), column.max()
    if least is None:
        return True
    if not (low <= least and most <= high):  # type: ignore[operator]
        return False
    # The extremes leave NaN out. A sum does not; of finite numbers it is none.
    return not (column.dtype.is_float() and math.isnan(column.sum()))


def _short(column: pl.Series) -> bool:
    # If all together are no longer than one may be, there is nothing to look for.
    if column.estimated_size() <= TEXT:
        return True
    longest = column.str.len_bytes().max()
    return longest is None or bool(longest <= TEXT)  # type: ignore[operator]


def _chosen(column: pl.Series, name: str) -> bool:
    return set(column.to_list()) <= {None, *CHOICES[name]}


@cache
def _texts(table: str) -> tuple[str, ...]:
    """Columns that hold text."""
    return tuple(entry.name for entry in TABLES[table] if entry.kind == "text")


def _spread(frame: pl.DataFrame) -> str | None:
    for name in STAMPS:
        if name in frame.columns and _span(frame[name]) > SPAN_NS:
            return f"column {name}: its times are further apart than a round is long"
    return None


def _span(column: pl.Series) -> int:
    low, high = column.min(), column.max()
    return high - low if isinstance(low, int) and isinstance(high, int) else 0


def rows(cases: pl.DataFrame) -> tuple[pl.DataFrame, list[str]]:
    """Rows of the table `cases` that can be, and what is wrong with the others."""
    tests = [(name, can_be("cases", name)) for name in _unsound("cases", cases)]
    tests += () if _is_whole(cases) else TOGETHER
    if not tests:
        return cases, []
    wrong = cases.select(
        (~test).fill_null(value=False).alias(f"{number}") for number, (_, test) in enumerate(tests)
    )
    bad = wrong.select(pl.any_horizontal(pl.all())).to_series()
    if not bad.any():
        return cases, []
    lines = []
    for row in bad.arg_true()[:NAMED]:
        first = next(n for n in range(len(tests)) if wrong[f"{n}"][row])
        name = tests[first][0]
        lines.append(f"row {row} left out: {name} = {shown(cases[name][row])} cannot be")
    more = int(bad.sum()) - len(lines)
    lines += [f"{more} more rows left out"] if more else []
    return cases.filter(~bad), lines


def _is_whole(cases: pl.DataFrame) -> bool:
    """Whether columns are there whose absence others do not allow."""
    held = ("sustained_hz", "statistic_value")
    if "capacity" not in cases["test"] and not any(cases[name].count() for name in held):
        return True
    return bool(cases.select(_TOGETHER).item())


def shown(value: object) -> str:
    """A value in a sentence."""
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:39]}…"
