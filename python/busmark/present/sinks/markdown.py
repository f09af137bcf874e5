"""A document as Markdown, for a job's summary or a comment on a pull request.

What is folded is read after a click. What does not fit into a comment of GitHub is left out, and
counted in the last line.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from busmark.present import figures
from busmark.present.document import Chart, Document, Section, Table, Text
from busmark.report.comparison.shortened import Part, folded, shortened
from busmark.report.markup import escaped, row
from busmark.store.atomic import write_text

FILE = "report.md"
WHOLE = "`busmark report --to html` and `busmark show --json` have everything."


def write(document: Document, folder: Path) -> list[Path]:
    """Write the document into a file of `folder`."""
    path = folder / FILE
    write_text(path, markdown(document))
    return [path]


def markdown(document: Document, whole: str = WHOLE) -> str:
    """Return the text, at most as long as a comment may be; `whole`: where the rest is."""
    lines = [f"*{escaped(line)}*" for line in document.lines]
    parts = [Part("the title", [f"## {escaped(document.title)}", *lines], "\n\n")]
    for section in document.sections:
        own = list(_parts(section))
        parts += [folded(section.title, part) for part in own] if section.folded else own
    return shortened(parts, whole=whole)


def section_markdown(section: Section) -> str:
    """Return a section by itself."""
    return "\n\n".join(part.text for part in _parts(section))


def _parts(section: Section) -> Iterator[Part]:
    title = f"{section.title}: {section.summary}" if section.summary else section.title
    heading = f"### {escaped(title)}\n\n" if title and not section.folded else ""
    lines: list[str] = []
    for block in section.blocks:
        if isinstance(block, Text):
            lines.append(f"- {escaped(str(block))}")
            continue
        if isinstance(block, Chart):
            continue
        if lines:
            yield Part(f"lines of “{section.title}”", lines, before=heading)
            heading, lines = "", []
        yield _table(block, section.title, heading)
        heading = ""
    if lines:
        yield Part(f"lines of “{section.title}”", lines, before=heading)


def _table(table: Table, name: str, heading: str) -> Part:
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
    title = f"**{escaped(table.title)}**\n\n" if table.title else ""
    notes = "".join(f"\n\n{escaped(str(note))}" for note in table.notes)
    before = f"{heading}{title}{row(heads)}\n| {' | '.join(rule)} |\n"
    rows = [row(cells) for cells in zip(*columns, strict=True)]
    return Part(f"rows of “{table.title or name}”", rows, before=before, after=notes)
