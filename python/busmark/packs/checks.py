"""Checks: ratios between the cases of one campaign."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from busmark.analysis.model import Campaign, CaseSummary, RoundSummary
from busmark.packs.claim import Claim
from busmark.packs.evidence import Pair, geometric_mean
from busmark.packs.select import WORKLOAD, PerRound, Select, named, parameters, values


def _product(*sides: PerRound) -> PerRound:
    """Geometric mean of several cases, round by round."""
    rounds = set.intersection(*(set(side) for side in sides))
    return {r: geometric_mean(side[r] for side in sides) for r in rounds}


def _missing(select: Select, campaign: Campaign) -> str | None:
    """Why a selection has no measured case; None if it has one."""
    found = select.of(campaign)
    if any(values(case) for case in found):
        return None
    told = ", ".join(f"{k} {v}" for k, v in select.params.items() if not isinstance(v, tuple))
    if not found:
        return f"this campaign has no such case: {told}"
    return found[0].reason or f"{found[0].id}: {found[0].status.replace('_', ' ')}"


@dataclass(frozen=True, slots=True)
class Ratio:
    """`of` over `to`, for cases that are otherwise alike in `alike_in`."""

    name: str
    of: Select
    to: Select
    claim: Claim
    alike_in: tuple[str, ...] = WORKLOAD

    def pairs(self, campaign: Campaign) -> list[Pair] | str:
        """One for each case of `of` that has a partner."""
        reason = _missing(self.of, campaign) or _missing(self.to, campaign)
        if reason:
            return reason
        partners = {self._key(case): case for case in self.to.of(campaign)}
        found = [
            (case, partners[self._key(case)])
            for case in self.of.of(campaign)
            if self._key(case) in partners
        ]
        shown = _telling([case for case, _ in found])
        return [
            Pair(named(a, shown), values(a), values(b), (a.id, b.id)) for a, b in found
        ] or "no two cases are otherwise alike"

    def _key(self, case: CaseSummary) -> tuple[object, ...]:
        flat = parameters(case)
        return tuple(
            flat.get(name)
            for name in self.alike_in
            if self.of.params.get(name) == self.to.params.get(name)
        )


@dataclass(frozen=True, slots=True)
class Trend:
    """How the ratio `of` over `to` changes: at the least value of a parameter, over that at the
    greatest."""

    name: str
    of: Select
    to: Select
    along: str
    claim: Claim

    def pairs(self, campaign: Campaign) -> list[Pair] | str:
        """One for each set of cases that differ in `along` only."""
        single = Ratio(self.name, self.of, self.to, self.claim).pairs(campaign)
        if isinstance(single, str):
            return single
        alike: dict[tuple[object, ...], list[tuple[float, Pair]]] = {}
        for pair in single:
            flat = parameters(campaign.case(pair.cases[0]))
            key = tuple(flat.get(name) for name in WORKLOAD if name != self.along)
            alike.setdefault(key, []).append((float(flat[self.along]), pair))
        found = []
        for series in alike.values():
            series.sort(key=lambda entry: entry[0])
            (least, first), (greatest, last) = series[0], series[-1]
            if least < greatest:
                found.append(_between(first, last))
        return found or f"one value of {self.along} only"


def _between(first: Pair, last: Pair) -> Pair:
    return Pair(
        f"{first.name} over {last.name}",
        _squared(_product(first.above, last.below)),
        _squared(_product(first.below, last.above)),
        first.cases + last.cases,
    )


def _squared(side: PerRound) -> PerRound:
    """The product of two cases, of their geometric mean."""
    return {r: value**2 for r, value in side.items()}


@dataclass(frozen=True, slots=True)
class Bend:
    """A case at one size over the geometric mean of its neighbours at half and twice the size: on
    a straight line in logarithms it is 1."""

    name: str
    of: Select
    at: int
    claim: Claim

    def pairs(self, campaign: Campaign) -> list[Pair] | str:
        """One for each case of that size whose neighbours were measured."""
        reason = _missing(self.of, campaign)
        if reason:
            return reason
        by_key: dict[tuple[object, ...], dict[int | None, CaseSummary]] = {}
        for case in self.of.of(campaign):
            flat = parameters(case)
            key = tuple(flat.get(name) for name in WORKLOAD if name != "size")
            by_key.setdefault(key, {})[case.size] = case
        sizes = (self.at, self.at // 2, self.at * 2)
        chosen = [[of[size] for size in sizes] for of in by_key.values() if {*sizes} <= of.keys()]
        shown = _telling([middle for middle, _, _ in chosen])
        return [
            Pair(
                named(middle, shown),
                values(middle),
                _product(values(half), values(twice)),
                (middle.id, half.id, twice.id),
            )
            for middle, half, twice in chosen
        ] or f"needs sizes {sizes[1]}, {sizes[0]} and {sizes[2]}"


@dataclass(frozen=True, slots=True)
class Share:
    """Cases over a figure that their parameters give, such as what was specified."""

    name: str
    of: Select
    whole: Callable[[Mapping[str, Any]], float | None]
    claim: Claim

    def pairs(self, campaign: Campaign) -> list[Pair] | str:
        """One for each case."""
        reason = _missing(self.of, campaign)
        if reason:
            return reason
        found = self.of.of(campaign)
        shown = _telling(found)
        return [
            Pair(
                named(case, shown),
                values(case),
                dict.fromkeys(values(case), whole),
                (case.id,),
            )
            for case in found
            if (whole := self.whole(case.params))
        ] or "no case has that figure"


@dataclass(frozen=True, slots=True)
class Delivered:
    """Samples received over those that were to be received."""

    name: str
    of: Select
    claim: Claim

    def pairs(self, campaign: Campaign) -> list[Pair] | str:
        """One for each case."""
        reason = _missing(self.of, campaign)
        if reason:
            return reason
        found = self.of.of(campaign)
        shown = _telling(found)
        return [
            Pair(
                named(case, shown),
                {a.round: float(a.received) for a in case.attempts if _counted(a) and a.received},
                {a.round: float(a.expected) for a in case.attempts if _counted(a) and a.expected},
                (case.id,),
            )
            for case in found
        ]


def _counted(attempt: RoundSummary) -> bool:
    return attempt.status == "ok"


def _telling(found: Sequence[CaseSummary]) -> tuple[str, ...]:
    """Parameters by which these cases differ, the size in any case."""
    flats = [parameters(case) for case in found]
    return tuple(
        name
        for name in WORKLOAD
        if name == "size" or len({str(flat.get(name)) for flat in flats}) > 1
    )
