"""Figures as PDF."""

from __future__ import annotations

from pathlib import Path

from busmark.analysis.model import Campaign
from busmark.store import Result


def write(result: Result, campaign: Campaign, folder: Path) -> list[Path]:
    """Into the folder's folder `pdf`, the list of figures first."""
    # Only now: matplotlib takes a second to load.
    from busmark.report.figures.write import write_figures

    return write_figures(result, campaign, folder, "pdf")
