"""Sections of a document as sheets: a sheet for each, its tables one below the other."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from busmark.present import document, figures
from busmark.report.workbook import table
from busmark.report.workbook.book import FIRST_ROW, Book
from busmark.report.workbook.table import UNITS, Column, Value


def sheet(book: Book, section: document.Section, about: str) -> None:
    """Write a section: numbers as numbers, in the units of the workbook; ratios as texts."""
    made = book.sheet(section.title, section.title, about)
    row = FIRST_ROW
    for block in section.blocks:
        if isinstance(block, document.Chart):
            continue
        if isinstance(block, document.Text):
            made.text(row, 0, str(block).strip())
            row += 2
            continue
        if block.title:
            made.text(row, 0, block.title, book.styles.heading)
            row += 1
        floors = [each.role == "floor" for each in block.rows]
        columns = [each for column in block.columns for each in _columns(column, block)]
        table.write(made, row, columns, range(len(block.rows)), is_floor=floors.__getitem__,
                    filtered=False)  # fmt: skip
        row += len(block.rows) + (3 if any(column.group for column in columns) else 2)
        for note in block.notes:
            made.text(row, 0, str(note), book.styles.note)
            row += 1
        row += 1


def _columns(column: document.Column, of: document.Table) -> Iterator[Column[int]]:
    """A column of texts, or of numbers with their limits beside each other."""
    if column.kind not in ("figure", "number", "count") or column.unit not in UNITS:
        texts = [str(one) for one in figures.shown(column, of)]
        width = min(44.0, max(12.0, *(len(one) + 2 for one in [column.title, *texts])))
        yield Column(column.title, "text", texts.__getitem__, column.group, width, keep=True)
        return
    kind, factor = UNITS[column.unit]
    parts = ("value", "low", "high") if column.kind == "figure" else ("value",)
    heads = {"value": "estimate", "low": "lower", "high": "upper"}
    group = ": ".join(part for part in (column.group, column.title) if part)
    for part in parts:
        title = heads[part] if len(parts) > 1 else column.title
        yield Column(title, kind, _of(column, part, factor), group if len(parts) > 1 else "")


def _of(column: document.Column, part: str, factor: float) -> Callable[[int], Value]:
    def value(row: int) -> Value:
        found = getattr(column.cells[row], part)
        return found / factor if isinstance(found, int | float) else None

    return value
