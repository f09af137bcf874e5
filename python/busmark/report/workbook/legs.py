"""The sheet of legs: parts of a ping's way, each with the figures of its best samples."""

from __future__ import annotations

from busmark.analysis.across.dimensions import placement_text
from busmark.analysis.case.legs import LegTable
from busmark.analysis.figures import Best
from busmark.analysis.model import Campaign, CaseSummary
from busmark.present.blocks.cases import label_title
from busmark.report.workbook import table
from busmark.report.workbook.book import FIRST_ROW, Book
from busmark.report.workbook.table import Column, micros

Row = tuple[CaseSummary, LegTable, Best]


def sheet(book: Book, campaign: Campaign) -> None:
    """Every leg of every case; no sheet where there are none."""
    rows: list[Row] = [
        (case, leg, part)
        for case in campaign.cases
        if case.latency
        for leg in case.latency.leg_tables
        for part in leg.best
    ]
    if not rows:
        return
    made = book.sheet(
        "Legs", "Legs of a ping's way", "count, minimum, average, maximum and deviation of the "
        "best 100, 99.9, 99 and 90 % of each part of the way",
        note="All rounds together. Each leg is sorted by itself. Negative: the later stamp was "
             "taken first.",
    )  # fmt: skip
    columns: list[Column[Row]] = [
        Column(label_title(campaign.cases), "text", lambda r: r[0].label, width=30),
        Column("Placement", "text", lambda r: placement_text(r[0].placement), width=18),
        Column("Size", "bytes", lambda r: r[0].size),
        Column("Leg", "text", lambda r: r[1].name, width=14),
        Column("Best", "text", lambda r: f"{r[2].percent:g} %", width=9),
        Column("Count", "count", lambda r: r[2].count),
        Column("Min", "us", lambda r: micros(r[2].min_ns)),
        Column("Average", "us", lambda r: micros(r[2].mean_ns)),
        Column("Max", "us", lambda r: micros(r[2].max_ns)),
        Column("Deviation", "us", lambda r: micros(r[2].std_ns)),
        Column("One in", "count", lambda r: r[1].every if r[1].every > 1 else None),
        Column("Case", "text", lambda r: r[0].id, width=30),
        Column("From … to", "text", lambda r: r[1].meaning, width=60),
    ]
    _, left = table.write(
        made, FIRST_ROW, columns, rows, frozen=1, is_floor=lambda r: r[0].is_floor
    )
    if left:
        made.parts.append(
            f"{left:,} rows of legs have no room on a sheet; `busmark report --to csv` has them"
        )
