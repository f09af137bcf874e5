"""The page that compares a campaign with the document whose experiments it repeats."""

from __future__ import annotations

from pathlib import Path

from busmark.packs import Comparison
from busmark.packs.claim import ALIKE
from busmark.report.comparison import WIDTH, entries, groups
from busmark.report.html.templating import asset, environment
from busmark.store.atomic import write_text

NAME = "comparison.html"
"""Of the file, beside the report."""


def write_comparison(comparison: Comparison, path: Path, report: str) -> None:
    """Write the page; `report` is the file beside it that has the figures."""
    write_text(path, render_comparison(comparison, report))


def render_comparison(comparison: Comparison, report: str) -> str:
    """The page as text: no script, nothing loaded from anywhere."""
    return environment().get_template("comparison.html.j2").render(
        comparison=comparison,
        campaign=comparison.campaign,
        document=comparison.document,
        entries=entries(comparison),
        groups=groups(comparison.tables),
        verdicts={v: comparison.count(v) for v in ("agrees", "disagrees", "cannot tell")},
        style=asset("style.css"),
        report=report,
        width=WIDTH,
        alike=ALIKE,
    )  # fmt: skip
