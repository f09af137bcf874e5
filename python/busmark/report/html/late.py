"""The page of late samples explained: no script, nothing loaded from anywhere."""

from __future__ import annotations

from markupsafe import Markup

from busmark import __version__
from busmark.capture.late.model import Explained
from busmark.present.web import style
from busmark.report.html.templating import environment
from busmark.report.late.svg import svg
from busmark.report.late.words import HEADS, of_capture, rows, summary, title


def render(found: Explained) -> str:
    """The page as text; the same result gives the same bytes."""
    diagrams = [
        (title(each.sample), each.sample.said, Markup(svg(each)), each.omitted)
        for each in found.diagrams
    ]
    return environment().get_template("late.html.j2").render(
        found=found, summary=summary(found), heads=HEADS, rows=rows(found), diagrams=diagrams,
        blocks=of_capture(found),
        style=style("style", "late"), version=__version__,
    )  # fmt: skip
