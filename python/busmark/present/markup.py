"""Sections as Markdown, and text of the user's in Markdown and HTML, in which nothing of it is
markup."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from busmark.present import figures
from busmark.present.charts.shapes import one_line
from busmark.present.document import Document, Section, Table, Text
from busmark.present.drawings import ChartSheet

LONGEST = 3000
"""Characters of a caption in a list."""

SPECIAL = str.maketrans({c: f"\\{c}" for c in "\\`*_{}[]<>#|$~&"})
SPACE = re.compile("[^\\S\N{NARROW NO-BREAK SPACE}]+")
"""But for the one that groups thousands."""


CODE = re.compile(r"(?<!`)(`[^`]+`)(?!`)")
"""A command or a key in a sentence: it stays, for nothing within it is markup."""


def escaped(words: str, *, in_cell: bool = False) -> str:
    """Return plain text in Markdown, on one line; what is between backticks is code there, too.
    `in_cell`: a cell ends at a bar, even within code."""
    parts = CODE.split(_one_line(words))
    code = [part.replace("|", "\\|") if in_cell else part for part in parts]
    return "".join(
        code[place] if place % 2 else part.translate(SPECIAL) for place, part in enumerate(parts)
    )


def in_html(words: str) -> str:
    """Return plain text in HTML, on one line: in Markdown a blank one would end the HTML."""
    return html.escape(_one_line(words))


def row(cells: Iterable[str]) -> str:
    """Return a row of a table in Markdown, of plain text."""
    return f"| {' | '.join(escaped(each, in_cell=True) for each in cells)} |"


def details(summary: str, body: str) -> str:
    """Return Markdown that is read after a click."""
    return f"<details><summary>{in_html(summary)}</summary>\n\n{body}\n\n</details>"


def _one_line(words: str) -> str:
    return SPACE.sub(" ", words).strip()


@dataclass(frozen=True, slots=True)
class MarkupPiece:
    """A piece of the text."""

    name: str
    """Name of its units, in the line that says what was left out: "rows of …"."""
    units: list[str]
    """Units of the text; each is printed in full or left out, from the end."""
    between: str = "\n"
    before: str = ""
    """Such as the head of a table: there where a unit is."""
    after: str = ""

    @property
    def text(self) -> str:
        """The whole text of the part."""
        return f"{self.before}{self.between.join(self.units)}{self.after}" if self.units else ""


def section_markdown(section: Section) -> str:
    """Return a section by itself."""
    return "\n\n".join(part.text for part in parts_of(section))


def parts_of(section: Section) -> Iterator[MarkupPiece]:
    """Return what a section consists of, without its charts."""
    title = f"{section.title}: {section.summary}" if section.summary else section.title
    heading = f"### {escaped(title)}\n\n" if title and not section.folded else ""
    for name, part in _blocks(section, heading):
        yield _folded(f"{title}: {name}" if name else title, part) if section.folded else part


def _blocks(section: Section, heading: str) -> Iterator[tuple[str, MarkupPiece]]:
    """Yield what is folded by itself, each with the title that it has besides the section's."""
    lines: list[str] = []
    for block in section.blocks:
        if isinstance(block, Text):
            words = str(block)
            below = "  " if words.startswith("  ") else ""
            lines.append(f"{below}- {escaped(words)}")
            continue
        if not isinstance(block, Table):
            continue
        if lines:
            yield "", MarkupPiece(f"lines of “{section.title}”", lines, before=heading)
            heading, lines = "", []
        part = _table(block, section.title, heading, titled=not section.folded)
        yield block.title, part
        heading = ""
    if lines:
        yield "", MarkupPiece(f"lines of “{section.title}”", lines, before=heading)


def _folded(summary: str, part: MarkupPiece) -> MarkupPiece:
    before, after = details(summary, "\0").split("\0")
    return MarkupPiece(
        part.name, part.units, part.between, before + part.before, part.after + after
    )


def _table(table: Table, name: str, heading: str, *, titled: bool) -> MarkupPiece:
    """Write a line for each row; an interval stands behind its value, marks of findings last."""
    heads, rule, columns = [], [], []
    if len(table.groups) > 1:
        heads.append("")
        rule.append("---")
        columns.append([each.group for each in table.rows])
    heads += figures.headings(table)
    for column in table.columns:
        rule.append("---" if column.kind in ("label", "text") else "---:")
        columns.append([str(cell) for cell in figures.shown(column, table)])
    marks, common = figures.see(table)
    if any(marks):
        heads, rule, columns = [*heads, "See"], [*rule, "---"], [*columns, marks]
    title = f"**{escaped(table.title)}**\n\n" if table.title and titled else ""
    notes = "".join(f"\n\n{escaped(str(note))}" for note in (*common, *table.notes))
    before = f"{heading}{title}{row(heads)}\n| {' | '.join(rule)} |\n"
    rows = [row(cells) for cells in zip(*columns, strict=True)]
    return MarkupPiece(f"rows of “{table.title or name}”", rows, before=before, after=notes)


def charts_listed(document: Document, charts: Sequence[tuple[str, ChartSheet]]) -> str:
    """Return a list of the files of charts with their captions, and the sections of the document
    that have no chart."""
    lines = [
        f"- [{escaped(file)}]({file}): **{escaped(chart.title)}.** "
        + " ".join(escaped(one_line(text, LONGEST)) for text in chart.texts)
        for file, chart in charts
    ]
    texts = [
        f"## {escaped(section.title)}\n\n" + "\n".join(f"- {escaped(str(each))}" for each in own)
        for section in document.sections
        if (own := [each for each in section.blocks if isinstance(each, Text)])
    ]
    return "\n\n".join(["\n".join(lines), *texts]).strip() + "\n"
