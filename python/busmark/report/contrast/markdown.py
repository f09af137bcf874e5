"""A comparison as Markdown, for a comment on a pull request or a job's summary."""

from __future__ import annotations

from busmark.compare.model import Contrast
from busmark.report.contrast import words
from busmark.report.contrast.grids import Grid, environments, every_figure, headlines

SPECIAL = str.maketrans({c: f"\\{c}" for c in "\\`*_{}[]<>|#~"})


def markdown(contrast: Contrast, *, every: bool = False) -> str:
    """The text: what came of it first, tables, and behind a click what is long."""
    parts = ["## Busmark comparison"]
    if contrast.criteria:
        sign = "❌" if contrast.failed else "✅"
        parts.append(f"{sign} **{_plain(words.gate_text(contrast))}**")
        parts.append(_list([
            f"{words.OUTCOMES[j.outcome]} `{j.criterion}`: {j.outcome}: "
            f"{_plain(words.judged_text(j, contrast))}"
            for j in contrast.criteria
            if j.outcome != "passed"
        ]))  # fmt: skip
    parts.append(_list([_plain(answer) for answer in words.answers(contrast)]))
    parts.append(_list([f"⚠️ {_plain(warning)}." for warning in contrast.warnings]))
    for grid in headlines(contrast):
        parts += [f"### {_plain(grid.title)}", _table(grid)]
    parts.append(f"<sub>{_plain(words.method(contrast))}</sub>")
    parts += _more(contrast)
    if every:
        for pair in contrast.pairs:
            parts.append(_folded(words.title(pair, contrast), _table(every_figure(contrast, pair))))
    return "\n\n".join(part for part in parts if part) + "\n"


def _more(contrast: Contrast) -> list[str]:
    further = [_plain(line) for line in words.further(contrast)]
    # A comment on GitHub has 65,536 characters at most.
    left = [_plain(line) for line in words.left_out(contrast)]
    remarks = [_plain(line) for line in words.remarks(contrast)]
    found = [_plain(line) for line in words.findings(contrast)]
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
    head, *body = [f"| {' | '.join(map(_plain, line))} |" for line in lines]
    rule = "| " + " | ".join("---:" if h.figure else "---" for h in grid.heads) + " |"
    return "\n".join([head, rule, *body])


def _list(lines: list[str]) -> str:
    return "\n".join(f"- {line}" for line in lines)


def _folded(summary: str, body: str) -> str:
    return f"<details><summary>{_plain(summary)}</summary>\n\n{body}\n\n</details>"


def _plain(shown: str) -> str:
    """Text in which nothing is markup, on one line."""
    return shown.translate(SPECIAL).replace("\n", " ")
