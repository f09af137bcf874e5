"""Reading one table: an ordinary file, of the format's columns, with values that can be."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import BinaryIO

import polars as pl
import polars.selectors as cs

from busmark import files, platform
from busmark.errors import UserError
from busmark.model.entry import SEARCHES, TESTS
from busmark.store import checksum
from busmark.store.columns import TABLES, StoredColumn, polars_schema
from busmark.temporary import WORK_PREFIX, run_directory

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
"""Largest rate that can be, per second or in Mbit/s."""
PLAIN = 1e40
"""Limit for a figure without its own unit: a square of nanoseconds has to fit."""
ROUNDS = 10**6
TEXT = 10_000
"""Characters of a text at most."""

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
    "drift_bound_ppm": (0, 1e6),
    "offset_bound_ns": (0, STAMP_NS),
    "realtime_bound_ns": (0, STAMP_NS),
    "duration_ns": (0, SPAN_NS),
    "median_ns": (0, STAMP_NS),
    "p99_ns": (0, STAMP_NS),
    "statistic_variance": (0, PLAIN),
    "statistic_variance_blocks": (0, PLAIN),
}
"""Bounds by column name, in every table that has such a column."""

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
    "discoveries": ("round", "repetition", "start_ns", "creation_ns", "received", "duration_ns"),
    "goals": ("round", "client", "goal", "start_ns", "feedback", "statuses"),
}  # fmt: skip
"""Columns without a null, by table."""

CHOICES = {
    "status": ("ok", "marked", "failed"),
    "test": TESTS,
}
"""Columns of the table `cases` with few values."""

STAMPS = (
    "intended_ns",
    "sent_ns",
    "written_ns",
    "echo_delivered_ns",
    "echo_read_ns",
    "echo_sent_ns",
    "delivered_ns",
    "read_ns",
    "start_ns",
)
"""Readings of one clock each, within one round."""


def bounds(table: str, column: StoredColumn) -> Bounds | None:
    """Return the least and greatest possible value of a column; None where it holds no numbers."""
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
    """Return the bounds of all columns of a table that hold numbers."""
    found = ((column.name, bounds(table, column)) for column in TABLES[table])
    return {name: limits for name, limits in found if limits is not None}


NAMED = 3
"""Rows that a sentence names one by one."""

_OF_SEARCH = pl.col("test").is_in(SEARCHES) & (pl.col("status") != "failed")

TOGETHER = (
    ("rate_hz", ~_OF_SEARCH | pl.col("shortfall").is_null() | pl.col("rate_hz").is_not_null()),
    ("expected", ~_OF_SEARCH | pl.col("sent").is_null() | pl.col("expected").is_not_null()),
    ("lost", ~_OF_SEARCH | pl.col("expected").is_null() | pl.col("lost").is_not_null()),
    (
        "sustained_hz",
        pl.col("sustained_hz").is_null()
        | (pl.col("bracket_low_hz").is_not_null() & pl.col("bracket_high_hz").is_not_null()),
    ),
    ("order", ~pl.col("test").is_in(SEARCHES) | pl.col("order").is_not_null()),
    (
        "statistic_variance",
        pl.col("statistic_value").is_null() | pl.col("statistic_variance").is_not_null(),
    ),
)
"""Columns of the table `cases` that need others, and when they have them."""
_TOGETHER = pl.all_horizontal(test.fill_null(value=True).all() for _, test in TOGETHER)


def damage(table: str, frame: pl.DataFrame) -> str | None:
    """Describe the first thing in a frame that cannot be; return None if there is none."""
    for name in _unsound(table, frame):
        row = frame.select((~can_be(table, name)).arg_true().first()).item()
        return f"column {name}, row {row}: {shown(frame[name][row])} cannot be"
    return _spread(frame)


@cache
def _required(table: str) -> set[str]:
    return {column.name for column in TABLES[table] if column.required}


@cache
def can_be(table: str, name: str) -> pl.Expr:
    """Return whether a value of this column can be."""
    column, test = pl.col(name), pl.lit(value=True)
    if limits := bounds_of(table).get(name):
        # NaN is not between any two numbers.
        test = column.is_null() | column.is_between(*limits)
    if name in _texts(table):
        test = column.is_null() | (column.str.len_bytes() <= TEXT)
    if name in REQUIRED.get(table, ()) or name in _required(table):
        test &= column.is_not_null()
    if table == "cases" and name in CHOICES:
        test &= column.is_null() | column.is_in(CHOICES[name])
    return test


def _unsound(table: str, frame: pl.DataFrame) -> list[str]:
    """Return the columns with a value that does not pass `can_be`."""
    wrong = [
        (~can_be(table, name)).any().alias(name)
        for name in _checked(table)
        if name in frame.columns
    ]
    found = frame.select(wrong).row(0, named=True) if wrong else {}
    return [name for name, is_wrong in found.items() if is_wrong]


@cache
def _checked(table: str) -> tuple[str, ...]:
    """Return the columns of which not every value can be."""
    choices = CHOICES if table == "cases" else {}
    found = (*bounds_of(table), *_texts(table), *REQUIRED.get(table, ()), *choices)
    return tuple(dict.fromkeys(found))


@cache
def _texts(table: str) -> tuple[str, ...]:
    return tuple(entry.name for entry in TABLES[table] if entry.kind == "text")


def _spread(frame: pl.DataFrame) -> str | None:
    for name in STAMPS:
        if name not in frame.columns:
            continue
        low, high = frame[name].min(), frame[name].max()
        if isinstance(low, int) and isinstance(high, int) and high - low > SPAN_NS:
            return f"column {name}: its times are further apart than a round is long"
    return None


def rows(cases: pl.DataFrame) -> tuple[pl.DataFrame, list[str]]:
    """Return the rows of the table `cases` that can be, and what is wrong with the others."""
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
    """Return whether columns are there whose absence others do not allow."""
    held = ("sustained_hz", "statistic_value")
    if not cases["test"].is_in(SEARCHES).any() and not any(cases[name].count() for name in held):
        return True
    return bool(cases.select(_TOGETHER).item())


def shown(value: object) -> str:
    """Shorten a value for a sentence."""
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:39]}…"


UNREADABLE = (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError)
"""Exceptions of polars for a file that is not what it should be; a damaged page makes it panic."""

AGAIN = "`busmark run --resume --out DIR` runs again what is missing."

FREE_ROWS = 1_000_000
ROWS_PER_BYTE = 4
"""Rows that a file may claim: so many, and beyond that as many as it could hold. Times differ from
row to row, so that each takes more; but a file of a few bytes can claim any number of equal rows,
and fill the memory."""


def _opened(path: Path) -> BinaryIO:
    try:
        return files.opened(path)
    except FileNotFoundError:
        raise
    except OSError as error:
        raise UserError(
            str(error.strerror), where=str(path), remedy=f"Busmark did not write it. {AGAIN}"
        ) from None


def unreadable(path: Path, error: BaseException) -> UserError:
    """Return the error for a file that is no Parquet file, or no longer."""
    first = str(error).partition("\n")[0]
    return UserError(
        f"not a readable Parquet file: truncated or damaged ({first})",
        where=str(path),
        remedy=f"Delete it. {AGAIN}",
    )


def check_file(path: Path) -> None:
    """Check that the bytes are those that were written, and do not claim more rows than they can
    hold: polars ends the process where damaged ones ask for more memory than there is.

    Raises:
        FileNotFoundError: it is not there.
        UserError: it is not a file, or damaged.
        Exception: one of `UNREADABLE`: it is not a Parquet file.
    """
    with _opened(path) as file:
        _check(path, platform.path_of(file.fileno()))


def _check(path: Path, opened: Path) -> None:
    size = opened.stat().st_size
    whole = checksum.agrees(opened)
    if whole:
        return
    if whole is False:
        raise UserError(
            "damaged: other bytes than were written, by its checksum",
            where=str(path),
            remedy=f"Delete it. {AGAIN}",
        )
    claimed = pl.scan_parquet(opened, glob=False).select(pl.len()).collect().item()
    if claimed > max(FREE_ROWS, ROWS_PER_BYTE * size):
        raise UserError(
            f"{claimed} rows in {size} bytes cannot be",
            where=str(path),
            remedy=f"Busmark did not write this file. Delete it. {AGAIN}",
        )


def read(path: Path, columns: Sequence[str] | None = None) -> pl.DataFrame:
    """Read the file without changes; `columns` selects from the columns that it has.

    Raises:
        UserError: it is not there, or damaged.
    """
    try:
        with _opened(path) as file:
            # A running campaign replaces its tables, and polars opens a path more than once.
            opened = platform.path_of(file.fileno())
            _check(path, opened)
            table = pl.scan_parquet(opened, glob=False)
            if columns is not None:
                table = table.select(cs.by_name(*columns, require_all=False))
            return table.collect()
    except FileNotFoundError:
        raise UserError(
            "this file of the result is missing", where=str(path), remedy=AGAIN
        ) from None
    except UNREADABLE as error:
        raise unreadable(path, error) from None


def start_threads() -> None:
    """Start the threads that read tables. Else they start with the first file that is read, and
    where the system has no thread left then, the reader waits for them without end."""
    with run_directory(WORK_PREFIX) as folder:
        path = folder / "table.parquet"
        pl.DataFrame({"row": [0]}).write_parquet(path)
        pl.scan_parquet(path, glob=False).collect()


def shaped(
    frame: pl.DataFrame, path: Path, table: str, columns: Sequence[str] | None
) -> pl.DataFrame:
    """Give a frame the columns and types of the format. Columns that an older Busmark did not write
    are null; further ones are kept."""
    schema = polars_schema(table)
    if columns is not None:
        schema = {name: schema[name] for name in columns}
    known = dict(frame.schema)
    absent = [
        pl.lit(None, dtype=kind).alias(name) for name, kind in schema.items() if name not in known
    ]
    frame = frame.with_columns(absent) if absent else frame
    # Each cast costs as much as reading its column, even where there is nothing to do.
    casts = [pl.col(n).cast(kind) for n, kind in schema.items() if known.get(n, kind) != kind]
    try:
        return frame.with_columns(casts) if casts else frame
    except UNREADABLE as error:
        first = str(error).partition("\n")[0]
        raise UserError(
            f"columns of an unexpected type ({first})",
            where=str(path),
            remedy=f"Busmark did not write this file. Delete it. {AGAIN}",
        ) from None


def load_table(path: Path, table: str, columns: Sequence[str] | None = None) -> pl.DataFrame:
    """Load one Parquet file of the result, checked against the format; only some columns if named.

    Raises:
        UserError: it is not there, or damaged: cut off, of other columns, or with values that
            cannot be. One such value is enough, for the others of its file deserve no trust.
    """
    frame = shaped(read(path, columns), path, table, columns)
    wrong = damage(table, frame)
    if wrong:
        raise UserError(
            f"damaged: {wrong}",
            where=str(path),
            remedy=f"Busmark did not write this value. Delete the file. {AGAIN}",
        )
    return frame
