"""The first sheet: question, and links to all others."""

from __future__ import annotations

from collections.abc import Sequence

from busmark.analysis.model import Campaign
from busmark.report.workbook.book import FIRST_ROW, Book, Sheet
from busmark.report.workbook.table import height

NAMES, WIDTH = 36, 92


def begin(book: Book, campaign: Campaign) -> Sheet:
    """The sheet, empty: it comes first and is filled last."""
    return book.sheet("Contents", campaign.name, "", note=campaign.question or "")


def fill(sheet: Sheet, campaign: Campaign, left_out: Sequence[str]) -> None:
    """The sheets, and what is not in them."""
    book, page, styles = sheet.book, sheet.page, sheet.book.styles
    page.set_column(0, 0, NAMES)
    page.set_column(1, 1, WIDTH)
    row = FIRST_ROW
    sheet.text(row, 0, "Sheets", styles.heading)
    sheet.text(row + 1, 0, "Sheet", styles.head)
    sheet.text(row + 1, 1, "What it shows", styles.head)
    row += 2
    others = book.sheets[1:]
    for other in others:
        sheet.link(row, 0, other.name, other.name)
        title = other.title if other.title != other.name else ""
        about = other.about[:1].upper() + other.about[1:]
        told = f"{title}: {other.about}" if title else about
        sheet.text(row, 1, told, styles.cell("wrapped"))
        if tall := height([(told, WIDTH)]):
            sheet.page.set_row(row, tall)
        row += 1
    missing = [*left_out, *(part for other in others for part in other.parts), *campaign.problems]
    if missing:
        row = _sentences(sheet, row + 1, "Not in this workbook", missing)
    if not campaign.finished_utc:
        sheet.text(row + 1, 0, "The campaign was not finished.", styles.note)


def _sentences(sheet: Sheet, row: int, title: str, sentences: Sequence[str]) -> int:
    """Sentences over both columns; gives the row after them and a gap."""
    styles = sheet.book.styles
    sheet.text(row, 0, title, styles.heading)
    for offset, sentence in enumerate(sentences, 1):
        sheet.page.merge_range(row + offset, 0, row + offset, 1, "", styles.paragraph)
        sheet.text(row + offset, 0, sentence, styles.paragraph)
        # Excel does not fit the height of merged cells to their text.
        sheet.page.set_row(row + offset, height([(sentence, NAMES + WIDTH)]))
    return row + len(sentences) + 2
