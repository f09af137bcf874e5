"""The page that compares a campaign with the document whose experiments it repeats."""

from __future__ import annotations

from pathlib import Path

from busmark.documents import Repetition
from busmark.documents.claim import ALIKE
from busmark.present.web import style
from busmark.report.html.templating import environment
from busmark.report.repetition import WIDTH, entries, groups
from busmark.store.atomic import write_text

NAME = "comparison.html"
"""Name of the file, beside the report."""


def write_repetition(repetition: Repetition, path: Path, report: str) -> None:
    """Write the page; `report` is the file beside it that has the figures."""
    write_text(path, render_repetition(repetition, report))


def render_repetition(repetition: Repetition, report: str) -> str:
    """The page as text: no script, nothing loaded from anywhere."""
    return environment().get_template("repetition.html.j2").render(
        repetition=repetition,
        campaign=repetition.campaign,
        document=repetition.document,
        entries=entries(repetition),
        groups=groups(repetition.tables),
        verdicts={v: repetition.count(v) for v in ("agrees", "disagrees", "undecided")},
        style=style("style"),
        report=report,
        width=WIDTH,
        alike=ALIKE,
    )  # fmt: skip
