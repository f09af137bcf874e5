"""Puts the page together: templates, style, scripts and the data they show on demand."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from busmark.adapters import compliance
from busmark.analysis.model import Campaign, CaseSummary
from busmark.analysis.words import text
from busmark.findings.kinds import Kind, kinds
from busmark.present.charts import look
from busmark.present.charts.flagged import examined
from busmark.present.sinks.html import Page, section_html
from busmark.present.sinks.page import THEMES, policy
from busmark.present.vega import config
from busmark.present.web import packing, script, style
from busmark.present.web.embedded import as_json, plain_json
from busmark.present.web.packing import Packed, Packing
from busmark.report.html.beside_flows import beside_block
from busmark.report.html.cases import MOST_DETAILS, case_details_data, case_index
from busmark.report.html.charts import Chart, draw_all
from busmark.report.html.files import RawFiles
from busmark.report.html.rows import STATIC_ROWS, further_rows
from busmark.report.html.spent_costs import spent_costs
from busmark.report.html.templating import anchor, environment
from busmark.report.interop import dead_cells, heat_maps
from busmark.report.tables import Table, label_title, tables
from busmark.store.atomic import write_text

SCRIPTS = (
    "base", "place", "bar", "filter", "tables", "wide", "cases", "choice", "charts", "print",
    "start",
)  # fmt: skip
"""Parts of the page's script, in their order."""

FIRST = ("latency-medians", "goodput")
"""Charts of which the first that there is stands on the first screen."""


def write_html(
    campaign: Campaign, path: Path, comparison: str = "", files: RawFiles | None = None
) -> None:
    """Write the page; the same campaign gives the same bytes."""
    write_text(path, render(campaign, comparison, files))


def render(campaign: Campaign, comparison: str = "", files: RawFiles | None = None) -> str:
    """The page as text. `comparison` is the file beside it that compares with a document, `files`
    where the raw data are, seen from the page."""
    drawing, own = packing.drawing_script(), script(*SCRIPTS)
    with Packing() as threads:
        packed_drawing = threads.pack(packing.parts_of(drawing))
        charts = draw_all(campaign)
        packed_charts = threads.pack(_written(charts, campaign))
        shown = context(campaign, charts, files)
        page = (
            environment()
            .get_template("page.html.j2")
            .render(
                shown,
                comparison=comparison,
                policy=policy((drawing, own)),
                absent=text.ABSENT,
            )
        )
        large: dict[str, Packed] = {}
        if any(charts.values()):
            large = {"packed-drawing": packed_drawing, "packed-charts": packed_charts}
        # Put in last, so that no template engine reads megabytes of them.
        scripts = [
            f'<script type="application/octet-stream" id="{name}">{packed}</script>'
            for name, packed in large.items()
        ]
    return page.replace("<!-- scripts -->", "\n".join([*scripts, f"<script>{own}</script>"]), 1)


def _written(charts: dict[str, list[Chart]], campaign: Campaign) -> Iterator[str]:
    """JSON of an object that has all charts by their identifiers, and the themes, in pieces."""
    every = sorted((chart for group in charts.values() for chart in group), key=lambda c: c.id)
    numbers = {case.id: number for number, case in enumerate(campaign.cases)}
    for number, chart in enumerate(every):
        yield f'{"," if number else "{"}"chart-{chart.id}":{plain_json(chart.as_json(numbers))}'
    themes = plain_json({theme: config(theme) for theme in THEMES})
    yield f'{"," if every else "{"}"themes":{themes}}}'


def context(
    campaign: Campaign, charts: dict[str, list[Chart]], files: RawFiles | None = None
) -> dict[str, Any]:
    """What the templates show."""
    by_status: dict[str, list[CaseSummary]] = {}
    for case in campaign.cases:
        by_status.setdefault(case.status, []).append(case)
    found = tables(campaign)
    numbers = {case.id: number for number, case in enumerate(campaign.cases)}
    colours = swatches(campaign)
    found_kinds = kinds(campaign.findings)
    parts = spent_costs(campaign)
    every = [chart for of_test in charts.values() for chart in of_test]
    return {
        "campaign": campaign,
        "tables": {test: [t for t in found if t.id.startswith(test)] for test in _tests(campaign)},
        "beside": {t.id: beside_block(campaign, [row.case for row in t.rows]) for t in found},
        "static_rows": STATIC_ROWS,
        "numbers": numbers,
        "charts": charts,
        "embedded": _embedded(campaign, found, colours, numbers, files),
        "most_details": MOST_DETAILS,
        "style": style(),
        "opening": _opening(campaign, colours, found_kinds),
        "first_chart": next((c for name in FIRST for c in every if c.id == name), None),
        "swatches": colours,
        "by_status": by_status,
        "unsupported": by_status.get("unsupported", []),
        "label_title": label_title(campaign.cases),
        "names": {case.id: case.label for case in campaign.cases},
        "heat_maps": heat_maps(campaign),
        "spent_costs": parts,
        "part_charts": {p.anchor: [c for c in every if c.id == p.anchor] for p in parts},
        "dead_cells": dead_cells(campaign),
        "compliance": compliance(campaign.adapters),
        "files": files,
        "kinds": found_kinds,
        "examined": examined(campaign),
        "row_ids": _row_ids(found),
        "drawn_in": _drawn_in(found_kinds, charts),
    }


def _opening(
    campaign: Campaign, colours: dict[str, dict[str, str]], found: list[Kind]
) -> str:  # fmt: skip
    """The first sections of the document."""
    # Only now: blocks use tables of this package.
    from busmark.present.blocks.campaign import opening

    shown = Page(colours, {kind.mark: kind.anchor for kind in found}, anchor)
    return "\n".join(section_html(section, shown) for section in opening(campaign))


def _row_ids(found: list[Table]) -> dict[str, str]:
    """Identifier of the first row of each case that is in the document as it is opened."""
    rows = [(table, row.case) for table in found for row in table.rows[:STATIC_ROWS]]
    return {case: f"row-{table.id}-{anchor(case)}" for table, case in reversed(rows)}


def _drawn_in(found: list[Kind], charts: dict[str, list[Chart]]) -> dict[str, list[Chart]]:
    """By its anchor, the charts that show a case that the finding concerns."""
    every = [chart for group in charts.values() for chart in group]
    return {
        kind.anchor: [c for c in every if any(kind in panel.flags for panel in c.panels)]
        for kind in found
    }


def _embedded(
    campaign: Campaign, found: list[Table], colours: dict[str, dict[str, str]],
    numbers: dict[str, int], files: RawFiles | None,
) -> dict[str, str]:  # fmt: skip
    """What the page's script shows on demand, but for charts, as JSON by the element that holds
    it."""
    parts: dict[str, Any] = {
        "data-cases": case_index(campaign),
        "data-details": case_details_data(campaign, files),
    }
    for table in found:
        if len(table.rows) > STATIC_ROWS:
            parts[f"rows-{table.id}"] = further_rows(table, colours, numbers)
    return {name: as_json(part) for name, part in parts.items()}


def swatches(campaign: Campaign) -> dict[str, dict[str, str]]:
    """Colour and mark of every label, for the tables."""
    return {label.text: look.swatch(label) for label in campaign.labels}


def _tests(campaign: Campaign) -> list[str]:
    return list(dict.fromkeys(group.test for group in campaign.groups))
