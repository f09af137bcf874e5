"""A document as an Excel workbook: a sheet for each section, numbers as numbers, native charts.

The unit of a column stands in its heading, limits of intervals have columns of their own. Charts of
curves and bars read cells below them. The same document gives the same bytes.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from io import BytesIO
from math import ceil, isfinite
from pathlib import Path

import xlsxwriter
from xlsxwriter.format import Format
from xlsxwriter.worksheet import Worksheet

from busmark import __version__, files
from busmark.present.charts.shapes import Bars, Picture
from busmark.present.document import Chart, Document, Section, Table, Text
from busmark.present.flat import FlatColumn, places_of
from busmark.present.sinks import workbook_charts

CONTENTS = "Contents"

LONGEST_NAME = 31
FORBIDDEN = re.compile(r"[\[\]:*?/\\'\x00-\x1f]")
"""An apostrophe is allowed inside a name, but has to be doubled in every link."""

RESERVED = "history"
"""Excel keeps this name for itself."""

LONGEST_TEXT = 32_767
"""Characters of a cell."""

NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
"""Characters that no XML document may hold."""

CUT = " \N{HORIZONTAL ELLIPSIS} (cut)"

MAX_ROWS = 1_048_576

MOST_SHAPES = 30
"""Charts on a sheet; nobody looks through more."""

FIRST_ROW, DEEPEST = 4, 12
"""Row of the first block, and rows up to which a head stays in sight, with those above it."""

WIDEST, NARROWEST, LINE, HEADING_LINES = 60, 9, 15, 4
"""Characters of a column, the height of a line of text, and lines of a long heading."""

READABLE = 190
"""Characters beside each other on a sheet of A4."""

NUMBERS = {"count": "#,##0", "ratio": "0.00", "number": "[<10]0.000;[<1000]0.0;#,##0"}
"""Digits shown; cells have all."""

OPTIONS = {
    "in_memory": True,
    # Text is text, whatever it begins with.
    "strings_to_formulas": False,
    "strings_to_numbers": False,
    "strings_to_urls": False,
}

BLUE, PALE, GREY = "#0072B2", "#DCE9F3", "#6B6B6B"

STYLES: dict[str, dict[str, object]] = {
    "title": {"bold": True, "font_size": 15, "font_color": BLUE},
    "heading": {"bold": True, "font_size": 12, "font_color": BLUE},
    "head": {"bold": True, "text_wrap": True, "valign": "vcenter", "align": "center",
             "bg_color": PALE, "bottom": 1, "bottom_color": BLUE},
    "note": {"font_color": GREY, "italic": True},
    "link": {"font_color": BLUE, "underline": 1, "valign": "top"},
}  # fmt: skip


@dataclass(slots=True)
class Sheet:
    """A sheet that is being filled from above."""

    page: Worksheet
    name: str
    row: int = FIRST_ROW
    widths: dict[int, float] = field(default_factory=dict)
    rows: str = ""
    """Number of rows, for the contents."""
    drawn: int = 0
    shapes: int = 0
    """Charts that are drawn, and that there are, on all of the sheet."""

    @property
    def charts(self) -> str:
        """Return how many charts there are, for the contents."""
        if self.drawn == self.shapes:
            return str(self.drawn or "")
        return f"{self.drawn} of {self.shapes}"


def write(document: Document, folder: Path) -> list[Path]:
    """Write the document into a file of `folder`."""
    path = folder / f"{document.stem}.xlsx"
    # Not by its library into the file, which says a traceback where the disk is full.
    memory = BytesIO()
    _Book(document, memory).fill()
    files.write(path, memory.getvalue())
    return [path]


class _Book:
    def __init__(self, document: Document, memory: BytesIO) -> None:
        self.document = document
        self.file = xlsxwriter.Workbook(memory, OPTIONS)
        self.file.set_properties(
            {
                "title": clean(document.title),
                "author": f"Busmark {__version__}",
                "created": datetime.datetime(1980, 1, 1),
            }
        )
        self._names = SheetNames()
        self._formats: dict[str, Format] = {}

    def fill(self) -> None:
        """Write all sheets; the contents come first and are known last."""
        contents = self._sheet(CONTENTS, self.document.title, "")
        listed: list[tuple[Section, Sheet]] = []
        for section in self.document.sections:
            if not section.title:
                continue
            sheet = self._sheet(_name(section), section.title, section.summary)
            self._link(sheet, 1, CONTENTS, "\N{LEFTWARDS ARROW} Contents")
            self._section(sheet, section)
            listed.append((section, sheet))
        self._contents(contents, listed)
        contents.page.activate()
        self.file.close()

    def style(self, name: str, **more: object) -> Format:
        """Return a format of cells, made once."""
        key = f"{name} {more}"
        if key not in self._formats:
            self._formats[key] = self.file.add_format({**STYLES.get(name, {}), **more})
        return self._formats[key]

    def _sheet(self, name: str, title: str, note: str) -> Sheet:
        given = self._names.give(name)
        page = self.file.add_worksheet(given)
        made = Sheet(page, given)
        self.text(made, 0, 0, title, self.style("title"))
        self.text(made, 2, 0, note, self.style("note"))
        page.set_landscape()
        page.set_paper(9)
        page.set_margins(left=0.4, right=0.4, top=0.5, bottom=0.7)
        page.fit_to_pages(1, 0)
        # "&" begins a code, and a digit after a size belongs to it; a footer has 255 characters at
        # most.
        footer = clean(self.document.title).replace("\n", " ")[:60].replace("&", "&&")
        page.set_footer(f"&L&8 {footer}&C&8&A&R&8Page &P of &N")
        page.hide_gridlines(2)
        return made

    def text(
        self, sheet: Sheet, row: int, column: int, text: str, style: Format | None = None
    ) -> None:
        """Write text that is never taken for a formula."""
        sheet.page.write_string(row, column, clean(text), style)

    def _link(self, sheet: Sheet, row: int, name: str, text: str) -> None:
        sheet.page.write_url(row, 0, f"internal:'{name}'!A1", self.style("link"), text)

    def _section(self, sheet: Sheet, section: Section) -> None:
        tables = list(section.tables)
        for block in section.blocks:
            if isinstance(block, Text):
                self.text(sheet, sheet.row, 0, str(block).strip(), self.style("note"))
                sheet.row += 1
            elif isinstance(block, Table):
                self._table(sheet, block, alone=len(tables) == 1)
            elif isinstance(block, Chart):
                self._chart(sheet, block)
        sheet.rows = str(sum(len(table.rows) for table in tables) or "")
        for column, width in sheet.widths.items():
            sheet.page.set_column(column, column, width)
        pages = max(1, ceil(sum(sheet.widths.values()) / READABLE))
        sheet.page.fit_to_pages(pages, 0)
        if pages > 1:
            sheet.page.repeat_columns(0)

    def _table(self, sheet: Sheet, table: Table, *, alone: bool) -> None:
        """Write a table; where it is the only one, its headings stay and filter."""
        page, places = sheet.page, list(places_of(table))
        if not places:
            return
        if table.title:
            self.text(sheet, sheet.row, 0, table.title, self.style("heading"))
            sheet.row += 1
        head = sheet.row
        for number, place in enumerate(places):
            self.text(sheet, head, number, place.title, self.style("head"))
            if place.note:
                page.write_comment(head, number, clean(place.note), {"x_scale": 2})
            width = max(sheet.widths.get(number, NARROWEST), _width(place))
            sheet.widths[number] = width
        page.set_row(
            head,
            LINE
            * max(2, *(ceil(1.2 * len(p.title) / sheet.widths[n]) for n, p in enumerate(places))),
        )
        shown = min(len(table.rows), MAX_ROWS - head - 1)
        for number, place in enumerate(places):
            for offset, value in enumerate(place.values[:shown]):
                grey = table.rows[offset].role == "floor"
                self._value(page, head + 1 + offset, number, value, place.form, grey=grey)
        for offset in range(shown):
            texts = [
                (str(p.values[offset]), sheet.widths[n])
                for n, p in enumerate(places)
                if p.form == "text" and p.values[offset]
            ]
            lines = max((ceil(len(text) / width) for text, width in texts), default=1)
            if lines > 1:
                page.set_row(head + 1 + offset, min(400, LINE * lines))
        page.freeze_panes(head + 1 if alone and head < DEEPEST else 0, 1)
        if alone:
            page.autofilter(head, 0, head + max(1, shown), len(places) - 1)
            page.repeat_rows(head)
        sheet.row = head + shown + 2
        for note in table.notes:
            self.text(sheet, sheet.row, 0, str(note), self.style("note"))
            sheet.row += 1
        sheet.row += 1

    def _value(
        self,
        page: Worksheet,
        row: int,
        column: int,
        value: float | str | None,
        form: str,
        *,
        grey: bool,
    ) -> None:
        look: dict[str, object] = {"valign": "top"}
        if grey:
            look["font_color"] = GREY
        if isinstance(value, str):
            text = self.style("cell", text_wrap=True, **look)
            page.write_string(row, column, clean(value), text)
        elif value is not None and isfinite(value):
            number = self.style("cell", num_format=NUMBERS.get(form, "General"), **look)
            page.write_number(row, column, value, number)

    def _chart(self, sheet: Sheet, chart: Chart) -> None:
        """Write each shape that Excel has, and below it the cells that it reads."""
        drawn = [
            each
            for each in chart.shapes
            if isinstance(each, Bars) or (isinstance(each, Picture) and not each.is_stack)
        ]
        if chart.explanation:
            self.text(sheet, sheet.row, 0, chart.explanation, self.style("note"))
            sheet.row += 2
        for shape in drawn[:MOST_SHAPES]:
            if shape.caption:
                self.text(sheet, sheet.row, 0, shape.caption, self.style("note"))
                sheet.row += 1
            data = workbook_charts.rows(shape)
            first = sheet.row + workbook_charts.ROWS_HIGH
            native = workbook_charts.native(self.file, sheet.name, chart.title, shape, first)
            sheet.page.insert_chart(sheet.row, 0, native, {"object_position": 3})
            for offset, row in enumerate(data):
                for column, value in enumerate(row):
                    if isinstance(value, str):
                        style = self.style("head" if offset == 0 else "note")
                        self.text(sheet, first + offset, column, value, style)
                    elif value is not None and isfinite(value):
                        sheet.page.write_number(first + offset, column, value)
            sheet.row = first + len(data) + 2
        sheet.drawn += min(len(drawn), MOST_SHAPES)
        sheet.shapes += len(chart.shapes)

    def _contents(self, sheet: Sheet, listed: Sequence[tuple[Section, Sheet]]) -> None:
        """Write what the document is of, links to all sheets, and how much they have."""
        lines = list(self.document.lines)
        for section in self.document.sections:
            if not section.title:
                lines += [str(one).strip() for one in section.blocks if isinstance(one, Text)]
        for row, line in enumerate(lines, 1):
            self.text(sheet, row, 0, line, self.style("note"))
        head = max(FIRST_ROW, len(lines) + 2)
        for column, (title, width) in enumerate(
            {"Sheet": LONGEST_NAME + 2, "Holds": 80, "Rows": 9, "Charts": 9}.items()
        ):
            self.text(sheet, head, column, title, self.style("head"))
            sheet.page.set_column(column, column, width)
        for row, (section, each) in enumerate(listed, head + 1):
            self._link(sheet, row, each.name, each.name)
            title = section.title if section.title != each.name else ""
            holds = ": ".join(part for part in (title, section.summary) if part)
            for column, text in enumerate((holds, each.rows, each.charts), 1):
                self.text(sheet, row, column, text, self.style("cell", text_wrap=column == 1))


def _name(section: Section) -> str:
    """Return the title of a section; where that is too long, the key of its only table."""
    keys = [table.key for table in section.tables]
    if len(section.title) <= LONGEST_NAME or len(keys) != 1 or not keys[0]:
        return section.title
    return keys[0].replace("-", " ").capitalize()


def _width(place: FlatColumn) -> float:
    """Size a column in characters: heading in a few lines, numbers whole, texts up to a limit."""
    word = max((len(word) for word in place.title.split()), default=0)
    heading = max(word + 2, len(place.title) / HEADING_LINES + 2)
    shown = [
        each if isinstance(each, str) else f"{each:,.0f}"
        for each in place.values
        if each is not None
    ]
    longest = max((len(line) for text in shown for line in text.splitlines()), default=0)
    return min(WIDEST, max(NARROWEST, heading, longest + 2))


def clean(text: str) -> str:
    """Return text for a cell: what XML does not allow becomes a replacement character, what is too
    long is cut and says so."""
    text = NOT_XML.sub("\N{REPLACEMENT CHARACTER}", text)
    # Excel counts UTF-16 units.
    units = text.encode("utf-16-le")
    if len(units) // 2 <= LONGEST_TEXT:
        return text
    return units[: 2 * (LONGEST_TEXT - len(CUT))].decode("utf-16-le", "ignore") + CUT


class SheetNames:
    """Gives every sheet its own name; Excel does not distinguish upper from lower case."""

    def __init__(self) -> None:
        self._taken: set[str] = {RESERVED}

    def give(self, wanted: str) -> str:
        """Return `wanted` as far as Excel allows, cut between words, with a number where it is
        taken."""
        allowed = FORBIDDEN.sub(" ", clean(wanted).replace("/", "\N{DIVISION SLASH}"))
        plain = " ".join(allowed.split()) or "Sheet"
        name, number = _fits(plain, ""), 2
        while name.casefold() in self._taken:
            name = _fits(plain, f" ({number})")
            number += 1
        self._taken.add(name.casefold())
        return name


def _fits(plain: str, ending: str) -> str:
    """Return at most 31 UTF-16 units, the ending whole."""
    room = LONGEST_NAME - len(ending)
    units = plain.encode("utf-16-le")
    if len(units) // 2 <= room:
        return plain + ending
    cut = units[: 2 * room].decode("utf-16-le", "ignore")
    whole = cut if plain[len(cut) :].startswith(" ") else cut.rpartition(" ")[0] or cut
    if "(" in whole and ")" not in whole:
        whole = whole.partition(" (")[0]
    return whole.strip(" ([,\N{MIDDLE DOT}\N{EN DASH}") + ending
