"""The raw tables of a result: one Parquet file per round, read when a frame is collected."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from busmark.errors import UserError
from busmark.store import Result
from busmark.store.columns import polars_schema
from busmark.store.result import file_stem
from busmark.store.tables import UNREADABLE, check_file

Round = tuple[str, int]
"""Case and number."""


def is_needed(table: str, test: str | None) -> bool:
    """Whether a round of this test is not whole without a file of this table."""
    return table == "samples" or (table == "intervals" and test == "throughput")


@dataclass(frozen=True, slots=True)
class Files:
    """The files of one table, and why others are left out."""

    table: str
    usable: list[Path]
    problems: list[str]


def rounds(
    result: Result, case: str | None = None, number: int | None = None, status: str | None = "ok"
) -> list[Round]:
    """The rounds of one case or of all, of this status or of any but failed."""
    rows = result.cases.filter(pl.col("status") != "failed")
    chosen = {"case": case, "round": number, "status": status}
    for column, value in chosen.items():
        rows = rows if value is None else rows.filter(pl.col(column) == value)
    return list(rows.sort("case", "round").select("case", "round").iter_rows())


def files(result: Result, table: str, wanted: Iterable[Round]) -> Files:
    """The files of these rounds whose footers can be read."""
    found = Files(table, [], [])
    tests = dict(result.cases.select("case", "test").iter_rows())
    for case, number in wanted:
        path = result.directory / table / f"{file_stem(case, number)}.parquet"
        try:
            check_file(path)
        except FileNotFoundError:
            if is_needed(table, tests[case]):
                found.problems.append(f"{path}: this file of the result is missing")
        except UserError as error:
            found.problems.append(str(error).partition("\n")[0])
        except UNREADABLE as error:
            first = str(error).partition("\n")[0]
            found.problems.append(f"{path}: not a readable Parquet file ({first})")
        else:
            found.usable.append(path)
    return found


def scan(found: Files) -> pl.LazyFrame:
    """The table with the columns of the format: those that a file lacks are null, further ones are
    left out."""
    schema = polars_schema(found.table)
    if not found.usable:
        return pl.LazyFrame(schema=schema)
    return pl.scan_parquet(
        found.usable, schema=schema, missing_columns="insert", extra_columns="ignore",
        # Some versions wrote shorter integers.
        cast_options=pl.ScanCastOptions(integer_cast="upcast"),
    )  # fmt: skip


def with_parameters(
    frame: pl.LazyFrame, params: pl.DataFrame, names: bool | Sequence[str]
) -> pl.LazyFrame:
    """Adds the parameters of each row's case: all, or those named. Those that have the name of a
    column of the table are not added."""
    if names is False:
        return frame
    present = frame.collect_schema().names()
    wanted = params.columns if names is True else names
    added = [name for name in wanted if name not in present]
    return frame.join(params.lazy().select("case", *added), on="case", how="left")
