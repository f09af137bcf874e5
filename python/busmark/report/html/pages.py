"""All pages of a campaign."""

from __future__ import annotations

from pathlib import Path

from busmark.analysis.model import Campaign
from busmark.documents import repetition
from busmark.report.html.files import RawFiles
from busmark.report.html.page import write_html
from busmark.report.html.repetition import NAME, write_repetition
from busmark.store import Result

REPORT = "report.html"


def write(result: Result, campaign: Campaign, folder: Path) -> list[Path]:
    """Write the report into `folder`, and beside it the comparison where the campaign's scenario
    names a document. Gives the files, the report first."""
    page, beside = folder / REPORT, folder / NAME
    files = RawFiles.of(result, folder)
    found = repetition(campaign)
    if found is None:
        write_html(campaign, page, files=files)
        return [page]
    write_repetition(found, beside, page.name)
    write_html(campaign, page, beside.name, files)
    return [page, beside]
