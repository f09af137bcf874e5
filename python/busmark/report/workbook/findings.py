"""What spoils, or may spoil, the measurement."""

from __future__ import annotations

from busmark.analysis.model import Campaign
from busmark.report.workbook import table
from busmark.report.workbook.book import FIRST_ROW, Book
from busmark.report.workbook.table import Column
from busmark.store.manifest import Finding

MOST_CASES = 6
"""Named in a cell."""


def sheet(book: Book, campaign: Campaign) -> None:
    """One row per finding, in the order of the campaign."""
    made = book.sheet(
        "Findings", "Findings", "what may spoil the measurement: cause, evidence, remedy",
        note="" if campaign.findings else "Nothing was found.",
    )  # fmt: skip
    columns: list[Column[Finding]] = [
        Column("Severity", "text", lambda f: f.severity, width=10, keep=True),
        Column("What", "wrapped", lambda f: f.title, width=26, keep=True),
        Column("Cause", "wrapped", lambda f: f.cause, width=40, keep=True),
        Column("Evidence", "wrapped", lambda f: f.evidence, width=40, keep=True),
        Column("Remedy", "wrapped", lambda f: f.remedy, width=40, keep=True),
        Column("Cases", "wrapped", _cases, width=34, keep=True),
        Column("Rule", "text", lambda f: f.id, width=22, keep=True),
    ]
    table.write(made, FIRST_ROW, columns, campaign.findings, frozen=1, pages=1)


def _cases(finding: Finding) -> str:
    named = ", ".join(finding.cases[:MOST_CASES])
    more = len(finding.cases) - MOST_CASES
    return f"{named} and {more} more" if more > 0 else named or "the whole campaign"
