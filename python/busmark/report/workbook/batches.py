"""The sheet of batches: each as one reader saw it."""

from __future__ import annotations

from busmark.analysis.case.batches import Batch
from busmark.analysis.model import Campaign, CaseSummary
from busmark.present.blocks.cases import label_title
from busmark.report.workbook import table
from busmark.report.workbook.book import FIRST_ROW, Book
from busmark.report.workbook.table import Column, micros

Row = tuple[CaseSummary, Batch]


def sheet(book: Book, campaign: Campaign) -> None:
    """Batches of every case; no sheet where every stream runs free."""
    known = [(case, case.throughput.batches) for case in campaign.cases if case.throughput]
    rows: list[Row] = [(case, batch) for case, own in known if own for batch in own.single]
    if not rows:
        return
    made = book.sheet(
        "Batches", "Batches", "time, received and expected samples of each batch",
        note="Time from a batch's start to its end at the reader. The first 500 of each case; all "
             "are in the folder batches of the result.",
    )  # fmt: skip
    columns: list[Column[Row]] = [
        Column(label_title(campaign.cases), "text", lambda r: r[0].label, width=30),
        Column("Size", "bytes", lambda r: r[0].size),
        Column("Round", "count", lambda r: r[1].round, width=8),
        Column("Writer", "count", lambda r: r[1].writer, width=8),
        Column("Reader", "count", lambda r: r[1].reader, width=8),
        Column("Batch", "count", lambda r: r[1].number, width=8),
        Column("Expected", "count", lambda r: r[1].expected),
        Column("Received", "count", lambda r: r[1].received),
        Column("Lost", "share", lambda r: 1 - r[1].received / r[1].expected),
        Column("Time", "us", lambda r: micros(r[1].duration_ns)),
        Column("Samples/s", "rate", lambda r: r[1].samples_per_s),
        Column("Acknowledged", "text", lambda r: _said(r[1].acknowledged), width=13),
        Column("Case", "text", lambda r: r[0].id, width=30),
    ]
    _, left = table.write(
        made, FIRST_ROW, columns, rows, frozen=1, is_floor=lambda r: r[0].is_floor
    )
    if left:
        made.parts.append(
            f"{left:,} batches have no room on a sheet; the result's folder batches has them"
        )


def _said(acknowledged: bool | None) -> str | None:
    return None if acknowledged is None else "yes" if acknowledged else "no"
