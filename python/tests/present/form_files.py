"""The files of a form, as `busmark report` writes them."""

from __future__ import annotations

from pathlib import Path

from busmark.compare.campaign import Campaign
from busmark.present import formats
from busmark.present.blocks import charts
from busmark.present.blocks.campaign import views
from busmark.present.charts.kinds import ChartKind
from busmark.present.document import Chart, Document, Section
from busmark.present.drawings import Drawing, drawings
from busmark.store import Result


def write(
    names: str, result: Result, campaign: Campaign, folder: Path, *, plain: bool = False
) -> dict[str, list[Path]]:
    """Write these forms of a campaign; return the files by form."""
    shown = views(result, campaign, folder, plain=plain)
    return formats.write(shown, formats.chosen(names), folder)


def files(
    name: str, result: Result, campaign: Campaign, folder: Path, *, plain: bool = False
) -> list[Path]:
    """Write one form of a campaign; return its files."""
    return write(name, result, campaign, folder, plain=plain)[name]


def sheets(campaign: Campaign, kind: ChartKind) -> list[Drawing]:
    """Return the drawings of a kind of chart, with letters of findings."""
    (section, *_) = charts.sheets(campaign, {})
    own = [each for each in section.blocks
           if isinstance(each, Chart) and each.key.partition(".")[0] == kind.key]  # fmt: skip
    return list(drawings(Document("", [], [Section("", own)])))
