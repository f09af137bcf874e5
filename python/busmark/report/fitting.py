"""Which columns of a table a terminal has room for; the others are named below it."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass, field

from busmark.analysis.words import text
from busmark.report.same_in_all import LOST, SEEN
from busmark.report.tables import Cell, Column, Table

MUST, DETAIL = 0, 3
"""How dispensable a column is: not at all, and most of all."""

HEADLINES = 2
"""Figures that come before all others; of these the first must be there."""

FLOOR = 20
"""Characters of "floor (null adapter)", which stay in one line."""

SIZE, ROUNDS = "Size", "Rounds"
"""The first stands in rows of its own."""


@dataclass(slots=True)
class Fitted:
    """What is printed of a table."""

    columns: list[Column]
    gap: int
    """Spaces between columns."""
    folded: list[Column] = field(default_factory=list)
    """They stand below the label, in a line of their own."""
    hidden: list[str] = field(default_factory=list)
    """Headings."""
    short: bool = False
    """A share stands alone, without what it is a share of."""
    wraps: bool = False
    """Labels are broken, between words."""

    floors: frozenset[int] = frozenset()
    """Places of rows about which only their label is of interest."""

    def label(self, index: int) -> str:
        """Label of a row, with what is folded below it."""
        lines = [self.columns[0].cells[index].text]
        if index in self.floors:
            return self._floor(lines[0])
        below = [_named(column, column.cells[index]) for column in self.folded]
        if told := ", ".join(filter(None, below)):
            lines.append(f"  {told}")
        return "\n".join(lines)

    def _floor(self, label: str) -> str:
        """As wide as the other labels: these are what is compared."""
        if not self.short:
            return label
        others = [c.text for i, c in enumerate(self.columns[0].cells) if i not in self.floors]
        room = max([FLOOR, *map(len, others)])
        return "\n".join(textwrap.wrap(label, room, subsequent_indent="  "))

    def heading(self, column: Column) -> str:
        """With its unit, or with what is folded below it."""
        if column.kind == "label" and self.folded:
            return f"{column.title}\n  {', '.join(each.title.lower() for each in self.folded)}"
        return f"{column.title}, {column.unit}" if column.unit else column.title

    def value(self, cell: Cell) -> str:
        """What stands in a cell, without its interval."""
        share = cell.extra.strip(" ()")
        shown = share if self.short and share.endswith("%") else cell.text + cell.extra
        return shown + " " * len(cell.pad)


def hidden_text(titles: Sequence[str]) -> str:
    """ "2 columns hidden: p99.9 RTT/2, History. …"; empty without any."""
    if not titles:
        return ""
    sign = "; " if any("," in title for title in titles) else ", "
    named = f"{text.plural(len(titles), 'column')} hidden: {sign.join(dict.fromkeys(titles))}"
    return f"{named}. Widen the terminal, or use --wide."


def that_fit(
    heads: Sequence[str], rows: Sequence[Sequence[str]], expendable: Sequence[str], width: int,
    gap: int,
) -> list[str]:  # fmt: skip
    """The headings of the columns for which there is room; the first `expendable` goes first."""
    widths = {
        head: max([len(head), *(len(row[place]) for row in rows)])
        for place, head in enumerate(heads)
    }
    kept = list(heads)
    for head in expendable:
        if sum(widths[each] + gap for each in kept) - gap <= width:
            break
        kept.remove(head)
    return kept


def fitted(table: Table, width: int) -> Fitted:
    """The table for this many characters. Loss is always there, and so is a choice without which
    figures cannot be compared: below the label if there is no room beside it."""
    own = [column for column in table.columns if column.title != SIZE]
    floors = frozenset(index for index, row in enumerate(table.rows) if row.is_floor)
    if len(floors) == len(table.rows):
        floors = frozenset()
    for found in (Fitted(own, 2), Fitted(own, 1), Fitted(own, 1, short=True)):
        found.floors = floors
        if _width(found) <= width:
            return found
    ranks = _ranks(own)
    found = Fitted([own[i] for i in range(len(own)) if ranks[i] < 2], 1, short=True, floors=floors)
    beside = set(range(len(own)))
    if _width(found) > width:
        found.folded = [column for column in own if _says_what(column)]
        beside = {i for i in beside if not _says_what(own[i])}
    chosen = _chosen(found, own, {i: ranks[i] for i in beside}, width)
    found.columns = [own[i] for i in sorted(chosen)]
    found.hidden = [own[i].title for i in sorted(beside - chosen)]
    found.wraps = _width(found) > width
    return found


def _chosen(found: Fitted, own: Sequence[Column], ranks: dict[int, int], width: int) -> set[int]:
    """Places of the columns for which there is room; details only where all else is there."""
    chosen = {i for i, rank in ranks.items() if rank == MUST}
    for place, rank in sorted(ranks.items(), key=lambda pair: (pair[1], pair[0])):
        whole = all(i in chosen for i, other in ranks.items() if other < DETAIL)
        if rank == MUST or (rank == DETAIL and not whole):
            continue
        found.columns = [own[i] for i in sorted({*chosen, place})]
        if _width(found) <= width:
            chosen.add(place)
    return chosen


def _ranks(columns: Sequence[Column]) -> list[int]:
    """How dispensable each is."""
    figures = [i for i, c in enumerate(columns) if c.kind == "figure" and not c.detail]

    def rank(place: int, column: Column) -> int:
        if column.kind == "label" or _says_what(column) or column.title == LOST:
            return MUST
        if column.detail:
            return DETAIL
        if place in figures:
            return min(figures.index(place), HEADLINES)
        return 1 if column.title == ROUNDS else 2

    return [rank(place, column) for place, column in enumerate(columns)]


def _says_what(column: Column) -> bool:
    """Whether it says what a row is: a choice, or the workload."""
    return column.tells_rows and not column.detail


def _named(column: Column, cell: Cell) -> str:
    """A cell without its heading."""
    if cell.text == text.ABSENT:
        return ""
    alone = column.title.lower() in SEEN and cell.text != "none"
    return cell.text if alone else f"{column.title.lower()} {cell.text}"


def _width(found: Fitted) -> int:
    """Characters from the first column to the last."""
    widths = [width_of(found, column) for column in found.columns]
    return sum(widths) + found.gap * max(0, len(widths) - 1)


def width_of(found: Fitted, column: Column) -> int:
    """Characters that a column needs."""
    heading = found.heading(column)
    if column.kind == "label":
        rows = (found.label(index) for index in range(len(column.cells)))
        return max(len(line) for told in (heading, *rows) for line in told.split("\n"))
    values = max((len(found.value(cell)) for cell in column.cells), default=0)
    intervals = max((len(cell.interval) for cell in column.cells), default=0)
    return max(len(heading), values + (intervals + 1 if intervals else 0))
