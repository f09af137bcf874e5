"""Whether the values of a table can be: by column, once, when the table is read."""

from __future__ import annotations

from functools import cache

import polars as pl

from busmark.store.columns import TABLES, Column

# What a value of a stored table can be. Other values are damage: no clock, counter or middleware
# gives them, and figures made of them would be wrong.

STAMP_NS = 2**62
"""146 years either way: what is within has differences that fit 64 bits."""
SPAN_NS = 30 * 86_400 * 10**9
"""Stamps of one clock in one round are no further apart: a round lasts an hour at most."""
COUNT = 2**62
BYTES = 2**50
SECONDS = 1e9
RATE = 1e15
"""Per second, or Mbit/s."""
PLAIN = 1e40
"""Limit for a figure without its own unit: a square of nanoseconds has to fit."""
ROUNDS = 10**6
TEXT = 10_000
"""Characters."""

Bounds = tuple[float, float]

OWN: dict[str, Bounds] = {
    "round": (0, ROUNDS),
    "attempt": (0, ROUNDS),
    "order": (0, 10**9),
    "size": (0, 2**41),
    **dict.fromkeys(
        ("topics", "writers", "readers", "publishers", "subscribers", "applications"), (1, 10**6)
    ),
    "flags": (0, 2**31),
    "percent": (0, 100),
    "drift_ppm": (-1e6, 1e6),
    "offset_bound_ns": (0, STAMP_NS),
    "realtime_bound_ns": (0, STAMP_NS),
    "duration_ns": (0, SPAN_NS),
    "median_ns": (0, STAMP_NS),
    "p99_ns": (0, STAMP_NS),
    "statistic_variance": (0, PLAIN),
    "statistic_variance_blocks": (0, PLAIN),
}
"""By name, in every table that has such a column."""

BY_UNIT: dict[str, Bounds] = {
    "ns": (-STAMP_NS, STAMP_NS),
    "B": (0, BYTES),
    "s": (0, SECONDS),
    "1/s": (0, RATE),
    "Mbit/s": (0, RATE),
}

REQUIRED = {
    "cases": ("case", "round", "status"),
    "summaries": ("case", "round", "quantity", "statistic"),
    "samples": ("seq",),
    "participants": ("round", "participant"),
    "flows": ("round", "flow", "writer", "sent", "received"),
    "batches": (
        "round", "writer", "reader", "number", "start_ns", "expected", "received", "bytes", "ended",
    ),
    "matches": ("round", "participant", "endpoint", "counterparts"),
    "hops": ("round", "writer", "seq", "hop", "repeated"),
    "wire": ("round", "purpose", "packets", "wire_bytes"),
    "discoveries": ("round", "repetition", "start_ns", "creation_ns", "received", "duration_ns"),
}  # fmt: skip
"""Columns without a null, by table."""

CHOICES = {
    "status": ("ok", "marked", "failed"),
    "test": ("latency", "throughput", "capacity", "discovery"),
}
"""Columns of the table `cases` with few values."""

STAMPS = (
    "intended_ns", "sent_ns", "written_ns", "echo_delivered_ns", "echo_read_ns", "echo_sent_ns",
    "delivered_ns", "read_ns", "start_ns",
)  # fmt: skip
"""Readings of one clock each, within one round."""


def bounds(table: str, column: Column) -> Bounds | None:
    """Least and greatest value of a column; None where it holds no numbers."""
    if column.kind in ("text", "bool"):
        return None
    if column.name in OWN:
        return OWN[column.name]
    if table == "system" and column.name != "start_ns" and column.unit == "ns":
        return (0, STAMP_NS)
    if column.unit in BY_UNIT:
        return BY_UNIT[column.unit]
    # A figure may be below zero, a count cannot.
    return (0, COUNT) if column.kind == "int" else (-PLAIN, PLAIN)


@cache
def bounds_of(table: str) -> dict[str, Bounds]:
    """Bounds of all columns of a table that hold numbers."""
    found = ((column.name, bounds(table, column)) for column in TABLES[table])
    return {name: limits for name, limits in found if limits is not None}


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
    """Columns with a value that does not pass `can_be`."""
    wrong = [
        (~can_be(table, name)).any().alias(name)
        for name in _checked(table)
        if name in frame.columns
    ]
    found = frame.select(wrong).row(0, named=True) if wrong else {}
    return [name for name, is_wrong in found.items() if is_wrong]


@cache
def _checked(table: str) -> tuple[str, ...]:
    """Columns of which not every value can be."""
    choices = CHOICES if table == "cases" else {}
    found = (*bounds_of(table), *_texts(table), *REQUIRED.get(table, ()), *choices)
    return tuple(dict.fromkeys(found))


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
