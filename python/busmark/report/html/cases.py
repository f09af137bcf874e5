"""The cases as data for the page's script: an index of all, and the details of each."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from busmark.analysis.model import Campaign, CaseSummary
from busmark.analysis.words import text
from busmark.analysis.words.naming import MIDDLEWARE
from busmark.findings.kinds import Flags, by_case, kinds
from busmark.present.charts import panels
from busmark.report.html.case_chart import case_chart
from busmark.report.html.details import case_details, heading, summary
from busmark.report.html.files import RawFiles
from busmark.report.html.templating import anchor

MOST_DETAILS = 1000
"""Most cases whose details are in the page: with more, the first in the tables have them."""


def case_index(campaign: Campaign) -> dict[str, Any]:
    """For every case, what it is found by, and its line in the list."""
    known = [_values(case) for case in campaign.cases]
    names = list(dict.fromkeys(name for values in known for name in values))
    return {
        "names": names,
        "cases": [
            {
                "id": case.id,
                "anchor": anchor(case.id),
                "label": case.label,
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
        **{_heading(name): value for name, value in _what(case).items()},
        "Size": text.size_text(case.size),
        "Placement": panels.placement(case),
        "Status": case.status.replace("_", " "),
        **{_heading(name): value for name, value in case.workload.items()},
        **{_heading(name): value for name, value in case.choices.items()},
    }


def _what(case: CaseSummary) -> dict[str, str]:
    """The middleware and each choice that labels tell; of a floor that it is one."""
    return {MIDDLEWARE: case.label} if case.is_floor or not case.label_parts else case.label_parts


def _heading(name: str) -> str:
    return name[:1].upper() + name[1:]


def case_details_data(campaign: Campaign, files: RawFiles | None) -> dict[str, Any]:
    """By identifier, for at most `MOST_DETAILS` cases."""
    found = by_case(kinds(campaign.findings))
    return {
        case.id: {**_details(case, files), "findings": _findings(found.get(case.id))}
        for case in detailed(campaign)
    }


def _findings(found: Flags | None) -> list[list[str]]:
    """Mark, severity, target, title and evidence of each."""
    return [
        [flag.mark, flag.severity, flag.kind.anchor, flag.kind.title, flag.evidence]
        for flag in (found.flags if found else ())
    ]


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
        "chart": case_chart(case),
        "floor": floor,
        "blocks": [
            {"title": b.title, "heads": b.heads, "rows": b.rows, "note": b.note, "group": b.group}
            for b in known.blocks
        ],
        "files": [f for r in rounds for f in files.of_round(case.id, r)] if files else [],
    }
