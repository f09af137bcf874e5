"""All pages of a campaign."""

from __future__ import annotations

from pathlib import Path

from busmark.analysis.model import Campaign
from busmark.packs import compare
from busmark.report.html.comparison import NAME, write_comparison
from busmark.report.html.files import RawFiles
from busmark.report.html.page import write_html


def write_pages(campaign: Campaign, path: Path, files: RawFiles | None = None) -> list[Path]:
    """Write the report, and beside it the comparison where the campaign's scenario names a
    document. Gives the files, the report first."""
    comparison = compare(campaign)
    if comparison is None:
        write_html(campaign, path, files=files)
        return [path]
    beside = path.with_name(NAME if path.name != NAME else f"comparison-{NAME}")
    write_comparison(comparison, beside, path.name)
    write_html(campaign, path, beside.name, files)
    return [path, beside]
