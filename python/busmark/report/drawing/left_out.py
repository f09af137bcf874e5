"""What of a campaign is in no drawing, and why."""

from __future__ import annotations

from busmark.analysis.model import Campaign, CaseSummary
from busmark.analysis.words.text import size_text
from busmark.report.drawing.texts import one_line


def cases_left_out(campaign: Campaign) -> list[str]:
    """A line for each case that has no result, and for each part that could not be read."""
    cases = [
        f"{case.id} ({case.label}, {size_text(case.size)}): {_why(case)}"
        for case in campaign.cases
        if case.headline is None
    ]
    return [one_line(told, 1000) for told in (*cases, *campaign.problems)]


def _why(case: CaseSummary) -> str:
    if case.status == "ok":
        return "no sample came back"
    status = case.status.replace("_", " ")
    return f"{status}, {case.reason}" if case.reason else status
