"""The page of a capture: no script, nothing loaded from anywhere."""

from __future__ import annotations

from busmark import __version__
from busmark.capture.model import Analysis
from busmark.present.web import style
from busmark.report.capture.blocks import blocks, title
from busmark.report.html.templating import environment


def render(analysis: Analysis) -> str:
    """The page as text; the same capture gives the same bytes."""
    return environment().get_template("capture.html.j2").render(
        analysis=analysis, title=title(analysis), blocks=blocks(analysis),
        style=style("style"), version=__version__,
    )  # fmt: skip
