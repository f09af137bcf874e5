"""What spoils, or may spoil, the measurement."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from busmark.analysis.model import Campaign
from busmark.findings.kinds import Kind, kinds
from busmark.present.charts.flagged import examined
from busmark.report.workbook import table
from busmark.report.workbook.book import FIRST_ROW, Book
from busmark.report.workbook.table import Column
from busmark.store.manifest import Finding

MOST_CASES = 6
"""Named in a cell."""

NOTE = "A letter stands for a finding on the sheet Summary, too: !! error, ! warning, else note."


def sheet(book: Book, campaign: Campaign) -> None:
    """One row per kind of finding, in the order of the campaign."""
    made = book.sheet(
        "Findings", "Findings", "what may spoil the measurement: cause, evidence, remedy",
        note=NOTE if campaign.findings else "Nothing was found.",
    )  # fmt: skip
    cases = examined(campaign)
    columns: list[Column[Kind]] = [
        Column("Severity", "text", lambda k: k.severity, width=10, keep=True),
        Column("Mark", "text", lambda k: k.mark or None, width=7, keep=True),
        Column("What", "wrapped", lambda k: k.title, width=26, keep=True),
        Column("Where", "wrapped", lambda k: k.where(cases) or WHOLE, width=16, keep=True),
        Column("Worst case", "wrapped", lambda k: k.worst[0] or None, width=24),
        Column("Evidence", "wrapped", lambda k: k.worst[1], width=40, keep=True),
        Column("Cause", "wrapped", partial(_each, lambda f: f.cause), width=40, keep=True),
        Column("May explain", "wrapped", lambda k: "; ".join(k.explains) or None, width=30),
        Column("Remedy", "wrapped", partial(_each, lambda f: f.remedy), width=40, keep=True),
        Column("Cases", "wrapped", _cases, width=34, keep=True),
        Column("Rule", "text", lambda k: k.findings[0].id, width=22, keep=True),
    ]
    table.write(made, FIRST_ROW, columns, kinds(campaign.findings), frozen=3, pages=1)


WHOLE = "the whole campaign"


def _each(pick: Callable[[Finding], str], kind: Kind) -> str:
    """A text of its findings, each once."""
    return "\n".join(dict.fromkeys(map(pick, kind.findings)))


def _cases(kind: Kind) -> str:
    named = ", ".join(kind.cases[:MOST_CASES])
    more = len(kind.cases) - MOST_CASES
    return f"{named} and {more} more" if more > 0 else named or WHOLE
