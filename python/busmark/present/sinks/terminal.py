"""A document in the terminal: fits 80 columns, and grows to the width that there is.

Where a table is too wide, details go first, then intervals move below their values, then columns
that are left follow in a second band under the same labels.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from rich import box
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text as RichText

from busmark.model.text import ABSENT
from busmark.present import figures
from busmark.present.document import Column, Document, Section, Style, Table, Text, Verdict
from busmark.present.width import NARROW, line_length, paragraph, room, wrapped

STYLES: dict[Style, str] = {
    "": "",
    "error": "bold red",
    "warning": "yellow",
    "note": "cyan",
    "quiet": "dim",
}

VERDICTS: dict[Verdict, str] = {"worse": "bold red", "better": "green"}
"""Styles of words; ratios have none, for they are worse and better than a leader all the time."""

GAP = 2
"""Characters between columns."""

WIDEST_HEADING = 17
"""Characters of the heading of a column of numbers above which it takes several lines."""

WIDEST_LABEL, LEAST_LABEL = 28, 20
"""Characters of labels up to which none is broken, and of a line of those that are."""

LONGEST_WORD = 30
"""Characters of a word of text above which it is broken where there is no room."""

SENTENCE = 40
"""Characters of a line of text in a table that may be wider than other lines."""

MOST_BANDS = 2
"""Bands of a table above which each row is a list: rows in many bands are hard to follow."""

JOINED = "\N{NO-BREAK SPACE}"

MARKS = "See"
"""Heading of the column of marks."""


def show(document: Document, console: Console) -> None:
    """Print the document; plain text where the console is not a terminal."""
    paragraph(document.title, console, "bold")
    for line in document.lines:
        paragraph(line, console)
    before: Section | None = None
    for section in document.sections:
        if not section.detail:
            show_section(section, console, _notes_of_kind(section, before))
            before = section


def _notes_of_kind(section: Section, before: Section | None) -> set[str]:
    """Return the notes of the section before, where it shows the same of another case, as headings
    of the form "what: case" say."""
    what, colon, _ = section.title.partition(": ")
    if before is None or not colon or what != before.title.partition(": ")[0]:
        return set()
    tables = [block for block in before.blocks if isinstance(block, Table)]
    return {str(note) for table in tables for note in table.notes}


def show_section(section: Section, console: Console, known: Collection[str] = ()) -> None:
    """Print a section under its heading, without notes that are `known` from the one before."""
    if section.title:
        console.print()
        heading = RichText(" ".join(filter(None, (section.mark, section.title))), style="bold")
        if section.summary:
            heading.append(f"  {section.summary}", style="not bold")
        console.print(heading)
    for number, block in enumerate(section.blocks):
        if isinstance(block, Table):
            if number and (block.title or isinstance(section.blocks[number - 1], Table)):
                console.print()
            show_table(block, console, known)
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
    styles: list[str] | None = None
    """A style for each cell; None: none has one."""
    follows: bool = False
    """Whether the column stays with the column before it."""
    whole: bool = False
    """Whether the text is broken only where it is very long."""
    room: int = 0
    """Characters that the heading of its group wants."""
    tight: bool = False
    """Whether the heading of numbers takes as many lines as it has words."""

    @property
    def width(self) -> int:
        """Characters of its longest cell; the heading of numbers may take several lines."""
        cells = max((_longest(one) for one in self.cells), default=0)
        heading = len(self.title)
        widest = max(map(len, self.title.split()), default=0) if self.tight else WIDEST_HEADING
        if self.right and heading > widest:
            heading = max(map(len, wrapped(self.title, max(cells, widest))))
        return max(self.room, cells, heading)

    @property
    def least(self) -> int:
        """Width where text is broken between words."""
        if self.right or (self.whole and self.width <= WIDEST_LABEL):
            return self.width
        if self.whole:
            return max(self.words, min(self.width, LEAST_LABEL))
        return min(self.words, LONGEST_WORD)

    @property
    def words(self) -> int:
        """Characters of its longest word."""
        return max(_longest(one.replace(" ", "\n")) for one in (self.title, *self.cells))


def _longest(cell: str) -> int:
    return max(map(cell_len, cell.split("\n")))


def show_table(table: Table, console: Console, known: Collection[str] = ()) -> None:
    """Print a table under its title, and its notes but for those that are `known`."""
    if table.title:
        paragraph(table.title, console)
    places, hidden = _fitted(table, room(console))
    widest = max((_total(unit, broken=True) for unit in _units(places[1:])), default=0)
    lacks = widest and min(places[0].words, WIDEST_LABEL) + GAP + widest > room(console)
    if lacks or (not table.brief and len([*_bands(places, room(console))]) > MOST_BANDS):
        _records(places, table, console)
    else:
        # A matrix that is wider than a screen is read group by group, in a pipe as well.
        apart = table.brief and _total(places) > min(NARROW, room(console))
        groups = _groups(places[1:]) if apart else [places[1:]]
        for number, group in enumerate(groups):
            if number:
                console.print()
            rows: Collection[int] = range(len(table.rows))
            if apart:
                heads = {place.group for place in group}
                own = [c for c in table.columns if figures.heading(c, table)[0] in heads]
                rows = table.filled_rows(own)
            for band in _bands([places[0], *group], room(console)):
                _print(band, table, rows, console)
    notes = [Text("columns", {"names": ", ".join(hidden)})] if hidden else []
    if not table.brief:
        notes += figures.see(table)[1]
    for note in (*notes, *(note for note in table.notes if str(note) not in known)):
        paragraph(str(note), console, STYLES["quiet"])


@dataclass(frozen=True, slots=True)
class _Form:
    """How much of a cell is printed."""

    more: bool = False
    """Whether text that follows values, and does not belong to them, is printed."""
    intervals: bool = True
    of_ratios: bool = True
    below: bool = False
    """Intervals below their values."""


WHOLE = _Form(more=True)
FORMS = (WHOLE, _Form(), _Form(below=True))
BRIEF = (WHOLE, _Form(), _Form(of_ratios=False), _Form(intervals=False))
"""Forms in the order in which they need less room."""


def _fitted(table: Table, width: int) -> tuple[list[_Place], list[str]]:
    """Return columns as there is room for them, and titles of those that were left out."""
    columns = list(table.columns)
    hidden: list[str] = []
    # Figures behind the first go last, but for those that a matrix consists of.
    measured = [column for column in table.columns if column.kind == "figure"]
    details = [column for column in measured[1:] if not column.detail and not table.brief]
    details += [column for column in table.columns if column.detail]
    marks, _ = figures.see(table)
    folded = False
    while True:
        for form in BRIEF if table.brief else FORMS:
            places = _places(table, columns, form)
            if folded:
                places[0].cells = [_broken(cell, WIDEST_LABEL) for cell in places[0].cells]
            if not table.brief and any(marks):
                places.append(_Place("", MARKS, marks, whole=True))
            widest = max(_total(places[:1] + group) for group in _groups(places[1:]))
            if widest <= width if table.brief else _reach(places) <= width:
                return places, hidden
            if table.brief and form is BRIEF[-1]:
                # A heading of several lines is easier to read than a second band.
                for place in places:
                    place.tight = True
                if max(_total(places[:1] + group) for group in _groups(places[1:])) <= width:
                    return places, hidden
        if not folded and places[0].words > WIDEST_LABEL:
            folded = True
            continue
        if not details:
            # A broken label is easier to read than a second band, or than a broken number.
            widest = max((_total(unit) for unit in _units(places[1:])), default=0)
            for place in places:
                if not table.brief or places[0].width + GAP + widest > width:
                    place.whole = False
            return places, hidden
        # Half of what one heading has says nothing.
        group = details[-1].group
        gone = [one for one in details if group and one.group == group] or details[-1:]
        details = [one for one in details if one not in gone]
        columns = [one for one in columns if one not in gone]
        hidden = [f"{group}: {one.title}" if group else one.title for one in gone] + hidden


def _groups(places: Sequence[_Place]) -> list[list[_Place]]:
    """Group the columns by the heading over them."""
    found: dict[str, list[_Place]] = {}
    for place in places:
        found.setdefault(place.group, []).append(place)
    return list(found.values()) or [[]]


def _total(places: Sequence[_Place], *, broken: bool = False) -> int:
    """Count the characters of a line; `broken`: with texts broken between words."""
    wide = sum(place.least if broken else place.width for place in places)
    return wide + GAP * (len(places) - 1)


def _reach(places: Sequence[_Place]) -> int:
    """Count characters of a line with text broken between words, or of the headings above it."""
    last = places[-1].group
    own = [place for place in places if place.group == last]
    beyond = len(last) - _total(own) if len(own) < len(places) - 1 else 0
    return _total(places, broken=True) + max(0, beyond)


def _places(table: Table, columns: Sequence[Column], form: _Form) -> list[_Place]:
    made: list[_Place] = []
    for column in columns:
        shown = figures.shown(column, table)
        limits = form.intervals and (form.of_ratios or column.kind != "ratio")
        widest = max((len(one.interval) for one in shown), default=0) if limits else 0
        more = [
            one.more if form.more or column.kind in ("ratio", "figure") else "" for one in shown
        ]
        longest = max(map(len, more), default=0)
        cells = []
        for one, words in zip(shown, more, strict=True):
            # The interval belongs to the value, so a remark stands behind both.
            if widest and form.below:
                parts = (one.value.strip(), one.interval, words)
                cells.append("\n".join(part for part in parts if part))
            elif widest:
                behind = f" {words:<{longest}}" if longest else ""
                cells.append(f"{one.value} {one.interval:<{widest}}{behind}")
            else:
                cells.append(f"{one.value} {words}" if words else one.value)
        group, title = figures.heading(column, table)
        right = column.kind not in ("label", "text")
        verdicts = [VERDICTS.get(cell.verdict, "") for cell in column.cells]
        made.append(
            _Place(
                group,
                title,
                cells,
                right,
                styles=verdicts if column.kind == "text" and any(verdicts) else None,
                follows=column.kind == "ratio" and bool(group) and made[-1].group == group,
                whole=column.kind == "label",
            )
        )
    return made


def _bands(places: Sequence[_Place], width: int) -> Iterator[list[_Place]]:
    """Yield columns that fit side by side, each band after the first column. A group of columns
    begins a band where it does not fit behind another."""
    if _reach(places) <= width or not any(place.right for place in places):
        yield list(places)
        return
    first = places[0]
    band, taken = [first], first.width
    for unit in _units(places[1:]):
        group = [place for place in places[1:] if place.group and place.group == unit[0].group]
        begins = bool(group) and group[0] is unit[0]
        heading = max(0, len(group[0].group) - _total(group)) if begins else 0
        needed = _total(group if begins else unit) + heading + GAP
        if len(band) > 1 and taken + needed > width:
            yield band
            band, taken = [first], first.width
        band += unit
        taken += _total(unit) + heading + GAP
    yield band


def _units(places: Sequence[_Place]) -> Iterator[list[_Place]]:
    """Yield columns that stay together: a ratio follows the figure of its group."""
    unit: list[_Place] = []
    for place in places:
        if unit and not (place.follows and place.group == unit[-1].group):
            yield unit
            unit = []
        unit.append(place)
    if unit:
        yield unit


def _records(places: Sequence[_Place], table: Table, console: Console) -> None:
    """Print each row as a list: for a terminal that has no room for two columns."""
    names = figures.shown(table.columns[0], table)
    for number, row in enumerate(table.rows):
        name = ", ".join(part for part in (row.group, names[number].value) if part)
        paragraph(name, console, "bold")
        group = ""
        for unit in _units(places[1:]):
            cells = [" ".join(place.cells[number].split()) for place in unit]
            if not any(cells) or (table.brief and cells[0] == ABSENT):
                continue
            if unit[0].group != group and (group := unit[0].group):
                paragraph(group, console, lead="  ")
            words = ", ".join(
                f"{place.title}{JOINED if place.follows else ': '}{cell}" if place.title else cell
                for place, cell in zip(unit, cells, strict=True)
                if cell
            )
            paragraph(words, console, lead="    " if group else "  ")


def _print(band: Sequence[_Place], table: Table, shown: Collection[int], console: Console) -> None:
    """Print columns side by side, a line above each group of rows."""
    _make_room(band, room(console))
    widths = _widths(band, console)
    _headings(band, widths, console)
    console.print(_rich(band, widths, table, ()))
    grouped = len(table.groups) > 1
    for name, every in table.groups.items():
        rows = [row for row in every if row in shown]
        if rows and grouped and name:
            paragraph(name, console, "bold")
        if rows:
            console.print(_rich(band, widths, table, rows))


def _widths(band: Sequence[_Place], console: Console) -> list[int]:
    """Share out the characters to the columns: what numbers leave goes to the texts, so that the
    longest of each column take about as many lines."""
    wide = [place.least for place in band]
    left = line_length(console) - _reach(band) + sum(wide)
    if room(console) > console.width:
        wide = [p.width if p.whole else max(p.words, min(p.width, SENTENCE)) for p in band]
    left -= sum(wide)
    while left > 0 and (short := [n for n, p in enumerate(band) if wide[n] < p.width]):
        wide[max(short, key=lambda number: band[number].width / wide[number])] += 1
        left -= 1
    return wide


def _rich(
    band: Sequence[_Place], widths: Sequence[int], table: Table, rows: Sequence[int]
) -> RichTable:
    """Make the table of these rows; without any, its head."""
    rich = RichTable(
        box=box.SIMPLE_HEAD,
        padding=(0, 1, 0, 0),
        pad_edge=False,
        show_edge=False,
        show_header=not rows,
    )
    for place, wide in zip(band, widths, strict=True):
        rich.add_column(
            RichText(_broken(place.title, wide)),
            justify="right" if place.right else "left",
            width=wide,
            overflow="fold",
        )
    for row in rows:
        cells = [
            RichText(_broken(p.cells[row], wide), style=p.styles[row] if p.styles else "")
            for p, wide in zip(band, widths, strict=True)
        ]
        rich.add_row(*cells, style="dim" if table.rows[row].role == "floor" else None)
    return rich


def _broken(cell: str, width: int) -> str:
    lines = [
        line if cell_len(line) <= width else "\n".join(wrapped(line, width))
        for line in cell.split("\n")
    ]
    return "\n".join(lines)


def _make_room(band: Sequence[_Place], width: int) -> None:
    """Widen the last column of a group whose heading is longer than its columns."""
    for number, place in enumerate(band):
        if place.group and (number == 0 or band[number - 1].group != place.group):
            own = [one for one in band[number:] if one.group == place.group]
            lacking = len(place.group) - _total(own)
            if lacking > 0 and (own[-1] is not band[-1] or _total(band) + lacking <= width):
                own[-1].room = own[-1].width + lacking


def _headings(band: Sequence[_Place], widths: Sequence[int], console: Console) -> None:
    """Print the headings over columns of one group, which rich's tables do not have."""
    if not any(place.group for place in band):
        return
    line, at = "", 0
    for number, place in enumerate(band):
        if place.group and (number == 0 or band[number - 1].group != place.group):
            own = [w for w, one in zip(widths, band, strict=True) if one.group == place.group]
            total = sum(own) + GAP * (len(own) - 1)
            end = min(at + total, room(console))
            begin = max(len(line) and len(line) + GAP, min(at, end - len(place.group)), 0)
            line = f"{line:<{begin}}{place.group}"
        at += widths[number] + GAP
    if len(line) <= room(console):
        console.print(RichText(line, style="bold"), soft_wrap=True)
        return
    for group in dict.fromkeys(place.group for place in band if place.group):
        paragraph(group, console, "bold")
