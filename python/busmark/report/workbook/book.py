"""The workbook as a whole: sheets with their names, contents, print set-up."""

from __future__ import annotations

import datetime
from dataclasses import dataclass, field
from pathlib import Path

import xlsxwriter
from xlsxwriter.worksheet import Worksheet

from busmark.analysis.model import Campaign
from busmark.report.workbook.names import SheetNames, clean
from busmark.report.workbook.styles import Styles

CONTENTS = "Contents"
A4 = 9

TITLE_ROW, BACK_ROW, NOTE_ROW = 0, 1, 2
FIRST_ROW = 4
"""Where a sheet's own rows begin."""

OPTIONS = {
    "in_memory": True,
    # Text is text, whatever it begins with.
    "strings_to_formulas": False,
    "strings_to_numbers": False,
    "strings_to_urls": False,
}


@dataclass(slots=True)
class Sheet:
    """One sheet, and the book it is in."""

    book: Book
    page: Worksheet
    name: str
    title: str
    about: str
    parts: list[str] = field(default_factory=list)
    """What does not fit it, for the contents."""

    def text(self, row: int, column: int, text: str, style: object = None) -> None:
        """Writes text that is never taken for a formula."""
        self.page.write_string(row, column, clean(text), style)

    def link(self, row: int, column: int, name: str, text: str) -> None:
        """A link to another sheet."""
        target = f"internal:'{name}'!A1"
        self.page.write_url(row, column, target, self.book.styles.link, clean(text))

    def cells(self, column: int, first: int, last: int) -> list[object]:
        """Cells of a column, for a chart."""
        return [self.name, first, column, last, column]


class Book:
    """Makes sheets; `close` writes the file. The same campaign gives the same bytes."""

    def __init__(self, path: Path, campaign: Campaign) -> None:
        self.campaign = campaign
        self.workbook = xlsxwriter.Workbook(str(path), OPTIONS)
        self.styles = Styles(self.workbook)
        self.sheets: list[Sheet] = []
        self._names = SheetNames()
        self.workbook.set_properties(
            {
                "title": clean(campaign.name),
                "subject": clean(campaign.question or ""),
                "author": "Busmark",
                "comments": f"Written by Busmark {clean(campaign.busmark_version)}",
                "created": _date(campaign.created_utc),
            }
        )

    def sheet(self, name: str, title: str, about: str, *, note: str = "") -> Sheet:
        """A new sheet with its title, the way back, a note, and how it is printed.

        Args:
            about: what it shows, for the contents.
        """
        given = self._names.give(name)
        page = self.workbook.add_worksheet(given)
        made = Sheet(self, page, given, title, about)
        made.text(TITLE_ROW, 0, title, self.styles.title)
        if self.sheets:
            made.link(BACK_ROW, 0, CONTENTS, "\N{LEFTWARDS ARROW} Contents")
        made.text(NOTE_ROW, 0, note, self.styles.note)
        self._print(page)
        self.sheets.append(made)
        return made

    def _print(self, page: Worksheet) -> None:
        page.set_landscape()
        page.set_paper(A4)
        page.set_margins(left=0.4, right=0.4, top=0.5, bottom=0.7)
        page.fit_to_pages(1, 0)
        # "&" begins a code, and a digit after a size belongs to it; a footer has 255 characters at
        # most.
        name = clean(self.campaign.name).replace("\n", " ")[:60].replace("&", "&&")
        page.set_footer(f"&L&8 {name}&C&8&A&R&8Page &P of &N")
        page.hide_gridlines(2)

    def close(self) -> None:
        """Writes the file."""
        self.workbook.close()


def _date(utc: str) -> datetime.datetime:
    """When the campaign began; the beginning of Excel's time where that is not known."""
    try:
        return datetime.datetime.fromisoformat(utc).replace(tzinfo=None)
    except ValueError:
        return datetime.datetime(1980, 1, 1)
