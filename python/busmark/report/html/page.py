"""Puts the page together: templates, style, script, plotly and the charts' data."""

from __future__ import annotations

import base64
import hashlib
import json
from pathlib import Path
from typing import Any

from busmark.adapters import compliance
from busmark.analysis import text
from busmark.analysis.model import Campaign, CaseSummary
from busmark.report.html.charts import draw_all
from busmark.report.html.charts.style import GREY, OKABE_ITO
from busmark.report.html.details import case_details
from busmark.report.html.templating import asset, environment
from busmark.report.interop import dead_cells, heat_maps
from busmark.report.tables import tables
from busmark.store.atomic import write_text


def write_html(campaign: Campaign, path: Path, comparison: str = "") -> None:
    """Write the page; the same campaign gives the same bytes."""
    write_text(path, render(campaign, comparison))


def render(campaign: Campaign, comparison: str = "") -> str:
    """The page as text. `comparison` is the file beside it that compares with a document."""
    from plotly.offline import get_plotlyjs  # type: ignore[import-untyped]

    scripts = {"plotly": get_plotlyjs(), "page": asset("page.js")}
    page = (
        environment()
        .get_template("page.html.j2")
        .render(
            context(campaign),
            comparison=comparison,
            policy=_policy(scripts.values()),
            absent=text.ABSENT,
        )
    )
    # The scripts are put in last, so that no template engine reads 4 MB of them.
    for name, script in scripts.items():
        page = page.replace(f"<!-- script: {name} -->", f"<script>{script}</script>", 1)
    return page


def context(campaign: Campaign) -> dict[str, Any]:
    """What the templates show."""
    charts = draw_all(campaign)
    data = {c.id: c.as_json() for group in charts.values() for c in group}
    by_status: dict[str, list[CaseSummary]] = {}
    for case in campaign.cases:
        by_status.setdefault(case.status, []).append(case)
    found = tables(campaign)
    return {
        "campaign": campaign,
        "tables": {test: [t for t in found if t.id.startswith(test)] for test in _tests(campaign)},
        "charts": charts,
        "chart_data": _json(data),
        "style": asset("style.css"),
        "swatches": swatches(campaign),
        "details": {case.id: case_details(case) for case in campaign.cases},
        "by_status": by_status,
        "unsupported": by_status.get("unsupported", []),
        "names": {case.id: case.label for case in campaign.cases},
        "heat_maps": heat_maps(campaign),
        "dead_cells": dead_cells(campaign),
        "compliance": compliance(campaign.adapters),
    }


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


def _json(data: object) -> str:
    """JSON that may stand inside an HTML script element."""
    written = json.dumps(data, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
    return written.replace("<", "\\u003c").replace("\u2028", "\\u2028")


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
