"""A history as Markdown, for a comment or a job's summary."""

from __future__ import annotations

from collections.abc import Sequence

from busmark.report.markup import details, escaped, row
from busmark.report.tracking import words
from busmark.track.model import Step, Tracked, TrackedSeries

MOST_ROWS = 100
"""A comment on GitHub has 65,536 characters at most."""


def markdown(tracked: Tracked) -> str:
    """The text: the outcome first, and behind a click what is long."""
    sign = {"✗": "❌", "?": "❔", "✓": "✅"}[words.outcome(tracked)]
    parts = ["## Busmark history", f"{sign} **{escaped(words.verdict(tracked))}**"]
    new = tracked.new[: words.MOST_TOLD]
    parts.append(_list([escaped(words.sentence(tracked, one, step)) for one, step in new]))
    if len(tracked.new) > len(new):
        parts.append(f"{len(tracked.new) - len(new)} more new regressions: see the page.")
    open_ = tracked.unconfirmed[: words.MOST_TOLD]
    parts.append(_list([
        f"❔ unconfirmed: {escaped(words.sentence(tracked, one, step))}" for one, step in open_
    ]))  # fmt: skip
    if len(tracked.unconfirmed) > len(open_):
        parts.append(f"{len(tracked.unconfirmed) - len(open_)} more unconfirmed: see the page.")
    parts.append(_list([f"⚠️ {escaped(remark)}." for remark in tracked.remarks]))
    further = words.others(tracked)
    if further:
        parts.append(details(f"Further changes ({len(further)})", _table(tracked, further)))
    parts.append(f"<sub>{escaped(words.method(tracked))}</sub>")
    return "\n\n".join(part for part in parts if part) + "\n"


def _table(tracked: Tracked, steps: Sequence[tuple[TrackedSeries, Step]]) -> str:
    rows = [words.step_row(tracked, one, step) for one, step in steps[:MOST_ROWS]]
    head, *body = [row(cells) for cells in (words.STEP_HEADS, *rows)]
    rule = "|" + " --- |" * len(words.STEP_HEADS)
    left = len(steps) - len(rows)
    more = f"\n\n{left} more: `--json` has all." if left else ""
    return "\n".join([head, rule, *body]) + more


def _list(lines: Sequence[str]) -> str:
    return "\n".join(f"- {line}" for line in lines)
