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


def sound(table: str, frame: pl.DataFrame) -> dict[str, pl.Expr]:
    """By column of the table that `frame` has, whether a value of it can be."""
    present = set(frame.columns)
    tests: dict[str, pl.Expr] = {}
    for name, (low, high) in bounds_of(table).items():
        # NaN is not between any two numbers.
        column = pl.col(name)
        tests[name] = column.is_null() | column.is_between(low, high)
    for name in _texts(table):
        column = pl.col(name)
        tests[name] = column.is_null() | (column.str.len_bytes() <= TEXT)
    for name in REQUIRED.get(table, ()):
        tests[name] = pl.col(name).is_not_null() & tests.get(name, pl.lit(value=True))
    if table == "cases":
        for name, values in CHOICES.items():
            tests[name] &= pl.col(name).is_null() | pl.col(name).is_in(values)
    return {name: test for name, test in tests.items() if name in present}


def damage(table: str, frame: pl.DataFrame) -> str | None:
    """The first thing in a frame that cannot be; None if there is none."""
    if _is_sound(table, frame):
        return _spread(frame)
    tests = sound(table, frame)
    whole = frame.select(test.all().alias(name) for name, test in tests.items())
    for name in whole.columns:
        if not whole[name][0]:
            row = frame.select((~tests[name]).arg_true().first()).item()
            return f"column {name}, row {row}: {shown(frame[name][row])} cannot be"
    return _spread(frame)


def _is_sound(table: str, frame: pl.DataFrame) -> bool:
    """Whether every value is possible, as `sound` has it. It uses the extremes of each column,
    which takes a tenth of the time of an expression for each value."""
    present = set(frame.columns)
    return (
        all(_within(frame[n], *limits) for n, limits in bounds_of(table).items() if n in present)
        and all(_short(frame[name]) for name in _texts(table) if name in present)
        and all(not frame[n].null_count() for n in REQUIRED.get(table, ()) if n in present)
        and (table != "cases" or all(_chosen(frame[n], n) for n in CHOICES if n in present))
    )


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
def _texts(table: str) -> list[str]:
    """Columns that hold text."""
    return [entry.name for entry in TABLES[table] if entry.kind == "text"]


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
    if _is_sound("cases", cases) and _is_whole(cases):
        return cases, []
    tests = [*sound("cases", cases).items(), *TOGETHER]
    wrong = cases.select(
        (~test).fill_null(value=False).alias(f"{number}") for number, (_, test) in enumerate(tests)
    )
    bad = wrong.select(pl.any_horizontal(pl.all())).to_series()
    if not bad.any():
        return cases, []
    told = []
    for row in bad.arg_true()[:NAMED]:
        first = next(n for n in range(len(tests)) if wrong[f"{n}"][row])
        name = tests[first][0]
        told.append(f"row {row} left out: {name} = {shown(cases[name][row])} cannot be")
    more = int(bad.sum()) - len(told)
    told += [f"{more} more rows left out"] if more else []
    return cases.filter(~bad), told


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
