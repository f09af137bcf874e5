"""`--to csv-samples`: every recorded sample as text, for programs that read nothing else.

One file per case, streamed: a case may be larger than memory.
"""

from __future__ import annotations

from pathlib import Path

from busmark.analysis.model import Campaign
from busmark.errors import UserError
from busmark.frames import Results
from busmark.report.csv_cells import guarded_frame
from busmark.report.csv_tables import END_OF_LINE, FOLDER
from busmark.report.folder import within
from busmark.store import Result
from busmark.store.atomic import replacing
from busmark.store.result import UNREADABLE


def write(result: Result, campaign: Campaign, folder: Path) -> list[Path]:
    """`samples-CASE.csv` of every case that has samples of rounds that count."""
    results = Results(result, campaign)
    place = within(folder, FOLDER)
    return [
        _write(results, case.id, place / f"samples-{case.id}.csv")
        for case in campaign.cases
        if case.rounds.ok
    ]


def _write(results: Results, case: str, path: Path) -> Path:
    try:
        with replacing(path) as partial:
            guarded = guarded_frame(results.samples(case))
            guarded.sink_csv(partial, line_terminator=END_OF_LINE)
    except UNREADABLE as error:
        if isinstance(error, OSError):
            raise
        first = str(error).partition("\n")[0]
        raise UserError(
            f"samples of case {case} cannot be read ({first})",
            where=str(results.directory),
            remedy="Delete the damaged file; `busmark run --resume --out DIR` measures it again.",
        ) from None
    return path
