"""All pages of a campaign."""

from __future__ import annotations

from pathlib import Path

from busmark.analysis.model import Campaign
from busmark.documents import repetition
from busmark.present.blocks.repetition import document
from busmark.present.sinks.page import page
from busmark.report.html.files import RawFiles
from busmark.report.html.page import write_html
from busmark.store import Result
from busmark.store.atomic import write_text

REPORT, COMPARISON = "report.html", "comparison.html"


def write(result: Result, campaign: Campaign, folder: Path) -> list[Path]:
    """Write the report into `folder`, and beside it the comparison where the campaign's scenario
    names a document. Gives the files, the report first."""
    report, comparison = folder / REPORT, folder / COMPARISON
    files = RawFiles.of(result, folder)
    found = repetition(campaign)
    if found is None:
        write_html(campaign, report, files=files)
        return [report]
    write_text(comparison, page(document(found), "comparison", files={"Report": REPORT}))
    write_html(campaign, report, COMPARISON, files)
    return [report, comparison]
