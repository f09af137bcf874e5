"""Checks: ratios between the cases of one campaign."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from busmark.compare.campaign import Campaign
from busmark.documents.claim import ABOVE, Claim
from busmark.documents.evidence import Pair, geometric_mean, product
from busmark.documents.select import WORKLOAD, Select, named, parameters
from busmark.documents.values import PerRound, Value, constant, expected, headline, received
from busmark.estimate.case import CaseSummary
from busmark.model.parameters import Parameters


@dataclass(frozen=True, slots=True)
class Ratio:
    """`of` over `to`, for cases that are otherwise alike in `alike_in`."""

    name: str
    of: Select
    to: Select
    claim: Claim
    alike_in: tuple[str, ...] = WORKLOAD
    value: Value = headline

    def pairs(self, campaign: Campaign) -> list[Pair] | str:
        """One for each case of `of` that has a partner."""
        reason = missing(self.of, campaign, self.value) or missing(self.to, campaign, self.value)
        if reason:
            return reason
        partners = {self._key(case): case for case in self.to.of(campaign)}
        found = [
            (case, partners[self._key(case)])
            for case in self.of.of(campaign)
            if self._key(case) in partners
        ]
        shown = telling([case for case, _ in found])
        return [
            Pair(named(a, shown), self.value(a), self.value(b), (a.id, b.id)) for a, b in found
        ] or "no two cases are otherwise alike"

    def _key(self, case: CaseSummary) -> tuple[object, ...]:
        flat = parameters(case)
        return tuple(
            flat.get(name)
            for name in self.alike_in
            if self.of.params.get(name) == self.to.params.get(name)
        )


@dataclass(frozen=True, slots=True)
class Each:
    """One figure of a case over another figure of the same case."""

    name: str
    of: Select
    above: Value
    below: Value
    claim: Claim

    def pairs(self, campaign: Campaign) -> list[Pair] | str:
        """One for each case that has both."""
        # Where nothing arrived there is no headline, and all that was sent is lost.
        reason = missing(self.of, campaign, lambda case: headline(case) or self.below(case))
        if reason:
            return reason
        found = self.of.of(campaign)
        shown = telling(found)
        pairs = [
            Pair(named(case, shown), self.above(case), self.below(case), (case.id,))
            for case in found
        ]
        return [pair for pair in pairs if pair.common] or "no case has that figure"


def share(name: str, of: Select, whole: Callable[[Parameters], float | None], claim: Claim) -> Each:
    """Cases over a figure that their parameters give, such as what was specified."""
    return Each(name, of, headline, constant(whole), claim)


def delivered(name: str, of: Select, claim: Claim) -> Each:
    """Samples received over those that were to be received."""
    return Each(name, of, received, expected, claim)


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
        found = [_between(*ends) for ends in _ends(single, campaign, self.along)]
        return found or f"one value of {self.along} only"


@dataclass(frozen=True, slots=True)
class Convergence:
    """How the distance between two sides changes: the greater over the smaller at the least value
    of a parameter, over the same at the greatest. Above 1 they come closer, whichever is ahead.

    Attributes:
        lead: only where `of` is above `to` at the least value does it have a lead that can narrow.
    """

    name: str
    of: Select
    to: Select
    along: str
    claim: Claim
    lead: bool = False

    def pairs(self, campaign: Campaign) -> list[Pair] | str:
        """One for each set of cases that differ in `along` only."""
        found = []
        single = Ratio(self.name, self.of, self.to, self.claim).pairs(campaign)
        if isinstance(single, str):
            return single
        for first, last in _ends(single, campaign, self.along):
            if self.lead and ABOVE.verdict(first.ratio()) != "agrees":
                continue
            found.append(_between(_apart(first), _apart(last)))
        if found:
            return found
        return (
            f"no lead at the least value of {self.along} that could narrow"
            if self.lead and _ends(single, campaign, self.along)
            else f"one value of {self.along} only"
        )


def _apart(pair: Pair) -> Pair:
    """The greater side over the smaller; which one is greater, all rounds together say, for
    single rounds would make two equal sides differ."""
    rounds = pair.rounds
    ratio = geometric_mean(pair.above[r] / pair.below[r] for r in rounds) if rounds else 1.0
    return pair if ratio >= 1 else Pair(pair.name, pair.below, pair.above, pair.cases)


def _ends(single: Sequence[Pair], campaign: Campaign, along: str) -> list[tuple[Pair, Pair]]:
    """Pairs at the least and at the greatest value of a parameter, of cases otherwise alike."""
    alike: dict[tuple[object, ...], list[tuple[float, Pair]]] = {}
    for pair in single:
        flat = parameters(campaign.case(pair.cases[0]))
        key = tuple(flat.get(name) for name in WORKLOAD if name != along)
        alike.setdefault(key, []).append((float(flat[along]), pair))
    found = []
    for series in alike.values():
        series.sort(key=lambda entry: entry[0])
        (least, first), (greatest, last) = series[0], series[-1]
        if least < greatest:
            found.append((first, last))
    return found


def _between(first: Pair, last: Pair) -> Pair:
    return Pair(
        f"{first.name} over {last.name}",
        _squared(product(first.above, last.below)),
        _squared(product(first.below, last.above)),
        first.cases + last.cases,
    )


def _squared(side: PerRound) -> PerRound:
    """The product of two cases, of their geometric mean."""
    return {r: value**2 for r, value in side.items()}


def missing(select: Select, campaign: Campaign, value: Value = headline) -> str | None:
    """Why a selection has no measured case; None if it has one."""
    found = select.of(campaign)
    if any(value(case) for case in found):
        return None
    told = ", ".join(f"{k} {v}" for k, v in select.params.items() if not isinstance(v, tuple))
    if not found:
        return f"this campaign has no such case: {told}"
    return found[0].reason or f"{found[0].id}: {found[0].status.replace('_', ' ')}"


def telling(found: Sequence[CaseSummary]) -> tuple[str, ...]:
    """Parameters by which these cases differ, the size in any case."""
    flats = [parameters(case) for case in found]
    return tuple(
        name
        for name in WORKLOAD
        if name == "size" or len({str(flat.get(name)) for flat in flats}) > 1
    )
