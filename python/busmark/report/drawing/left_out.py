"""What of a campaign is in no drawing, and why."""

from __future__ import annotations

from busmark.analysis.grouping import headline
from busmark.analysis.model import Campaign
from busmark.analysis.text import size_text


def cases_left_out(campaign: Campaign) -> list[str]:
    """A line for each case that has no result, and for each part that could not be read."""
    cases = [
        f"{case.id} ({case.label}, {size_text(case.size)}): {case.status.replace('_', ' ')}"
        + (f", {case.reason}" if case.reason else "")
        for case in campaign.cases
        if headline(case) is None
    ]
    return cases + campaign.problems
