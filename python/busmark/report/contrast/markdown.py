"""A comparison as Markdown, for a comment on a pull request or a job's summary."""

from __future__ import annotations

from busmark.compare.model import Contrast
from busmark.report.contrast import words
from busmark.report.contrast.grids import Grid, environments, every_figure, headlines
from busmark.report.markup import escaped, in_html


def markdown(contrast: Contrast, *, every: bool = False) -> str:
    """The text: what came of it first, tables, and behind a click what is long."""
    parts = ["## Busmark comparison"]
    if contrast.criteria:
        sign = "❌" if contrast.failed else "✅"
        parts.append(f"{sign} **{escaped(words.gate_text(contrast))}**")
        parts.append(_list([
            f"{words.OUTCOMES[j.outcome]} `{j.criterion}`: {j.outcome}: "
            f"{escaped(words.judged_text(j, contrast))}"
            for j in contrast.criteria
            if j.outcome != "passed"
        ]))  # fmt: skip
    parts.append(_list([escaped(answer) for answer in words.answers(contrast)]))
    parts.append(_list([f"⚠️ {escaped(warning)}." for warning in contrast.warnings]))
    for grid in headlines(contrast):
        parts += [f"### {escaped(grid.title)}", _table(grid)]
    parts.append(f"<sub>{escaped(words.method(contrast))}</sub>")
    parts += _more(contrast)
    if every:
        for pair in contrast.pairs:
            parts.append(_folded(words.title(pair, contrast), _table(every_figure(contrast, pair))))
    return "\n\n".join(part for part in parts if part) + "\n"


def _more(contrast: Contrast) -> list[str]:
    further = [escaped(line) for line in words.further(contrast)]
    # A comment on GitHub has 65,536 characters at most.
    left = [escaped(line) for line in words.left_out(contrast)]
    remarks = [escaped(line) for line in words.remarks(contrast)]
    found = [escaped(line) for line in words.findings(contrast)]
    differing = environments(contrast)
    return [
        f"**Further figures that changed**\n\n{_list(further)}" if further else "",
        _folded(f"Remarks ({len(remarks)})", _list(remarks)) if remarks else "",
        _folded(f"Not compared ({len(contrast.left_out)})", _list(left)) if left else "",
        _folded("Findings of the campaigns", _list(found)) if found else "",
        _folded(f"{differing.title} ({len(differing.rows)})", _table(differing))
        if differing
        else "",
    ]


def _table(grid: Grid) -> str:
    lines = [[head.title for head in grid.heads], *grid.rows]
    head, *body = [f"| {' | '.join(map(escaped, line))} |" for line in lines]
    rule = "| " + " | ".join("---:" if h.figure else "---" for h in grid.heads) + " |"
    return "\n".join([head, rule, *body])


def _list(lines: list[str]) -> str:
    return "\n".join(f"- {line}" for line in lines)


def _folded(summary: str, body: str) -> str:
    return f"<details><summary>{in_html(summary)}</summary>\n\n{body}\n\n</details>"
