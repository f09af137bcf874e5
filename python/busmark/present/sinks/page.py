"""A document as a page: one file, which loads nothing from anywhere.

Charts are drawn by the page's script when they come near the window; what it needs is packed.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from busmark import __version__
from busmark.present.charts.shapes import Bars, Heat
from busmark.present.document import Chart, Document, Section
from busmark.present.sinks.html import Page, key_of, section_html
from busmark.present.vega import config, specification
from busmark.present.vega.theme import Theme
from busmark.present.web import script, style
from busmark.present.web.embedded import Parts, plain_json
from busmark.present.web.packing import Packing, drawing_script, parts_of

SCRIPTS = ("base", "place", "filter", "bar", "choice", "charts", "document")
"""Parts of the script of a page that has no list of cases, in their order."""

THEMES: tuple[Theme, ...] = ("light", "dark")
"""Themes of the page; on paper it is light."""

WIDTH, PLOT = 1000, 340
"""Pixels of a specification, and of the height of a plot; the script fits the width to the
window."""


def page(
    document: Document, brand: str, swatches: Mapping[str, Mapping[str, str]] | None = None,
    *, files: Mapping[str, str] | None = None,
) -> str:  # fmt: skip
    """Return the page; the same document gives the same bytes.

    Args:
        document: what it shows.
        brand: what kind of page it is, above its title.
        swatches: colour and mark of each label.
        files: pages in the same folder, by what they are.
    """
    found = [block for each in document.sections for block in each.blocks]
    charts = [block for block in found if isinstance(block, Chart) and block.shapes]
    own, packed = script(*SCRIPTS), ""
    scripts = [own]
    if charts:
        drawing = drawing_script()
        scripts.append(drawing)
        parts = {f"chart-{chart.key}": _panels(chart) for chart in charts}
        themes = {theme: config(theme) for theme in THEMES}
        with Packing() as threads:
            large = {
                "packed-drawing": threads.pack(parts_of(drawing)),
                "packed-charts": threads.pack(parts_of(plain_json({**parts, "themes": themes}))),
            }
            packed = "".join(
                f'<script type="application/octet-stream" id="{name}">{data}</script>\n'
                for name, data in large.items()
            )
    shown = Page(swatches or {})
    lines = "".join(f'<p class="question">{escape(line)}</p>\n' for line in document.lines)
    first, *_ = document.sections or [Section("", [])]
    contents = _contents(document.sections) + _links(files or {})
    sections = "\n".join(section_html(each, shown, folds=True) for each in document.sections)
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy(scripts)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="generator" content="Busmark {__version__}">
<title>{escape(document.title)} · Busmark</title>
<style>{style()}</style>
</head>
<body>
<a class="skip" href="#{escape(key_of(first) or "main")}">Skip to the contents</a>
<header>
<p class="brand">Busmark {escape(brand)}</p>
<h1>{escape(document.title)}</h1>
{lines}</header>
<div class="bar"><nav aria-label="Contents">{contents}</nav></div>
<main id="main">
{sections}
</main>
<footer><p>Written by Busmark {__version__}. This page loads nothing from anywhere.</p></footer>
{packed}<script>{own}</script>
</body>
</html>
"""


def _contents(sections: Sequence[Section]) -> str:
    return "".join(
        f'<a href="#{escape(key_of(each))}">{escape(each.title)}</a>'
        for each in sections
        if each.title
    )


def _links(files: Mapping[str, str]) -> str:
    return "".join(f'<a href="{escape(file)}">{escape(what)}</a>' for what, file in files.items())


def _panels(chart: Chart) -> dict[str, Any]:
    """What the script needs of a chart: a panel for each shape."""
    parts = Parts()
    panels = []
    for shape in chart.shapes:
        height = None if isinstance(shape, Bars | Heat) else PLOT
        spec = specification(shape, width=WIDTH, height=height)
        panels.append(
            {"own": dict(shape.keys), "keys": dict(shape.keys), "shown": "", "cases": [],
             "spec": parts.shared(spec), "rows": [], "caption": shape.caption,
             "explanation": "", "flags": []}
        )  # fmt: skip
    return {"width": WIDTH, "panels": panels, "parts": parts.values}


def policy(scripts: Sequence[str]) -> str:
    """Return a Content-Security-Policy: these scripts and nothing else, and no network at all."""
    hashes = " ".join(
        "'sha256-" + base64.b64encode(hashlib.sha256(s.encode()).digest()).decode() + "'"
        for s in scripts
    )
    return (
        f"default-src 'none'; script-src {hashes}; style-src 'unsafe-inline'; "
        "img-src data: blob:; base-uri 'none'; form-action 'none'"
    )
