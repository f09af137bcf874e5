"""The cases as data for the page's script: an index of all, and the details of each."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from busmark.analysis import text
from busmark.analysis.dimensions import placement_text
from busmark.analysis.model import Campaign, CaseSummary
from busmark.report.html.details import case_details, heading, summary
from busmark.report.html.files import RawFiles
from busmark.report.html.templating import anchor

MOST_DETAILS = 1000
"""Cases whose details are in the page: with more, those of the first in the tables are."""


def case_index(campaign: Campaign) -> dict[str, Any]:
    """Of every case what it is found by, and the line in the list."""
    known = [_values(case) for case in campaign.cases]
    names = list(dict.fromkeys(name for values in known for name in values))
    return {
        "names": names,
        "cases": [
            {
                "id": case.id,
                "anchor": anchor(case.id),
                "heading": heading(case),
                "summary": summary(case),
                "status": case.status.replace("_", " "),
                "reason": case.reason or "",
                "values": [values.get(name, "") for name in names],
            }
            for case, values in zip(campaign.cases, known, strict=True)
        ],
    }


def _values(case: CaseSummary) -> dict[str, str]:
    """Text of what the case can be chosen by."""
    return {
        "Test": case.test,
        "Middleware": case.label,
        "Size": text.size_text(case.size),
        "Placement": placement_text(case.placement),
        "Status": case.status.replace("_", " "),
        **{name.capitalize(): value for name, value in case.workload.items()},
        **{name.capitalize(): value for name, value in case.choices.items()},
    }


def case_details_data(campaign: Campaign, files: RawFiles | None) -> dict[str, Any]:
    """By identifier, for at most `MOST_DETAILS` cases."""
    return {case.id: _details(case, files) for case in detailed(campaign)}


def detailed(campaign: Campaign) -> Iterable[CaseSummary]:
    """The cases whose details are in the page."""
    return campaign.cases[:MOST_DETAILS]


def _details(case: CaseSummary, files: RawFiles | None) -> dict[str, Any]:
    known = case_details(case)
    floor = case.floor and {
        "id": case.floor.case,
        "anchor": anchor(case.floor.case),
        "differs": text.joined(case.floor.differs),
    }
    rounds = dict.fromkeys(attempt.round for attempt in case.attempts)
    return {
        "params": known.params,
        "floor": floor,
        "blocks": [
            {"title": b.title, "heads": b.heads, "rows": b.rows, "note": b.note}
            for b in known.blocks
        ],
        "files": [f for r in rounds for f in files.of_round(case.id, r)] if files else [],
    }
