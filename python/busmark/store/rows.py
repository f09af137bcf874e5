"""The rows of the table `cases` while a campaign grows.

The table is one file, so that writing it takes time that grows with its rows. Once that would be
more than one part in `REST` of the time that passes, rows are added to a file of lines instead, and
the table is written again when enough time has passed, and at the end. Readers take both: a row of
the lines replaces the table's row of the same round.
"""

from __future__ import annotations

import json
import os
import time
from array import array
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from itertools import chain
from pathlib import Path
from typing import Any

import polars as pl

from busmark import files
from busmark.files import append_line, open_lines, replacing, sync_directory
from busmark.store import checksum
from busmark.store.columns import polars_schema

LINES = "cases.jsonl"
REST = 50

FOREIGN = (pl.exceptions.PolarsError, TypeError, ValueError, OverflowError)
"""Exceptions of polars for a value that does not fit its column."""

Key = tuple[str, int]


def key_of(row: Row) -> Key:
    """Return the key of a row."""
    return row["case"], row["round"]


class Rows:
    """All rows, in order of their first writing; a row replaces an earlier one of that round."""

    def __init__(self, table: Path, rows: Iterable[Row] = ()) -> None:
        self._table = table
        self._lines = table.with_name(LINES)
        self._known: dict[Key, PackedRow] = {}
        self._of_case: dict[str, dict[int, PackedRow]] = {}
        self._blocks: dict[tuple[str, ...], Block] = {}
        """Blocks of rows by case and columns; a row of an older version of Busmark has other
        columns."""
        self._written_s = 0.0
        """Time that the table took to write, and when that had ended."""
        self._ended = float("-inf")
        for row in rows:
            self._keep(row)
        # Whoever has not read them must not take the lines for its own.
        self._pending = bool(self._known) and self._lines.exists()

    def __iter__(self) -> Iterator[Row]:
        return iter(self._known.values())

    def __len__(self) -> int:
        return len(self._known)

    def of_case(self, case: str) -> list[Row]:
        """Return the rows of one case."""
        return list(self._of_case.get(case, {}).values())

    def add(self, row: Row) -> None:
        """Keep a row, on disk when this returns."""
        # A failed write leaves everything as it was.
        if time.monotonic() - self._ended < REST * self._written_s:
            with open_lines(self._lines) as file:
                append_line(file, json.dumps(dict(row)).encode() + b"\n")
                os.fsync(file.fileno())
            if not self._pending:
                sync_directory(self._lines.parent)
            self._pending = True
        else:
            self._write(chain((r for r in self if key_of(r) != key_of(row)), [row]))
        self._keep(row)

    def extend(self, rows: Iterable[Row]) -> None:
        """Keep many rows; write the table once."""
        rows = list(rows)
        self._write(chain(self, rows))
        for row in rows:
            self._keep(row)

    def replace(self, rows: Iterable[Row]) -> None:
        """Keep these rows and no others."""
        rows = list(rows)
        self._write(rows)
        self._known, self._of_case, self._blocks = {}, {}, {}
        for row in rows:
            self._keep(row)

    def settle(self) -> None:
        """Write all rows into the table."""
        if self._pending:
            self._write(self)

    def _keep(self, row: Row) -> None:
        # At the end, where the writing of the table puts it, too.
        packed = self._blocks.setdefault((row["case"], *row), Block()).append(row)
        self._known.pop(key_of(row), None)
        self._known[key_of(row)] = packed
        self._of_case.setdefault(row["case"], {}).pop(row["round"], None)
        self._of_case[row["case"]][row["round"]] = packed

    def _write(self, rows: Iterable[Row]) -> None:
        begin = time.monotonic()
        table = as_frame(rows)
        with replacing(self._table) as partial:
            checksum.write(table, partial)
        # Not before: whoever reads in between has each row once more, and no row less.
        self._lines.unlink(missing_ok=True)
        self._pending = False
        self._ended = time.monotonic()
        self._written_s = self._ended - begin


def as_frame(rows: Iterable[Row]) -> pl.DataFrame:
    """Return the table of these rows."""
    rows = list(rows)
    # Column by column: as dicts all rows would need many times the memory.
    return pl.DataFrame(
        [
            _series(name, [row.get(name) for row in rows], dtype)
            for name, dtype in polars_schema("cases").items()
        ]
    )


def _series(name: str, values: list[Any], dtype: pl.DataType) -> pl.Series:
    try:
        return pl.Series(name, values, dtype)
    except TypeError:
        # 2.0 in a column of whole numbers: rows are cast, columns are not.
        return pl.DataFrame([{name: value} for value in values], schema={name: dtype})[name]


def read_lines(table: Path) -> list[dict[str, Any]]:
    """Return the rows that stand beside the table. A line that is none is left out: a crash may
    have left half of one."""
    try:
        text = files.content(table.with_name(LINES))
    except FileNotFoundError:
        return []
    found = []
    for line in text.splitlines():
        with suppress(ValueError, RecursionError):
            row = json.loads(line)
            if isinstance(row, dict):
                found.append(row)
    return found


def with_lines(frame: pl.DataFrame, rows: list[dict[str, Any]]) -> pl.DataFrame:
    """Add these rows to the table; one that does not have its types is left out."""
    if not rows:
        return frame
    schema = polars_schema("cases")
    known = [{name: row.get(name) for name in schema} for row in rows]
    try:
        further = pl.DataFrame(known, schema=schema)
    except FOREIGN:
        each = []
        for row in known:
            with suppress(*FOREIGN):
                each.append(pl.DataFrame([row], schema=schema))
        further = pl.concat([pl.DataFrame(schema=schema), *each])
    both = pl.concat([frame, further], how="diagonal")
    return both.unique(["case", "round"], keep="last", maintain_order=True)


# Rows column by column: what all rows of a case have is kept once, numbers without objects.
#
# A campaign of short rounds has tens of thousands of rows, of some 140 columns each. As dicts they
# would have some 8 KB each; a third of the columns has a number of its own in each round.

Row = Mapping[str, Any]

CODES = {int: "q", float: "d"}
"""Type codes of `array.array`, by the type of the numbers."""


class Values:
    """Values of one column in each row, exactly: 1 and 1.0 differ."""

    __slots__ = ("_count", "_first", "_several")

    def __init__(self) -> None:
        self._count = 0
        self._first: Any = None
        self._several: array[Any] | list[Any] | None = None
        """Values of the column, once they are not all the same."""

    def __getitem__(self, at: int) -> Any:
        return self._first if self._several is None else self._several[at]

    def append(self, value: Any) -> None:
        """Append the next row's value."""
        if not self._count:
            self._first = value
        elif self._several is None and repr(value) != repr(self._first):
            self._several = _as_array([self._first] * self._count)
        self._count += 1
        if isinstance(self._several, array) and CODES.get(type(value)) != self._several.typecode:
            self._several = self._several.tolist()
        if self._several is not None:
            try:
                self._several.append(value)
            except OverflowError:
                self._several = [*self._several, value]


def _as_array(values: list[Any]) -> array[Any] | list[Any]:
    try:
        return array(CODES[type(values[0])], values)
    except (KeyError, OverflowError):
        return values


class Block:
    """Rows of the same columns."""

    def __init__(self) -> None:
        self.columns: dict[str, Values] = {}
        self._count = 0

    def append(self, row: Row) -> PackedRow:
        """Append a row; return it as the block holds it."""
        for name, value in row.items():
            self.columns.setdefault(name, Values()).append(value)
        self._count += 1
        return PackedRow(self, self._count - 1)


class PackedRow(Row):
    """A view of one row of a packed block."""

    __slots__ = ("_at", "_block")

    def __init__(self, block: Block, at: int) -> None:
        self._block = block
        self._at = at

    def __getitem__(self, column: str) -> Any:
        return self._block.columns[column][self._at]

    def __iter__(self) -> Iterator[str]:
        return iter(self._block.columns)

    def __len__(self) -> int:
        return len(self._block.columns)
