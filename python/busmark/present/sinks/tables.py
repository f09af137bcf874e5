"""`--to csv`, `parquet`, `json` and `csv-samples`: the frames of a result as files.

CSV is by RFC 4180: comma, CRLF, quotes where needed, one line of names; UTF-8 without a mark. What
is absent is an empty field, no number has digits that say nothing, and text that a spreadsheet took
for a formula begins with an apostrophe. Parquet and JSON have the values unchanged.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from pathlib import Path

import polars as pl

from busmark.compare.campaign import Campaign
from busmark.errors import UserError
from busmark.present.csv_cells import guarded_frame
from busmark.present.folder import within
from busmark.results import Results
from busmark.store import Result
from busmark.store.atomic import replacing
from busmark.store.result import UNREADABLE

TABLES = ("cases", "estimates", "rounds", "findings")
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
    result: Result, campaign: Campaign, folder: Path, *, form: str,
    written: Callable[[pl.DataFrame, Path], object],
) -> list[Path]:  # fmt: skip
    """Write one file per table into a folder named by the form, the table of cases first."""
    results = Results(result, campaign)
    place = within(folder, form)
    paths = [place / f"{name}.{form}" for name in TABLES]
    for path in paths:
        with replacing(path) as partial_file:
            written(getattr(results, path.stem), partial_file)
    return paths


def _csv(frame: pl.DataFrame, path: Path) -> None:
    with_few_digits(guarded_frame(frame)).write_csv(path, line_terminator=END_OF_LINE)


csv = partial(_write, form="csv", written=_csv)
parquet = partial(_write, form="parquet", written=pl.DataFrame.write_parquet)
json = partial(_write, form="json", written=pl.DataFrame.write_json)


def csv_samples(result: Result, campaign: Campaign, folder: Path) -> list[Path]:
    """Write `samples-CASE.csv` of every case that has samples of rounds that count, streamed: a
    case may be larger than memory.

    Raises:
        UserError: samples of a case cannot be read.
    """
    results = Results(result, campaign)
    place = within(folder, "csv")
    paths = []
    for case in campaign.cases:
        if not case.rounds.ok:
            continue
        path = place / f"samples-{case.id}.csv"
        try:
            with replacing(path) as partial_file:
                guarded = guarded_frame(results.samples(case.id))
                guarded.sink_csv(partial_file, line_terminator=END_OF_LINE)
        except UNREADABLE as error:
            if isinstance(error, OSError):
                raise
            first = str(error).partition("\n")[0]
            raise UserError(
                f"samples of case {case.id} cannot be read ({first})",
                where=str(results.directory),
                remedy="Delete the damaged file; `busmark run --resume --out DIR` measures it "
                "again.",
            ) from None
        paths.append(path)
    return paths


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
