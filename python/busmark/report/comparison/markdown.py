"""A comparison as Markdown, for a comment on a pull request or a job's summary.

First the gate, the counts and the tables; everything else is folded. The text never exceeds what
GitHub takes: what does not fit is left out, and counted in the last line.
"""

from __future__ import annotations

from collections.abc import Iterator

from busmark.compare.model import Comparison
from busmark.report.comparison import words
from busmark.report.comparison.grids import Grid, Head, brief, environments, every_figure
from busmark.report.comparison.shortened import Part, folded, shortened
from busmark.report.markup import details, escaped, row


def markdown(comparison: Comparison, *, every: bool = False) -> str:
    """The text. `every`: with all figures of all cases, folded."""
    return shortened([*_first(comparison), *_folded(comparison, every=every)])


def _first(comparison: Comparison) -> Iterator[Part]:
    """What is read without a click."""
    yield Part("the title", ["## Busmark comparison"])
    if comparison.gate is not None:
        sign = {"missed": "❌", "met": "✅"}.get(comparison.gate, "❔")
        yield Part("the gate", [f"{sign} **{escaped(words.gate_text(comparison))}**"])
        yield _list("criteria", [
            f"{words.OUTCOMES[condition.outcome]} {_code(condition.criterion)}: {condition.told}"
            for condition in words.conditions(comparison)
        ])  # fmt: skip
    yield _list("sentences", [escaped(answer) for answer in words.answers(comparison)])
    yield _list("warnings", [
        f"⚠️ {escaped(warning[:1].upper() + warning[1:])}." for warning in comparison.warnings
    ])  # fmt: skip
    for grid in brief(comparison):
        note = f"\n\n{escaped(grid.note)}" if grid.note else ""
        yield _table(grid, f"### {escaped(grid.title)}\n\n", note)
    yield Part("the legend", [f"<sub>{escaped(words.legend(comparison))}</sub>"])


def _folded(comparison: Comparison, *, every: bool) -> Iterator[Part]:
    """What is read after a click: the most important first, which are left out last."""
    judged = [
        f"{words.OUTCOMES[one.outcome]} {_code(one.criterion)}: "
        f"{escaped(words.judged_text(one, comparison))}"
        for condition in words.conditions(comparison)
        for one in condition.open
    ]
    method = [escaped(words.method(comparison))]
    sections = (
        ("Gate: cases that are not met", judged),
        ("Further figures that changed", _escaped(words.further(comparison))),
        ("Remarks", _escaped(words.remarks(comparison))),
        ("Compared though they differ", _escaped(words.differs(comparison))),
        ("Not compared", _escaped(words.left_out(comparison))),
        ("Findings of the campaigns", _escaped(words.findings(comparison))),
    )
    for title, lines in sections:
        if lines:
            yield folded(f"{title} ({len(lines)})", _list(f"lines of “{title}”", lines))
    if differing := environments(comparison):
        yield folded(f"{differing.title} ({len(differing.rows)})", _table(differing))
    yield folded("How this was compared", Part("the method", method))
    if every:
        grids = [(every_figure(comparison, pair)) for pair in comparison.pairs]
        yield Part("tables of all figures", [
            details(grid.title, _table(grid).text) for grid in grids
        ], between="\n\n")  # fmt: skip


def _table(grid: Grid, before: str = "", after: str = "") -> Part:
    """Rows are left out one by one, from the end."""
    heads = row([head.full for head in grid.heads])
    rule = "| " + " | ".join(map(_rule, grid.heads)) + " |"
    rows = [row([cell.text for cell in one.cells]) for one in grid.rows]
    whole = f"{before}{heads}\n{rule}\n"
    return Part(f"rows of “{grid.title}”", rows, before=whole, after=after)


def _rule(head: Head) -> str:
    return "---:" if head.figure else "---"


def _list(name: str, lines: list[str]) -> Part:
    return Part(name, [f"- {line}" for line in lines])


def _escaped(lines: list[str]) -> list[str]:
    return [escaped(line) for line in lines]


def _code(criterion: str) -> str:
    return f"`{' '.join(criterion.split()).replace('`', '')}`"
