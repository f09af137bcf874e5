"""The pages of a campaign: its report, and beside it the comparison with a document that it
repeats."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from busmark.compare.campaign import Campaign
from busmark.documents import repetition
from busmark.present.blocks.campaign import whole
from busmark.present.blocks.environment import RawFiles
from busmark.present.blocks.repetition import document as compared
from busmark.present.charts import look
from busmark.present.sinks.page import page
from busmark.store import Result
from busmark.store.atomic import write_text

REPORT, COMPARISON = "report.html", "comparison.html"


def write(result: Result, campaign: Campaign, folder: Path) -> list[Path]:
    """Write the report into `folder`, and beside it the comparison where the campaign's scenario
    names a document; return the files, the report first."""
    path, comparison = folder / REPORT, folder / COMPARISON
    files = RawFiles.of(result, folder)
    found = repetition(campaign)
    if found is None:
        write_text(path, render(campaign, files=files))
        return [path]
    write_text(comparison, page(replace(compared(found), links=[("Report", REPORT)]), "comparison"))
    write_text(path, render(campaign, COMPARISON, files))
    return [path, comparison]


def render(campaign: Campaign, comparison: str = "", files: RawFiles | None = None) -> str:
    """Return the report; the same campaign gives the same bytes.

    Args:
        campaign: what it shows.
        comparison: address of the page that compares it with a document.
        files: where the raw data are, as seen from the page.
    """
    words = f"What {campaign.document} found, and what is found here"
    document = whole(campaign, files, [(words, comparison)] if comparison else [])
    return page(document, "report", {each.text: look.swatch(each) for each in campaign.labels})
