"""`--to csv`: the frames of the analysed campaign as files for spreadsheets and scripts.

RFC 4180: comma, CRLF, quotes where needed, one line of names; UTF-8 without a mark. What is not
known is an empty field, and no number has digits that say nothing; text that a spreadsheet took
for a formula begins with an apostrophe. Raw samples are left to `csv_samples`: they are there as
Parquet.
"""

from __future__ import annotations

from pathlib import Path

import polars as pl

from busmark.analysis.model import Campaign
from busmark.frames import Results
from busmark.report.csv_cells import guarded_frame
from busmark.report.csv_digits import with_few_digits
from busmark.report.folder import within
from busmark.store import Result
from busmark.store.atomic import replacing

FOLDER = "csv"
TABLES = ("cases", "estimates", "rounds", "findings")
END_OF_LINE = "\r\n"


def write(result: Result, campaign: Campaign, folder: Path) -> list[Path]:
    """One file per table into `folder`/csv, the table of cases first."""
    results = Results(result, campaign)
    place = within(folder, FOLDER)
    return [_write(getattr(results, name), place / f"{name}.csv") for name in TABLES]


def _write(frame: pl.DataFrame, path: Path) -> Path:
    with replacing(path) as partial:
        with_few_digits(guarded_frame(frame)).write_csv(partial, line_terminator=END_OF_LINE)
    return path
