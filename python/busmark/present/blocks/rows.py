"""Tables of what blocks list: a row for each thing with fields as columns, or a row for each
property."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from busmark.model import text
from busmark.model.figure import Figure
from busmark.present.document import ABSENT, Block, Cell, Column, Kind, Row, Section, Table, Text

Value = Cell | Figure | float | int | str | bool | None
"""What a field is of a thing."""


@dataclass(frozen=True, slots=True)
class Field:
    """A column: what it has of each thing."""

    title: str
    of: Callable[[Any], Value]
    unit: str = ""
    detail: bool = False
    """Whether it may be left out where there is no room."""
    scale: str = ""
    """Title of the field whose unit and scale it shares."""


Property = tuple[str, str, Sequence[Value]]
"""Its name, its unit, and its value in each column."""


def of_second(field: Field) -> Field:
    """Return the field of the second of a pair."""
    return replace(field, of=lambda pair: field.of(pair[1]))


def cell_of(value: Value) -> Cell:
    """Return a value as a cell."""
    match value:
        case None | "":
            return ABSENT
        case Cell():
            return value
        case Figure():
            sentence = f"{text.samples(value.count)}, {text.plural(value.rounds, 'round')}"
            return Cell(value.value, value.low, value.high, note=sentence)
        case bool():
            return Cell("yes" if value else "no")
        case _:
            return Cell(value)


def size(size_bytes: int | None) -> Cell:
    """Return the size of a body."""
    return ABSENT if size_bytes is None else Cell(size_bytes, text=text.size_text(size_bytes))


def listing(
    things: Sequence[Any], fields: Iterable[Field], title: str = "", *, note: str = "",
    group: Callable[[Any], str] = lambda _: "", case: Callable[[Any], str] = lambda _: "",
    key: str = "",
) -> Table:  # fmt: skip
    """Return a row for each thing; a column that has nothing is left out.

    Args:
        things: what there are rows of.
        fields: the columns; the first names a row.
        title: of the table.
        note: what is to be known of its columns.
        group: the heading above the row of a thing.
        case: identifier of the case that a thing is of.
        key: name of the table.
    """
    columns = []
    for place, field in enumerate(fields):
        cells = [cell_of(field.of(each)) for each in things]
        if place and all(cell == ABSENT for cell in cells):
            continue
        kind = _kind(cells, field.unit) if place else "label"
        columns.append(
            Column(field.title, cells, kind, field.unit, detail=field.detail, scale=field.scale)
        )
    rows = [Row(group=group(each), case=case(each)) for each in things]
    return Table(columns, rows, title, notes(note), key=key)


def _kind(cells: Sequence[Cell], unit: str) -> Kind:
    values = [cell.value for cell in cells if cell != ABSENT]
    if not all(isinstance(value, int | float) or cell.text
               for value, cell in zip(values, cells, strict=False)):  # fmt: skip
        return "text"
    if any(cell.low is not None for cell in cells):
        return "figure"
    if not unit and all(isinstance(value, int) for value in values):
        return "count"
    return "number"


def properties(
    named: Iterable[Property], title: str = "", *,
    heads: Sequence[str] = ("Typical round",), first: str = "Figure", note: str = "",
    groups: Sequence[str] = (),
) -> Table:  # fmt: skip
    """Return a row for each property: its name, its unit, and its value in each column. One that
    has none is left out.

    Args:
        named: the properties; each cell is in a unit of its own.
        title: of the table.
        heads: headings of the columns of values.
        first: heading of the names.
        note: what is to be known of the values.
        groups: the heading above each property.
    """
    every = list(named)
    kept = [n for n, (_, _, values) in enumerate(every) if any(v is not None for v in values)]
    names = [Cell(every[n][0]) for n in kept]
    columns = [Column(first, names, "label")]
    for place, head in enumerate(heads):
        cells = [_with_unit(cell_of(every[n][2][place]), every[n][1]) for n in kept]
        columns.append(Column(head, cells, "figure"))
    rows = [Row(group=groups[n] if groups else "") for n in kept]
    return Table(columns, rows, title, notes(note))


def _with_unit(cell: Cell, unit: str) -> Cell:
    if unit:
        return replace(cell, unit=unit)
    if isinstance(cell.value, int) and not cell.text:
        return replace(cell, text=text.count(cell.value))
    return cell


def notes(*words: str) -> list[Text]:
    """Return what is to be known, as paragraphs."""
    return [Text("line", {"line": each}, style="quiet") for each in words if each]


def sections(
    title: str, tables: Iterable[Table | None], *, folded: bool = False
) -> Iterator[Section]:
    """Yield a section of these tables, without the empty ones; none where all are."""
    blocks: list[Block] = [table for table in tables if table and table.rows]
    if blocks:
        yield Section(title, blocks, folded=folded)
