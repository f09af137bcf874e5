"""Which cases the notebook draws: one group, in which only size and middleware differ."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from busmark.analysis.across import dimensions as dim
from busmark.analysis.model import Campaign, CaseSummary
from busmark.analysis.words.naming import described


@dataclass(frozen=True, slots=True)
class Choice:
    """Cases of one test, placement and further workload."""

    cases: list[CaseSummary]
    same: dict[str, Any]
    """Columns of the frame `cases` and the values that they have in common."""

    @property
    def sizes(self) -> list[int]:
        """Rising."""
        return sorted({case.size for case in self.cases if case.size is not None})

    @property
    def title(self) -> str:
        """In words."""
        first = self.cases[0]
        further = described(first.workload)
        where = dim.placement_text(first.placement)
        return f"{where}, {further}" if further else where

    @property
    def single(self) -> list[CaseSummary]:
        """Those of the smallest size of which there are samples; another tool's results may hold
        none."""
        sampled = [case for case in self.cases if case.series and case.series.curve]
        return [case for case in sampled if case.size == _smallest(sampled)]


def choose(campaign: Campaign, test: str) -> Choice | None:
    """The largest set of measured cases that may be drawn together; the first of several."""
    by_id = {case.id: case for case in campaign.cases}
    sets: dict[tuple[object, ...], list[CaseSummary]] = {}
    for group in campaign.groups:
        for case in (by_id[c] for c in group.cases):
            if case.test == test and (case.rtt_2 or case.goodput):
                key = (case.placement, *case.workload.items())
                sets.setdefault(key, []).append(case)
    if not sets:
        return None
    cases = max(sets.values(), key=len)
    return Choice(cases, {"placement": cases[0].params.placement} | _common(campaign, cases))


def _smallest(cases: Sequence[CaseSummary]) -> int | None:
    return min((case.size for case in cases if case.size is not None), default=None)


def _common(campaign: Campaign, cases: Sequence[CaseSummary]) -> dict[str, Any]:
    """Parameters of the workload that vary in the campaign's test, but not among these cases."""
    flats = [dim.flatten(case.params) for case in campaign.cases if case.test == cases[0].test]
    names = [name for name in dim.varying(flats) if not dim.is_choice(name)]
    own = [dim.flatten(case.params) for case in cases]
    return {
        name: own[0].get(name)
        for name in names
        if "." not in name
        and len({str(flat.get(name)) for flat in own}) == 1
        and isinstance(own[0].get(name), str | int | float | None)
    }
