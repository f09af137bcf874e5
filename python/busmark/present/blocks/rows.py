"""Tables of what blocks list: a row for each thing with fields as columns, or a row for each
property."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from operator import attrgetter, getitem, itemgetter
from typing import Any, Literal

from busmark.model import text
from busmark.model.case import CaseSummary
from busmark.model.entry import PartQuantity
from busmark.model.figure import Figure
from busmark.model.naming import placement_text
from busmark.present.document import (
    ABSENT,
    Block,
    Cell,
    Column,
    Kind,
    Row,
    Section,
    Style,
    Table,
    Text,
)

Value = Cell | Figure | float | int | str | bool | None
"""Value of a field."""


@dataclass(frozen=True, slots=True)
class Field:
    """A column: what it has of each thing."""

    title: str
    of: Callable[[Any], Value] | str
    """The value, or the name of the attribute that has it."""
    unit: str = ""
    detail: bool = False
    """Whether the field may be left out where there is no room."""
    scale: str = ""
    """Title of the field whose unit and scale it shares."""
    kind: Kind | Literal[""] = ""
    """Kind of the values; empty: it follows from them."""
    group: str = ""
    """Heading over this column and its neighbours of the same group."""

    def cells(self, things: Iterable[Any]) -> list[Cell]:
        """Return what it has of each thing."""
        of: Callable[[Any], Value] = attrgetter(self.of) if isinstance(self.of, str) else self.of
        return [cell_of(of(each)) for each in things]


Property = tuple[str, str, Sequence[Value]]
"""Name of a property, its unit, and its value in each column."""


def of_part(quantity: PartQuantity, title: str = "", *, detail: bool | None = None) -> Field:
    """Return the column of a figure of parts of a case; heading and detail are the quantity's
    unless others are given."""
    detail = quantity.detail if detail is None else detail
    return Field(title or quantity.title, itemgetter(quantity), quantity.unit, detail)


def of_second(field: Field) -> Field:
    """Return the field of the second of a pair."""
    return replace(field, of=lambda pair: field.cells(pair[1:])[0])


def cell_of(value: Value) -> Cell:
    """Return a value as a cell."""
    match value:
        case None | "":
            return ABSENT
        case Cell():
            return value
        case Figure():
            basis = text.samples(value.count)
            if value.unit == "CPU" and value.count is not None:
                basis = text.plural(value.count, "reading")
            sentence = f"{basis}, {text.plural(value.rounds, 'round')}"
            return Cell(value.value, value.low, value.high, note=sentence)
        case bool():
            return Cell("yes" if value else "no")
        case _:
            return Cell(value)


def size(size_bytes: int | None) -> Cell:
    """Return the size of a body."""
    if size_bytes is None:
        return ABSENT
    return Cell(size_bytes, text=text.size_text(size_bytes), unit="B")


def labelled(thing: Any) -> Cell:
    """Return the label of a thing, with its colour and mark before it."""
    return Cell(thing.label, label=thing.label)


def item(*keys: Any) -> Callable[[Any], Any]:
    """Return the function that takes what is at the first key, then at the next of that."""
    return lambda thing: reduce(getitem, keys, thing)


def listing(
    things: Iterable[Any],
    fields: Iterable[Field],
    title: str = "",
    *,
    note: str | Sequence[Text] = "",
    row: Callable[[Any], Row] = lambda _: Row(),
    key: str = "",
) -> Table:
    """Return a row for each thing; a column that has nothing is left out.

    Args:
        things: what there are rows of.
        fields: the columns; the first names a row.
        title: of the table.
        note: what is to be known of its columns.
        row: what is true of the whole row of a thing.
        key: name of the table.
    """
    known, columns = list(things), list[Column]()
    for field in fields:
        cells = field.cells(known)
        if columns and all(cell == ABSENT for cell in cells):
            continue
        kind = field.kind or (_kind(cells, field.unit) if columns else "label")
        columns.append(
            Column(field.title, cells, kind, field.unit, field.group, field.detail, field.scale)
        )
    words = notes(note) if isinstance(note, str) else note
    return Table(columns, [row(each) for each in known], title, words, key=key)


def table(
    heads: Sequence[str],
    rows: Sequence[Sequence[Value]],
    title: str = "",
    *,
    note: str | Sequence[Text] = "",
    key: str = "",
) -> Table:
    """Return a table of these rows, without the columns that have nothing."""
    fields = [Field(head, itemgetter(place)) for place, head in enumerate(heads)]
    return listing(rows, fields, title, note=note, key=key)


def _kind(cells: Sequence[Cell], unit: str) -> Kind:
    known = [cell for cell in cells if cell != ABSENT]
    if not all(isinstance(cell.value, int | float) or cell.text for cell in known):
        return "text"
    if any(cell.low is not None for cell in cells):
        return "figure"
    if not unit and all(isinstance(cell.value, int) for cell in known):
        return "count"
    return "number"


def properties(
    named: Iterable[Property],
    title: str = "",
    *,
    heads: Sequence[str] = ("Typical round",),
    first: str = "Figure",
    note: str = "",
    groups: Sequence[str] = (),
) -> Table:
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


def further_rows(number: int, where: str = "`--json`") -> Text:
    """Return how many rows are left out, and what has all."""
    return Text("more", {"number": number, "where": where}, "quiet")


def null_elsewhere(rows: Iterable[tuple[str, CaseSummary]]) -> Iterator[Text]:
    """Yield where the null adapter was measured if that is not the placement of the rows that it
    stands among, each of which is a placement and the null adapter's case."""
    places = dict.fromkeys(
        floor.placement for own, floor in rows if own not in ("", floor.placement)
    )
    if places:
        where = text.joined([placement_text(each) for each in places])
        yield fact("Null adapter", f"measured {where}")


def fact(title: str, facts: str, style: Style = "quiet") -> Text:
    """Return a fact as a paragraph: "Rounds: 5 on either side."."""
    return Text("facts", {"title": title, "facts": facts}, style)


def sections(
    title: str, tables: Iterable[Table | None], *, folded: bool = False
) -> Iterator[Section]:
    """Yield a section of these tables, without the empty ones; none where all are."""
    blocks: list[Block] = [table for table in tables if table and table.rows]
    if blocks:
        yield Section(title, blocks, folded=folded)
