"""The pages of a campaign: its report, and beside it the comparison with a document that it
repeats."""

from __future__ import annotations

from pathlib import Path

from busmark.analysis.model import Campaign
from busmark.documents import repetition
from busmark.present.blocks.campaign import whole
from busmark.present.blocks.environment import RawFiles
from busmark.present.sinks.page import page
from busmark.report.drawing import look
from busmark.report.html.repetition import NAME, write_repetition
from busmark.store import Result
from busmark.store.atomic import write_text

REPORT = "report.html"


def write(result: Result, campaign: Campaign, folder: Path) -> list[Path]:
    """Write the report into `folder`, and beside it the comparison where the campaign's scenario
    names a document; return the files, the report first."""
    path, beside = folder / REPORT, folder / NAME
    files = RawFiles.of(result, folder)
    found = repetition(campaign)
    if found is None:
        write_text(path, render(campaign, files=files))
        return [path]
    write_repetition(found, beside, path.name)
    write_text(path, render(campaign, beside.name, files))
    return [path, beside]


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
