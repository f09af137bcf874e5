"""A campaign as Markdown, for a job's summary or a comment on a pull request.

Requirements, answers and tables are read at once; findings and what was not measured are folded.
What does not fit into a comment of GitHub is left out, and counted in the last line.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from busmark.analysis.model import Campaign
from busmark.analysis.words.text import plural
from busmark.findings.kinds import kinds, marks
from busmark.report.comparison.shortened import Part, folded, shortened
from busmark.report.html.blocks import Block
from busmark.report.html.required import requirement_blocks
from busmark.report.markup import escaped, row
from busmark.report.tables import Table, tables
from busmark.store import Result
from busmark.store.atomic import write_text

FILE = "report.md"
WHOLE = "`busmark report --to html` and `busmark show --json` have everything."
FIGURES = ("number", "figure")


def write(result: Result, campaign: Campaign, folder: Path) -> list[Path]:
    """Write the campaign into a file of `folder`."""
    path = folder / FILE
    write_text(path, markdown(campaign))
    return [path]


def markdown(campaign: Campaign) -> str:
    """Return the text, which begins with the requirements."""
    return shortened([*_first(campaign), *_folded(campaign)], whole=WHOLE)


def _first(campaign: Campaign) -> Iterator[Part]:
    title = [f"## {escaped(campaign.name)}"]
    title += [f"*{escaped(campaign.question)}*"] if campaign.question else []
    yield Part("the title", title, "\n\n")
    if campaign.finished_utc is None:
        yield Part("the state", ["Not finished: it is still running, or was interrupted."])
    for block in requirement_blocks(campaign.requirements):
        yield _rows(block)
    yield _list("answers", [answer.sentence for answer in campaign.answers])
    for table in tables(campaign):
        yield _cases(table)


def _rows(block: Block) -> Part:
    """A table of text; figures are all but its first column."""
    rule = ["---", *["---:"] * (len(block.heads) - 1)]
    note = f"\n\n{escaped(block.note)}" if block.note else ""
    return _grid(block.title, block.heads, rule, block.rows, note)


def _cases(table: Table) -> Part:
    """A row for each case; an interval stands behind its value, marks of findings last."""
    shown = [column for column in table.columns if not column.detail]
    heads = [f"{each.title}, {each.unit}" if each.unit else each.title for each in shown]
    rule = ["---:" if each.kind in FIGURES else "---" for each in shown]
    rows = [
        [" ".join(filter(None, (each.cells[place].text, each.cells[place].interval.strip())))
         for each in shown]
        for place in range(len(table.rows))
    ]  # fmt: skip
    flagged = [marks(one.flags) for one in table.rows]
    if any(flagged):
        heads, rule = [*heads, "See"], [*rule, "---"]
        rows = [[*cells, told] for cells, told in zip(rows, flagged, strict=True)]
    notes = [table.same, table.note, *table.remarks]
    after = "".join(f"\n\n{escaped(note)}" for note in notes if note)
    return _grid(table.title, heads, rule, rows, after)


def _grid(
    title: str, heads: Sequence[str], rule: Sequence[str], rows: Sequence[Sequence[str]], after: str
) -> Part:
    before = f"### {escaped(title)}\n\n{row(heads)}\n| {' | '.join(rule)} |\n"
    return Part(f"rows of “{title}”", [row(cells) for cells in rows], before=before, after=after)


def _folded(campaign: Campaign) -> Iterator[Part]:
    """What is read after a click."""
    unable = [
        f"{case.label} ({case.id}): {case.reason}"
        for case in campaign.cases
        if case.status == "unsupported"
    ]
    found = [
        f"{f'{kind.mark} ' if kind.letter else ''}{kind.severity}: {kind.title}"
        + (f" (in {plural(len(kind.cases), 'case')})" if kind.cases else "")
        for kind in kinds(campaign.findings)
    ]
    for title, lines in (
        ("Findings", found), ("Not measured", unable), ("Problems", campaign.problems),
    ):  # fmt: skip
        if lines:
            yield folded(f"{title} ({len(lines)})", _list(title.lower(), lines))
    again = f"Busmark {campaign.busmark_version}, {campaign.created_utc}: {campaign.command}"
    yield Part("the command", [f"<sub>{escaped(again)}</sub>"])


def _list(name: str, lines: Sequence[str]) -> Part:
    return Part(name, [f"- {escaped(line)}" for line in lines])
