"""The report as an Excel workbook with native charts: `report.xlsx`.

- `book`: sheets, names, print set-up. `styles`: formats of cells. `table`: columns and rows.
- `names`: what a spreadsheet takes as text and as the name of a sheet. `charts`: native charts.
- `sections`: parts of the document. `contents`, `configuration`, `machine`, `findings`, `summary`,
  `groups`, `curves`, `pairs`, `legs`, `batches`, `levels`: the sheets.
"""

from __future__ import annotations

from pathlib import Path

from busmark.analysis.across.pairs import pairs as all_pairs
from busmark.analysis.model import Campaign
from busmark.report.workbook import (
    batches,
    configuration,
    contents,
    curves,
    findings,
    groups,
    legs,
    levels,
    machine,
    pairs,
    sections,
    summary,
)
from busmark.report.workbook.book import Book
from busmark.store import Result
from busmark.store.atomic import replacing

NAME = "report.xlsx"

MOST_PAIRS = 60
"""Sheets of tests; with more nobody finds one."""


def write(result: Result, campaign: Campaign, folder: Path) -> list[Path]:
    """The workbook into `folder`."""
    path = folder / NAME
    with replacing(path) as partial:
        write_workbook(campaign, partial)
    return [path]


def write_workbook(campaign: Campaign, path: Path) -> None:
    """Writes the file; the same campaign gives the same bytes."""
    book = Book(path, campaign)
    first = contents.begin(book, campaign)
    tests = all_pairs(campaign)
    shown = tests[:MOST_PAIRS]
    # Only now: blocks use tables of this package's neighbours.
    from busmark.present.blocks.answer import answer

    if section := answer(campaign):
        sections.sheet(book, section, "who is best in each workload, and what each choice costs")
    configuration.test_configuration(book, campaign)
    configuration.benchmark_configuration(book, campaign)
    machine.sheets(book, campaign)
    findings.sheet(book, campaign)
    groups.sheets(book, campaign)
    curves.sheets(book, campaign)
    sheet_of = pairs.sheets(book, shown)
    summary.summary(book, campaign, sheet_of)
    summary.percentiles(book, campaign)
    summary.best(book, campaign)
    legs.sheet(book, campaign)
    batches.sheet(book, campaign)
    levels.sheets(book, campaign)
    summary.rounds(book, campaign)
    left_out = []
    if len(tests) > len(shown):
        left_out.append(
            f"Tests {len(shown) + 1} to {len(tests)} have no sheet of their own: more than "
            f"{MOST_PAIRS} are not written. Their cases are on the sheet Summary."
        )
    contents.fill(first, campaign, left_out)
    first.page.activate()
    book.close()
