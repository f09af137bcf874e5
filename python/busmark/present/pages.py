"""The page of a campaign."""

from __future__ import annotations

from busmark.compare.campaign import Campaign
from busmark.present.blocks.campaign import whole
from busmark.present.sinks.page import page


def render(campaign: Campaign) -> str:
    """Return the page; the same campaign gives the same bytes."""
    return page(whole(campaign))
