"""Sheets: each chart of each choice of cases as a file of its own, on paper and for gnuplot.

A sheet has a name that explains itself, safe whatever a user has called things, and a caption that
says what nothing else on paper does. What is on no sheet is listed.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from busmark.compare.campaign import Campaign
from busmark.estimate.case import CaseSummary
from busmark.model.text import ABSENT, THIN, size_text
from busmark.present import same_in_all
from busmark.present.charts.flagged import Findings
from busmark.present.charts.kinds import ChartKind, Shape
from busmark.present.charts.panels import Keys
from busmark.present.charts.shapes import Picture, one_line

LONGEST = 48
"""Characters of one part; with all parts and an ending it stays below what file systems allow."""

MOST = 180
"""Characters of a name."""


def safe(part: str) -> str:
    """Return letters, digits, `+`, `=`, `_` and `-` only, in ASCII; never empty, never first a
    `-`."""
    grouped = part.replace(THIN, "")
    plain = unicodedata.normalize("NFKD", grouped).encode("ascii", "ignore").decode()
    return re.sub(r"[^A-Za-z0-9+=_]+", "-", plain).strip("-")[:LONGEST].strip("-") or "x"


def parts_of(keys: Keys, case: CaseSummary) -> list[str]:
    """Return what chose a panel, for a name: `different`, `64B`, `rate-1000-s`."""
    parts = []
    for name, value in keys:
        if value == ABSENT:
            continue
        if name == "Placement":
            parts.append(case.placement)
        elif name in ("Size", "Middleware", "Workload"):
            parts.append(value.replace(" ", "") if name == "Size" else value)
        else:
            parts.append(f"{name.lower()}-{value}")
    return parts


class Names:
    """Names of files, each given once, also where a file system knows no capitals."""

    def __init__(self) -> None:
        self._given: set[str] = set()

    def name(self, parts: Iterable[str]) -> str:
        """Return the parts joined by points; a number follows where that was given before."""
        whole = ".".join(map(safe, parts))[:MOST].rstrip(".")
        name, number = whole, 1
        while name.lower() in self._given:
            number += 1
            name = f"{whole}.{number}"
        self._given.add(name.lower())
        return name


@dataclass(frozen=True, slots=True)
class Sheet:
    """One chart. `name` is the name of its file, without the ending."""

    name: str
    kind: ChartKind
    caption: str
    findings: str
    """What the letters behind names mean; empty where nothing was found."""
    shape: Shape


class Sheets:
    """Sheets of a campaign. `longest`: characters of a name in a legend, with its letters."""

    def __init__(self, campaign: Campaign, longest: int) -> None:
        self.names = Names()
        self._campaign = campaign
        self._longest = longest
        self._findings = Findings(campaign)

    def of(self, kind: ChartKind) -> Iterator[Sheet]:
        """Yield one for each choice of cases."""
        for shape in kind.draw(self._campaign, kind.cases(self._campaign)):
            if isinstance(shape, Picture) and shape.as_bars:
                continue
            marked, letters = self._findings.on(kind.figures, shape.members, shape, self._longest)
            lead = same_in_all.middleware(shape.members)
            caption = f"{lead}. {shape.caption}" if lead else shape.caption
            name = self.names.name([kind.key, *parts_of(shape.keys, shape.members[0])])
            yield Sheet(name, kind, caption, letters, marked)


def cases_left_out(campaign: Campaign) -> list[str]:
    """Return a line for each case that has no result, and for each part that could not be read."""
    cases = [
        f"{case.id} ({case.label}, {size_text(case.size)}): {_why(case)}"
        for case in campaign.cases
        if case.headline is None
    ]
    return [one_line(line, 1000) for line in (*cases, *campaign.problems)]


def _why(case: CaseSummary) -> str:
    if case.status == "ok":
        return "no sample came back"
    status = case.status.replace("_", " ")
    return f"{status}, {case.reason}" if case.reason else status
