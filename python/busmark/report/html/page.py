"""Puts the page together: templates, style, scripts, plotly and the data they show on demand."""

from __future__ import annotations

import base64
import hashlib
from pathlib import Path
from typing import Any

from busmark.adapters import compliance
from busmark.analysis import text
from busmark.analysis.model import Campaign, CaseSummary
from busmark.report.html.cases import MOST_DETAILS, case_details_data, case_index
from busmark.report.html.charts import draw_all
from busmark.report.html.charts.chart import Chart
from busmark.report.html.charts.style import GREY, OKABE_ITO
from busmark.report.html.embedded import as_json
from busmark.report.html.files import RawFiles
from busmark.report.html.rows import STATIC_ROWS, further_rows
from busmark.report.html.templating import asset, environment
from busmark.report.interop import dead_cells, heat_maps
from busmark.report.tables import Table, tables
from busmark.store.atomic import write_text

SCRIPTS = ("base", "filter", "tables", "cases", "charts", "print", "start")
"""Parts of the page's script, in their order."""


def write_html(
    campaign: Campaign, path: Path, comparison: str = "", files: RawFiles | None = None
) -> None:
    """Write the page; the same campaign gives the same bytes."""
    write_text(path, render(campaign, comparison, files))


def render(campaign: Campaign, comparison: str = "", files: RawFiles | None = None) -> str:
    """The page as text. `comparison` is the file beside it that compares with a document, `files`
    where the raw data are, seen from the page."""
    from plotly.offline import get_plotlyjs  # type: ignore[import-untyped]

    scripts = {"plotly": get_plotlyjs(), "page": _script()}
    page = (
        environment()
        .get_template("page.html.j2")
        .render(
            context(campaign, files),
            comparison=comparison,
            policy=_policy(scripts.values()),
            absent=text.ABSENT,
        )
    )
    # The scripts are put in last, so that no template engine reads 4 MB of them.
    for name, script in scripts.items():
        page = page.replace(f"<!-- script: {name} -->", f"<script>{script}</script>", 1)
    return page


def context(campaign: Campaign, files: RawFiles | None = None) -> dict[str, Any]:
    """What the templates show."""
    charts = draw_all(campaign)
    by_status: dict[str, list[CaseSummary]] = {}
    for case in campaign.cases:
        by_status.setdefault(case.status, []).append(case)
    found = tables(campaign)
    numbers = {case.id: number for number, case in enumerate(campaign.cases)}
    colours = swatches(campaign)
    return {
        "campaign": campaign,
        "tables": {test: [t for t in found if t.id.startswith(test)] for test in _tests(campaign)},
        "static_rows": STATIC_ROWS,
        "numbers": numbers,
        "charts": charts,
        "embedded": _embedded(campaign, charts, found, colours, numbers, files),
        "most_details": MOST_DETAILS,
        "style": asset("style.css"),
        "swatches": colours,
        "by_status": by_status,
        "unsupported": by_status.get("unsupported", []),
        "names": {case.id: case.label for case in campaign.cases},
        "heat_maps": heat_maps(campaign),
        "dead_cells": dead_cells(campaign),
        "compliance": compliance(campaign.adapters),
        "files": files,
    }


def _embedded(
    campaign: Campaign, charts: dict[str, list[Chart]], found: list[Table],
    colours: dict[str, dict[str, str]], numbers: dict[str, int], files: RawFiles | None,
) -> dict[str, str]:  # fmt: skip
    """What the page's script shows on demand, as JSON by the element that holds it."""
    parts: dict[str, Any] = {
        "data-cases": case_index(campaign),
        "data-details": case_details_data(campaign, files),
    }
    for table in found:
        if len(table.rows) > STATIC_ROWS:
            parts[f"rows-{table.id}"] = further_rows(table, colours, numbers)
    parts |= {f"chart-{c.id}": c.as_json() for group in charts.values() for c in group}
    return {name: as_json(part) for name, part in parts.items()}


def swatches(campaign: Campaign) -> dict[str, dict[str, str]]:
    """Colour and mark of every label, for the tables."""
    marks = ("●", "■", "◆", "▲", "✚", "✖", "▼", "★")
    return {
        label.text: {
            "colour": GREY if label.colour < 0 else OKABE_ITO[label.colour % len(OKABE_ITO)],
            "mark": "━" if label.colour < 0 else marks[label.mark % len(marks)],
        }
        for label in campaign.labels
    }


def _tests(campaign: Campaign) -> list[str]:
    return list(dict.fromkeys(group.test for group in campaign.groups))


def _script() -> str:
    """All parts in one scope of their own."""
    parts = "\n".join(asset(f"scripts/{name}.js") for name in SCRIPTS)
    return f'(() => {{\n"use strict";\n{parts}}})();\n'


def _policy(scripts: Any) -> str:
    """A Content-Security-Policy: these scripts and nothing else, and no network at all."""
    hashes = " ".join(
        "'sha256-" + base64.b64encode(hashlib.sha256(s.encode()).digest()).decode() + "'"
        for s in scripts
    )
    return (
        f"default-src 'none'; script-src {hashes}; style-src 'unsafe-inline'; "
        "img-src data: blob:; base-uri 'none'; form-action 'none'"
    )
