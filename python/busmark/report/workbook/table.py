"""A table on a sheet: columns by what they show, rows of anything."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import ceil, isfinite
from typing import Generic, TypeVar

from busmark.analysis.figures import Figure
from busmark.report.workbook.book import Sheet
from busmark.report.workbook.styles import STATUS, Kind

MAX_ROWS = 1_048_576
"""Rows of a sheet of Excel."""

T = TypeVar("T")
Value = str | float | int | None

WIDTHS: dict[Kind, float] = {
    "text": 16, "wrapped": 44, "count": 12, "bytes": 11, "us": 13, "mbit": 17, "rate": 13,
    "share": 11, "plain": 9, "s": 11,
}  # fmt: skip

UNITS: dict[str, tuple[Kind, float]] = {
    "ns": ("us", 1e3), "Mbit/s": ("mbit", 1.0), "1/s": ("rate", 1.0), "1": ("share", 1.0),
    "CPU": ("plain", 1.0), "B": ("plain", 1.0), "MiB": ("plain", 1.0), "": ("count", 1.0),
}  # fmt: skip
"""What stands in a column of a figure of this unit, and by how much it is divided."""

LINE = 15
"""Height of a line of text."""

TALLEST = 400
"""Height of a row; Excel allows 409."""

PAGE = 190
"""Characters that are readable beside each other on a sheet of A4."""

MICRO = 1e3
"""Nanoseconds in the unit of every latency."""


@dataclass(frozen=True, slots=True)
class Column(Generic[T]):
    """One column; `group` is written over neighbours that have it in common."""

    title: str
    kind: Kind
    value: Callable[[T], Value]
    group: str = ""
    width: float | None = None
    keep: bool = False
    """Whether it stays where no row has a value."""


def micros(value_ns: float | None) -> float | None:
    """Nanoseconds as microseconds."""
    return None if value_ns is None else value_ns / MICRO


def estimate(
    title: str, kind: Kind, pick: Callable[[T], Figure | None], factor: float = 1.0
) -> list[Column[T]]:
    """An estimate and the limits of its interval, as a group of columns."""

    def get(field: str) -> Callable[[T], Value]:
        def value(row: T) -> Value:
            figure = pick(row)
            number: float | None = getattr(figure, field) if figure else None
            return None if number is None else number / factor

        return value

    heads = (("estimate", "value"), ("lower", "low"), ("upper", "high"))
    return [Column(head, kind, get(field), group=title) for head, field in heads]


def write(
    sheet: Sheet,
    first: int,
    columns: Sequence[Column[T]],
    rows: Sequence[T],
    *,
    is_floor: Callable[[T], bool] = lambda row: False,
    link: Callable[[T], str | None] = lambda row: None,
    filtered: bool = True,
    frozen: int | None = None,
    most: int = MAX_ROWS,
    pages: int | None = None,
) -> tuple[list[Column[T]], int]:
    """Writes headings at row `first` and rows below; gives the columns that are there, and how
    many rows had no room.

    Columns without any value are left out. What is missing is an empty cell.

    Args:
        link: name of the sheet that the first cell of a row leads to.
        pages: of paper beside each other; None: as many as it takes to read it.
        frozen: so many columns, and all headings, stay when the reader scrolls.
    """
    shown = [c for c in columns if c.keep or any(c.value(row) is not None for row in rows)]
    grouped = any(column.group for column in shown)
    head = first + 1 if grouped else first
    if grouped:
        _groups(sheet, first, shown)
    page, styles = sheet.page, sheet.book.styles
    for number, column in enumerate(shown):
        sheet.text(head, number, column.title, styles.head)
        page.set_column(number, number, column.width or WIDTHS[column.kind])
    page.set_row(head, 2 * LINE + 2)
    _paper(sheet, pages or ceil(sum(c.width or WIDTHS[c.kind] for c in shown) / PAGE))
    room = max(0, most - head - 1)
    kept = rows[:room]
    for offset, row in enumerate(kept):
        _row(sheet, head + 1 + offset, shown, row, is_floor(row), link(row))
    last = head + max(1, len(kept))
    if filtered and shown:
        page.autofilter(head, 0, last, len(shown) - 1)
    if frozen is not None:
        page.freeze_panes(head + 1, frozen)
        page.repeat_rows(first, head)
    return shown, len(rows) - len(kept)


def _paper(sheet: Sheet, pages: int) -> None:
    """So many pages beside each other, the first column on each."""
    sheet.page.fit_to_pages(max(1, pages), 0)
    if pages > 1:
        sheet.page.repeat_columns(0)


def height(texts: Iterable[tuple[str, float]]) -> float | None:
    """Height of a row that holds these texts in cells of these widths; None: one line. Not every
    program finds it out for itself."""
    lines = max(
        (sum(max(1, ceil(len(line) / width)) for line in text.splitlines() or [""])
         for text, width in texts), default=1,
    )  # fmt: skip
    return min(TALLEST, LINE * lines) if lines > 1 else None


def _groups(sheet: Sheet, row: int, columns: Sequence[Column[T]]) -> None:
    """Headings over several columns."""
    start = 0
    for number in range(1, len(columns) + 1):
        if number < len(columns) and columns[number].group == columns[start].group:
            continue
        title = columns[start].group
        style = sheet.book.styles.group if title else None
        if title and number - start > 1:
            sheet.page.merge_range(row, start, row, number - 1, "", style)
        sheet.text(row, start, title, style)
        start = number


def _row(
    sheet: Sheet, row: int, columns: Sequence[Column[T]], item: T, floor: bool, link: str | None
) -> None:
    styles = sheet.book.styles
    values = [column.value(item) for column in columns]
    wrapped = [
        (value, column.width or WIDTHS[column.kind])
        for value, column in zip(values, columns, strict=True)
        if column.kind == "wrapped" and isinstance(value, str)
    ]
    if tall := height(wrapped):
        sheet.page.set_row(row, tall)
    for number, (value, column) in enumerate(zip(values, columns, strict=True)):
        if link and number == 0 and isinstance(value, str):
            sheet.link(row, number, link, value)
        elif value is None or (isinstance(value, float) and not isfinite(value)):
            sheet.page.write_blank(row, number, None, styles.cell(column.kind, floor=floor))
        elif isinstance(value, str):
            style = styles.cell(column.kind, floor=floor, colour=STATUS.get(value))
            sheet.text(row, number, value, style)
        else:
            sheet.page.write_number(row, number, value, styles.cell(column.kind, floor=floor))
