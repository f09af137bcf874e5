"""The pages of a campaign: its report, and beside it the documents that accompany it, such as the
comparison with a paper whose experiments it repeats."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from busmark.compare.campaign import Campaign
from busmark.plugin import documents
from busmark.present.blocks.campaign import whole
from busmark.present.blocks.environment import RawFiles
from busmark.present.charts import look
from busmark.present.sinks.page import page
from busmark.store import Result
from busmark.store.atomic import write_text

REPORT = "report.html"


def write(result: Result, campaign: Campaign, folder: Path) -> list[Path]:
    """Write the report into `folder`, and beside it the documents that accompany it; return the
    files, the report first."""
    written, links = [folder / REPORT], []
    for kind, document in documents(campaign):
        path = folder / f"{kind.name}.html"
        write_text(path, page(replace(document, links=[("Report", REPORT)]), kind.name))
        links.append((document.title, path.name))
        written.append(path)
    write_text(written[0], render(campaign, links, RawFiles.of(result, folder)))
    return written


def render(
    campaign: Campaign, links: Sequence[tuple[str, str]] = (), files: RawFiles | None = None
) -> str:
    """Return the report; the same campaign gives the same bytes.

    Args:
        campaign: what it shows.
        links: words and address of the pages that accompany it.
        files: where the raw data are, as seen from the page.
    """
    document = whole(campaign, files, links)
    swatches = {each.text: look.swatch(each) for each in campaign.labels}
    return page(document, "report", swatches, campaign.labels)
