"""The report as one HTML file that needs nothing else: no network, no further file.

A campaign that repeats the experiments of a document has a second page beside it, of the same kind.
"""

from __future__ import annotations

from pathlib import Path

from busmark.analysis.model import Campaign
from busmark.report.html.files import RawFiles
from busmark.report.html.page import render, write_html
from busmark.report.html.pages import write_pages
from busmark.store import Result

__all__ = ["render", "write", "write_html", "write_pages"]


def write(result: Result, campaign: Campaign, folder: Path) -> list[Path]:
    """The pages into `folder`, the report first."""
    return write_pages(campaign, folder / "report.html", RawFiles.of(result, folder))
