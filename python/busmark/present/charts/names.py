"""Names of files that explain themselves, safe whatever a user has called things, and the list of
what is in no file."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence

from busmark.analysis.model import Campaign, CaseSummary
from busmark.analysis.words.text import ABSENT, THIN, size_text
from busmark.present.charts.panels import Keys
from busmark.present.charts.shapes import one_line

LONGEST = 48
"""Characters of one part; with all parts and an ending it stays below what file systems allow."""

MOST = 180
"""Characters of a name."""


def safe(part: str) -> str:
    """Letters, digits, `+`, `=`, `_` and `-` only, in ASCII; never empty, never first a `-`."""
    grouped = part.replace(THIN, "")
    plain = unicodedata.normalize("NFKD", grouped).encode("ascii", "ignore").decode()
    return re.sub(r"[^A-Za-z0-9+=_]+", "-", plain).strip("-")[:LONGEST].strip("-") or "x"


def parts_of(keys: Keys, case: CaseSummary) -> list[str]:
    """What chose a panel, for a name: `different`, `64B`, `rate-1000-s`."""
    parts = []
    for name, value in keys:
        if value == ABSENT:
            continue
        if name == "Placement":
            parts.append(case.placement)
        elif name in ("Size", "Middleware"):
            parts.append(value.replace(" ", "") if name == "Size" else value)
        else:
            parts.append(f"{name.lower()}-{value}")
    return parts


class Names:
    """Gives each name once, also where a file system knows no capitals."""

    def __init__(self) -> None:
        self._given: set[str] = set()

    def name(self, parts: Iterable[str]) -> str:
        """The parts joined by points; a number follows where that was given before."""
        whole = ".".join(map(safe, parts))[:MOST].rstrip(".")
        name, number = whole, 1
        while name.lower() in self._given:
            number += 1
            name = f"{whole}.{number}"
        self._given.add(name.lower())
        return name


def name_of(names: Names, kind: str, keys: Keys, members: Sequence[CaseSummary]) -> str:
    """Name of a file about these cases."""
    return names.name([kind, *parts_of(keys, members[0])])


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
