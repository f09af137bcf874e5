"""CSV, Parquet and JSON: the tables of a document as files.

CSV is by RFC 4180: comma, CRLF, quotes where needed, one line of names; UTF-8 without a mark. What
is absent is an empty field, no number has digits that say nothing, and text that a spreadsheet took
for a formula begins with an apostrophe. Parquet and JSON have the values unchanged.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial
from io import BytesIO
from pathlib import Path

import polars as pl

from busmark import files
from busmark.errors import UserError
from busmark.files import replacing
from busmark.present.document import Document, FrameTable, Table
from busmark.present.drawings import Names
from busmark.present.flat import places_of
from busmark.present.folder import within
from busmark.present.quoting import guarded_frame
from busmark.store.result import UNREADABLE

Frame = pl.DataFrame | pl.LazyFrame
END_OF_LINE = "\r\n"

DIGITS = 9
"""More than any number was measured to, and enough to keep a ratio of two of them the same."""

FEW_DIGITS, FEW_NS = 4, 1000
"""Digits of times below this many nanoseconds: half a round trip of the floor is a few dozen. Other
times are whole nanoseconds, which is what clocks count."""

TIME = re.compile(r"(^|_)ns(_low|_high)?$")
"""Names of columns of nanoseconds."""

OF_ANY_UNIT = ("value", "low", "high")
"""Columns whose unit is in the column `unit`."""


def _write(
    document: Document, folder: Path, *, form: str, written: Callable[[Frame, Path], object]
) -> list[Path]:
    """Write one file per table into a folder named by the form.

    Raises:
        UserError: what a table is read from cannot be read.
    """
    place = within(folder, form)
    paths = []
    for name, frame in _tables(document):
        path = place / f"{name}.{form}"
        try:
            with replacing(path) as partial_file:
                written(frame(), partial_file)
        except UNREADABLE as error:
            if isinstance(error, OSError):
                raise
            first = str(error).partition("\n")[0]
            raise UserError(
                f"{name} cannot be written, for its data cannot be read ({first})",
                where=str(place),
                remedy="Delete the damaged file; `busmark run --resume --out DIR` measures it "
                "again.",
            ) from None
        paths.append(path)
    return paths


def _tables(document: Document) -> Iterator[tuple[str, Callable[[], Frame]]]:
    """Yield the tables of the sections, by the name of their file."""
    names = Names()
    for section in document.sections:
        for table in section.blocks:
            if isinstance(table, FrameTable):
                yield table.key, table.read
            if not isinstance(table, Table):
                continue
            parts = [table.key or section.key or section.title or document.kind]
            if not table.key and table.title:
                parts.append(table.title)
            if table.rows:
                yield names.name(parts), partial(frame_of, table)


def frame_of(table: Table) -> pl.DataFrame:
    """Return a table with a column for each value, limit, verdict and remark; a column that has
    texts among its numbers is of texts."""
    columns: dict[str, pl.Series] = {}
    for place in places_of(table):
        title, number = place.title or "name", 2
        while title in columns:
            title, number = f"{place.title} ({number})", number + 1
        texts = any(isinstance(value, str) for value in place.values)
        values = [
            None if value is None else str(value) if texts else value for value in place.values
        ]
        columns[title] = pl.Series(values, dtype=pl.String if texts else pl.Float64)
        if not texts and place.form == "count":
            columns[title] = columns[title].cast(pl.Int64)
    return pl.DataFrame(columns)


def _csv(frame: Frame, path: Path) -> None:
    if isinstance(frame, pl.LazyFrame):
        # A case may be larger than memory.
        guarded_frame(frame).sink_csv(path, line_terminator=END_OF_LINE)
    else:
        with_few_digits(guarded_frame(frame)).write_csv(path, line_terminator=END_OF_LINE)


def _read(frame: Frame) -> pl.DataFrame:
    return frame.collect() if isinstance(frame, pl.LazyFrame) else frame


csv = partial(_write, form="csv", written=_csv)


def _parquet(frame: Frame, path: Path) -> None:
    # Not by polars into the file: a full disk is a fault of the data there.
    memory = BytesIO()
    _read(frame).write_parquet(memory)
    files.create(path, memory.getvalue())


parquet = partial(_write, form="parquet", written=_parquet)
json = partial(_write, form="json", written=lambda frame, to: _read(frame).write_json(to))


def with_few_digits(frame: pl.DataFrame) -> pl.DataFrame:
    """Return the frame with every number that is no count as text, without digits that say
    nothing."""
    floats = [name for name, kind in frame.schema.items() if kind.is_float()]
    mixed = set(OF_ANY_UNIT) if "unit" in frame.columns else set()
    return frame.with_columns(_shown(name, mixed=name in mixed) for name in floats)


def _shown(name: str, *, mixed: bool) -> pl.Expr:
    value = pl.col(name)
    few = pl.when(value.abs() < FEW_NS).then(value.round_sig_figs(FEW_DIGITS))
    is_time = pl.col("unit") == "ns" if mixed else pl.lit(TIME.search(name) is not None)
    time = few.otherwise(value.round(0))
    chosen = pl.when(is_time).then(time).otherwise(value.round_sig_figs(DIGITS))
    return chosen.cast(pl.String).str.strip_suffix(".0").alias(name)
