"""Reading one table: an ordinary file, of the format's columns, with values that can be."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO

import polars as pl
import polars.selectors as cs

from busmark import files, platform
from busmark.errors import UserError
from busmark.store import checksum
from busmark.store.checks import damage
from busmark.store.columns import polars_schema

UNREADABLE = (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError)
"""What polars raises for a file that is not what it should be; a damaged page makes it panic."""

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
    """A file that is no Parquet file, or no longer."""
    first = str(error).partition("\n")[0]
    return UserError(
        f"not a readable Parquet file: truncated or damaged ({first})",
        where=str(path),
        remedy=f"Delete it. {AGAIN}",
    )


def check_file(path: Path) -> None:
    """That the bytes are those that were written, and do not claim more rows than they can hold:
    polars ends the process where damaged ones ask for more memory than there is.

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
    """The file without changes; `columns` selects from the columns that it has.

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
    """Starts the threads that read tables. They start with the first file that is read, and where
    the system has no thread left then, the reader waits for them without end."""
    with tempfile.TemporaryDirectory(prefix="busmark-") as folder:
        path = Path(folder) / "table.parquet"
        pl.DataFrame({"row": [0]}).write_parquet(path)
        pl.scan_parquet(path, glob=False).collect()


def shaped(
    frame: pl.DataFrame, path: Path, table: str, columns: Sequence[str] | None
) -> pl.DataFrame:
    """With the columns and types of the format. Columns that an older Busmark did not write are
    null; further ones are kept."""
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
    """One Parquet file of the result, checked against the format; only some columns if named.

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
