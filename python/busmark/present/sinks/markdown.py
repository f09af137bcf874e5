"""A document as Markdown, for a job's summary or a comment on a pull request.

What is folded is read after a click. What does not fit into a comment of GitHub is left out, and
counted in the last line.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from busmark.model.text import count, joined
from busmark.present import figures
from busmark.present.document import Chart, Document, Section, Table, Text
from busmark.present.markup import details, escaped, row
from busmark.store.atomic import write_text

FILE = "report.md"
WHOLE = "`busmark report --to html` and `busmark show --json` have everything."

LIMIT = 65_536
"""Characters of a comment on GitHub. Bytes are counted here, which are at least as many."""

RESERVED = 2_000
"""Bytes kept for the line that says what was left out."""

MOST_NAMED, LONGEST_NAME = 8, 80
"""Parts that this line names, and characters of a name."""


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of the text."""

    name: str
    """Name of its units, in the line that says what was left out: "rows of …"."""
    units: list[str]
    """Each is there as a whole, or not at all; from the end they go first."""
    between: str = "\n"
    before: str = ""
    """Such as the head of a table: there where a unit is."""
    after: str = ""

    @property
    def text(self) -> str:
        """All of it."""
        return f"{self.before}{self.between.join(self.units)}{self.after}" if self.units else ""


def write(document: Document, folder: Path, file: str = FILE) -> list[Path]:
    """Write the document into a file of `folder`."""
    path = folder / file
    write_text(path, markdown(document))
    return [path]


def markdown(document: Document, whole: str = WHOLE) -> str:
    """Return the text, at most as long as a comment may be; `whole` says where everything is."""
    lines = [f"*{escaped(line)}*" for line in document.lines]
    parts = [Part("the title", [f"## {escaped(document.title)}", *lines], "\n\n")]
    parts += [part for section in document.sections for part in _parts(section)]
    return shortened(parts, whole=whole)


def section_markdown(section: Section) -> str:
    """Return a section by itself."""
    return "\n\n".join(part.text for part in _parts(section))


def _parts(section: Section) -> Iterator[Part]:
    title = f"{section.title}: {section.summary}" if section.summary else section.title
    heading = f"### {escaped(title)}\n\n" if title and not section.folded else ""
    for name, part in _blocks(section, heading):
        yield _folded(f"{title}: {name}" if name else title, part) if section.folded else part


def _blocks(section: Section, heading: str) -> Iterator[tuple[str, Part]]:
    """What is folded by itself, each with the title that it has besides the section's."""
    lines: list[str] = []
    for block in section.blocks:
        if isinstance(block, Text):
            lines.append(f"- {escaped(str(block))}")
            continue
        if isinstance(block, Chart):
            continue
        if lines:
            yield "", Part(f"lines of “{section.title}”", lines, before=heading)
            heading, lines = "", []
        part = _table(block, section.title, heading, titled=not section.folded)
        yield block.title, part
        heading = ""
    if lines:
        yield "", Part(f"lines of “{section.title}”", lines, before=heading)


def _folded(summary: str, part: Part) -> Part:
    before, after = details(summary, "\0").split("\0")
    return Part(part.name, part.units, part.between, before + part.before, part.after + after)


def _table(table: Table, name: str, heading: str, *, titled: bool) -> Part:
    """A row for each; an interval stands behind its value, marks of findings last."""
    heads, rule, columns = [], [], []
    if len(table.groups) > 1:
        heads.append("")
        rule.append("---")
        columns.append([each.group for each in table.rows])
    for column in table.columns:
        heads.append(": ".join(part for part in figures.heading(column, table) if part))
        rule.append("---" if column.kind in ("label", "text") else "---:")
        columns.append([str(cell) for cell in figures.shown(column, table)])
    marks = [
        " ".join(dict.fromkeys(m for column in table.columns for m in column.cells[place].marks))
        for place in range(len(table.rows))
    ]
    if any(marks):
        heads, rule, columns = [*heads, "See"], [*rule, "---"], [*columns, marks]
    title = f"**{escaped(table.title)}**\n\n" if table.title and titled else ""
    notes = "".join(f"\n\n{escaped(str(note))}" for note in table.notes)
    before = f"{heading}{title}{row(heads)}\n| {' | '.join(rule)} |\n"
    rows = [row(cells) for cells in zip(*columns, strict=True)]
    return Part(f"rows of “{table.title or name}”", rows, before=before, after=notes)


def shortened(parts: Sequence[Part], limit: int = LIMIT, whole: str = WHOLE) -> str:
    """The parts, a blank line between them, in their order: those in front have the room first.
    `whole` says where everything is."""
    room = limit - RESERVED
    texts: list[str] = []
    gone: list[tuple[int, Part]] = []
    for part in parts:
        own = Part(part.name, _that_fit(part, room), part.between, part.before, part.after)
        if own.units:
            texts.append(own.text)
            room -= _size(own.text) + 2
        if missing := len(part.units) - len(own.units):
            gone.append((missing, part))
    return "\n\n".join([*texts, *([_left_out(gone, limit, whole)] if gone else [])]) + "\n"


def _that_fit(part: Part, room: int) -> list[str]:
    room -= _size(part.before) + _size(part.after) + 2
    found: list[str] = []
    for unit in part.units:
        room -= _size(unit) + (_size(part.between) if found else 0)
        if room < 0:
            break
        found.append(unit)
    return found


def _size(text: str) -> int:
    return len(text.encode())


def _left_out(gone: Sequence[tuple[int, Part]], limit: int, whole: str) -> str:
    """ "Left out to stay below 65 536 characters: 120 of 300 rows of …; …"."""
    named = [
        f"{count(missing)} of {count(len(part.units))} {_short(part.name)}"
        for missing, part in gone[:MOST_NAMED]
    ]
    if more := len(gone) - MOST_NAMED if len(gone) > MOST_NAMED else 0:
        named.append(f"parts of {count(more)} more sections")
    told = f"Left out to stay below {count(limit)} characters: {joined(named)}."
    return f"**{escaped(told)}** {whole}"


def _short(name: str) -> str:
    return name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 1]}…"
