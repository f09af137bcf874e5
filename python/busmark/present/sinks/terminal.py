"""A document in the terminal: fits 80 columns, and grows to the width that there is.

Where a table is too wide, details go first, then intervals move below their values, then columns
that are left follow in a second band under the same labels.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rich import box
from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text as RichText

from busmark.present import figures
from busmark.present.document import Column, Document, Section, Style, Table, Text
from busmark.report.roomy import NARROW, paragraph, room

STYLES: dict[Style, str] = {
    "": "", "error": "bold red", "warning": "yellow", "note": "cyan", "quiet": "dim",
}  # fmt: skip

GAP = 2
"""Characters between columns."""

WIDEST_HEADING = 17
"""Characters of the heading of a column of numbers above which it takes several lines."""

WIDEST_LABEL = 28
"""Characters of labels up to which none is broken."""

MARKS = "See"
"""Heading of the column of marks."""


def show(document: Document, console: Console) -> None:
    """Print the document; plain text where the console is not a terminal."""
    console.print(RichText(document.title, style="bold"))
    for line in document.lines:
        paragraph(line, console)
    for section in document.sections:
        if not section.detail:
            show_section(section, console)


def show_section(section: Section, console: Console) -> None:
    """Print a section under its heading."""
    if section.title:
        console.print()
        heading = RichText(" ".join(filter(None, (section.mark, section.title))), style="bold")
        if section.summary:
            heading.append(f"  {section.summary}", style="not bold")
        console.print(heading)
    for number, block in enumerate(section.blocks):
        if isinstance(block, Table):
            if number and isinstance(section.blocks[number - 1], Table):
                console.print()
            show_table(block, console)
        elif isinstance(block, Text):
            show_text(block, console)


def show_text(text: Text, console: Console) -> None:
    """Print a sentence, broken at the terminal's width."""
    words = str(text)
    indent = " " * (len(words) - len(words.lstrip(" ")))
    paragraph(words.strip(), console, STYLES[text.style], indent)


@dataclass(slots=True)
class _Place:
    """A column as it is printed."""

    group: str
    title: str
    cells: list[str]
    right: bool = False
    follows: bool = False
    """Whether it stays with the column before it."""
    whole: bool = False
    """Whether it is broken only where it is very long."""
    room: int = 0
    """Characters that the heading of its group wants."""

    @property
    def width(self) -> int:
        """Characters of its longest cell; the heading of numbers may take several lines."""
        cells = max((_longest(one) for one in self.cells), default=0)
        heading = len(self.title)
        if self.right and heading > WIDEST_HEADING:
            heading = max(map(len, textwrap.wrap(self.title, max(cells, WIDEST_HEADING))))
        return max(self.room, cells, heading)

    @property
    def least(self) -> int:
        """Width where text is broken between words."""
        if self.right or (self.whole and self.width <= WIDEST_LABEL):
            return self.width
        return self.words

    @property
    def words(self) -> int:
        """Characters of its longest word."""
        return max(_longest(one.replace(" ", "\n")) for one in (self.title, *self.cells))


def _longest(cell: str) -> int:
    return max(map(len, cell.split("\n")))


def show_table(table: Table, console: Console) -> None:
    """Print a table under its title, and its notes."""
    if table.title:
        paragraph(table.title, console)
    places, hidden = _fitted(table, room(console))
    widest = max((_total(unit, broken=True) for unit in _units(places[1:])), default=0)
    if widest and places[0].words + GAP + widest > room(console):
        _records(places, table, console)
    else:
        # A matrix that is wider than a screen is read group by group, in a pipe as well.
        apart = table.brief and _total(places) > NARROW
        groups = _groups(places[1:]) if apart else [places[1:]]
        for group in groups:
            for band in _bands([places[0], *group], room(console)):
                _print(band, table, console)
    notes = [Text("columns", {"names": ", ".join(hidden)})] if hidden else []
    for note in (*notes, *table.notes):
        paragraph(str(note), console, STYLES["quiet"])


@dataclass(frozen=True, slots=True)
class _Form:
    """How much of a cell is printed."""

    more: bool = False
    """What stands behind values, where it does not belong to them."""
    intervals: bool = True
    of_ratios: bool = True
    below: bool = False
    """Intervals below their values."""


WHOLE = _Form(more=True)
FORMS = (WHOLE, _Form(), _Form(below=True))
BRIEF = (WHOLE, _Form(), _Form(of_ratios=False), _Form(intervals=False))
"""As the room gets less."""


def _fitted(table: Table, width: int) -> tuple[list[_Place], list[str]]:
    """Columns as there is room for them, and titles of those that were left out."""
    columns = list(table.columns)
    hidden: list[str] = []
    # Figures behind the first go last, but for those that a matrix consists of.
    measured = [column for column in table.columns if column.kind == "figure"]
    details = [column for column in measured[1:] if not column.detail and not table.brief]
    details += [column for column in table.columns if column.detail]
    while True:
        for form in BRIEF if table.brief else FORMS:
            places = _places(table, columns, form)
            if notes := _marks_of(table, notes=width >= NARROW):
                places.append(notes)
            widest = max(_total(places[:1] + group) for group in _groups(places[1:]))
            if widest <= width if table.brief else _total(places, broken=True) <= width:
                return places, hidden
        if not details:
            return places, hidden
        column = details.pop()
        columns.remove(column)
        hidden.insert(0, column.title)


def _groups(places: Sequence[_Place]) -> list[list[_Place]]:
    """Columns by the heading over them."""
    found: dict[str, list[_Place]] = {}
    for place in places:
        found.setdefault(place.group, []).append(place)
    return list(found.values()) or [[]]


def _total(places: Sequence[_Place], *, broken: bool = False) -> int:
    """Characters of a line; `broken`: with texts broken between words."""
    wide = sum(place.least if broken else place.width for place in places)
    return wide + GAP * (len(places) - 1)


def _places(table: Table, columns: Sequence[Column], form: _Form) -> list[_Place]:
    made: list[_Place] = []
    for column in columns:
        shown = figures.shown(column, table)
        limits = form.intervals and (form.of_ratios or column.kind != "ratio")
        widest = max((len(one.interval) for one in shown), default=0) if limits else 0
        cells = []
        for one in shown:
            always = form.more or column.kind in ("ratio", "figure")
            cell = f"{one.value} {one.more}" if one.more and always else one.value
            if widest and form.below:
                cell = f"{cell.strip()}\n{one.interval}" if one.interval else cell.strip()
            elif widest:
                cell = f"{cell} {one.interval:<{widest}}"
            cells.append(cell)
        group, title = figures.heading(column, table)
        right = column.kind not in ("label", "text")
        made.append(
            _Place(
                group, title, cells, right, follows=column.kind == "ratio",
                whole=column.kind == "label",
            )
        )  # fmt: skip
    if made and len(table.groups) > 1:
        made[0].room = max(map(len, table.groups))
    return made


def _marks_of(table: Table, *, notes: bool) -> _Place | None:
    """A column of the letters of findings by severity, "!!a !cd f"; `notes`: of all, else of errors
    and warnings."""
    cells = []
    for row in range(len(table.rows)):
        by_sign: dict[str, str] = {"!!": "", "!": "", "": ""}
        for mark in dict.fromkeys(m for column in table.columns for m in column.cells[row].marks):
            letter = mark.lstrip("!")
            by_sign[mark[: len(mark) - len(letter)]] += letter
        shown = [s + letters for s, letters in by_sign.items() if letters and (s or notes)]
        cells.append(" ".join(shown))
    return _Place("", MARKS, cells, whole=True) if any(cells) else None


def _bands(places: Sequence[_Place], width: int) -> Iterator[list[_Place]]:
    """Columns that fit side by side, each band after the first column. A group of columns begins a
    band where it does not fit behind another."""
    if _total(places, broken=True) <= width or not any(place.right for place in places):
        yield list(places)
        return
    first = places[0]
    band, taken = [first], first.width
    for unit in _units(places[1:]):
        group = [place for place in places[1:] if place.group and place.group == unit[0].group]
        begins = bool(group) and group[0] is unit[0]
        needed = max(_total(group), len(group[0].group)) + GAP if begins else _total(unit) + GAP
        if len(band) > 1 and taken + needed > width:
            yield band
            band, taken = [first], first.width
        band += unit
        taken += _total(unit) + GAP
    yield band


def _units(places: Sequence[_Place]) -> Iterator[list[_Place]]:
    """Columns that stay together: a ratio follows its figure."""
    unit: list[_Place] = []
    for place in places:
        if unit and not place.follows:
            yield unit
            unit = []
        unit.append(place)
    if unit:
        yield unit


def _records(places: Sequence[_Place], table: Table, console: Console) -> None:
    """Print each row as a list: for a terminal that has no room for two columns."""
    first, *others = places
    for number, row in enumerate(table.rows):
        name = ", ".join(part for part in (row.group, first.cells[number]) if part)
        paragraph(name, console, "bold")
        for place in others:
            cell = " ".join(place.cells[number].split("\n")).strip()
            title = ", ".join(part for part in (place.group, place.title) if part)
            if cell:
                paragraph(f"{title}: {cell}", console, lead="  ")


def _print(band: Sequence[_Place], table: Table, console: Console) -> None:
    """Print columns side by side, a row above each group of rows."""
    _headings(band, console)
    width = room(console)
    whole = _total(band) <= width
    rich = RichTable(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False, show_edge=False)
    left = width - _total(band, broken=True)
    for place in band:
        wide = place.width
        if not whole and not place.right:
            wide = min(place.width, place.least + max(0, left))
            left -= wide - place.least
        rich.add_column(
            RichText(place.title), justify="right" if place.right else "left", width=wide,
            overflow="fold",
        )  # fmt: skip
    grouped = len(table.groups) > 1
    for name, rows in table.groups.items():
        if grouped and name:
            rich.add_row(RichText(name, style="bold"))
        for row in rows:
            style = "dim" if table.rows[row].role == "floor" else None
            rich.add_row(*(RichText(place.cells[row]) for place in band), style=style)
    console.print(rich)


def _headings(band: Sequence[_Place], console: Console) -> None:
    """Print the headings over columns of one group, which rich's tables do not have."""
    if not any(place.group for place in band):
        return
    line, at = "", 0
    for number, place in enumerate(band):
        if place.group and (number == 0 or band[number - 1].group != place.group):
            own = [one for one in band[number:] if one.group == place.group]
            last = own[-1] is band[-1]
            if not last and (lacking := len(place.group) - _total(own)) > 0:
                own[-1].room = own[-1].width + lacking
            begin = max(at, at + _total(own) - len(place.group))
            if not line:
                end = min(at + _total(own), room(console))
                begin = max(0, end - len(place.group))
            line = f"{line:<{begin}}{place.group}"
        at += place.width + GAP
    console.print(RichText(line, style="bold"), soft_wrap=True)
