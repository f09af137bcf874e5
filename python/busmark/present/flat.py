"""A table as columns of single values, for sinks whose cells hold one number or one text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import isfinite

from busmark.model.text import THIN
from busmark.present import figures
from busmark.present.document import Cell, Column, Table

NUMBER = f"+-0123456789.{THIN}"
"""Characters of a number."""


@dataclass(frozen=True, slots=True)
class FlatColumn:
    """A column: one of a table, a limit of its intervals, or what stands behind it."""

    title: str
    values: Sequence[float | str | None]
    form: str = "text"
    """count, ratio, number or text."""
    note: str = ""


def places_of(table: Table) -> Iterator[FlatColumn]:
    """Return the columns of a table. Limits, verdicts and remarks have columns of their own, which
    are there where some cell has one."""
    if len(table.groups) > 1:
        yield FlatColumn("Group", [row.group for row in table.rows])
    for column, title in zip(table.columns, figures.headings(table), strict=True):
        if column.kind in ("label", "text"):
            texts = [each.value for each in figures.shown(column, table)]
            yield FlatColumn(
                title,
                [
                    text if cell.text or cell.value is not None else None
                    for text, cell in zip(texts, column.cells, strict=True)
                ],
                note=column.note,
            )
        else:
            yield from _numbers(column, table, title)
    marks = [" ".join(table.marks(place)) for place in range(len(table.rows))]
    if any(marks):
        yield FlatColumn("See", [each or None for each in marks])


def _numbers(column: Column, table: Table, title: str) -> Iterator[FlatColumn]:
    factor = figures.scale_of(column, table).factor if column.unit else 1.0
    form = column.kind if column.kind in ("count", "ratio") else "number"
    units = {cell.unit for cell in column.cells if cell.value is not None}
    if len(units) == 1 and (unit := units.pop()):
        title = f"{title}, {unit}"
    yield FlatColumn(
        title, [_number(cell, "value", factor) for cell in column.cells], form, column.note
    )
    for end, name in (("low", "(lower)"), ("high", "(upper)")):
        limits = [_number(cell, end, factor) for cell in column.cells]
        if any(limit is not None for limit in limits):
            yield FlatColumn(f"{title} {name}", limits, form)
    if units:
        yield FlatColumn(f"{title} (unit)", [cell.unit or None for cell in column.cells])
    if any(cell.verdict for cell in column.cells):
        signs = figures.SIGNS
        verdicts = [f"{signs.get(c.verdict, '')} {c.verdict}".strip() for c in column.cells]
        yield FlatColumn(f"{title} (verdict)", [verdict or None for verdict in verdicts])
    remarks = [
        " ".join(filter(None, ("" if _is_only(cell) else cell.text, cell.more)))
        for cell in column.cells
    ]
    if any(remarks):
        yield FlatColumn(f"{title} (remark)", [remark or None for remark in remarks])


def _is_only(cell: Cell) -> bool:
    """Return whether the text of a cell says what its number says, or is in its place."""
    if not isinstance(cell.value, int | float) or not isfinite(cell.value):
        return True
    return bool(cell.unit) or not cell.text.strip(NUMBER)


def _number(cell: Cell, part: str, factor: float) -> float | str | None:
    """Return a number in the unit of the heading, or what stands in the place of one."""
    value = getattr(cell, part)
    if isinstance(value, int | float) and isfinite(value):
        return value / factor if factor != 1 else value
    return cell.text or None if part == "value" else None
