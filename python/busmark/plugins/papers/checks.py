"""Checks: ratios between the cases of one campaign."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from busmark.compare.campaign import Campaign
from busmark.estimate.case import CaseSummary
from busmark.estimate.repeated import halves
from busmark.model.parameters import Parameters
from busmark.model.text import size_text
from busmark.plugins.papers.evidence import ABOVE, Check, Claim, Pair, geometric_mean, product
from busmark.plugins.papers.select import (
    WORKLOAD,
    PerRound,
    Select,
    Selects,
    Value,
    constant,
    expected,
    headline,
    named,
    parameters,
    received,
)
from busmark.stats import MIN_POINTS
from busmark.stats.sweep import theil_sen


def each(
    places: Iterable[object], kind: Callable[..., Check], name: str, *arguments: Any, **options: Any
) -> tuple[Check, ...]:
    """Return the check of each place, whose name ends with it. `Selects` among the arguments
    select its cases."""

    def at(place: object, argument: Any) -> Any:
        return argument.at(place) if isinstance(argument, Selects) else argument

    return tuple(
        kind(f"{name}, {place}", *(at(place, argument) for argument in arguments), **options)
        for place in places
    )


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
        """Return one pair for each case of `of` that has a partner."""
        reason = missing(self.of, campaign, self.value) or missing(self.to, campaign, self.value)
        if reason:
            return reason
        partners = {self._key(case): case for case in self.to.of(campaign)}
        found = [
            (case, partners[self._key(case)])
            for case in self.of.of(campaign)
            if self._key(case) in partners
        ]
        shown = distinguishing([case for case, _ in found])
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
        """Return one pair for each case that has both."""
        # Where nothing arrived there is no headline, and all that was sent is lost.
        reason = missing(self.of, campaign, lambda case: headline(case) or self.below(case))
        if reason:
            return reason
        found = self.of.of(campaign)
        shown = distinguishing(found)
        pairs = [
            Pair(named(case, shown), self.above(case), self.below(case), (case.id,))
            for case in found
        ]
        return [pair for pair in pairs if pair.common] or "no case has that figure"


def share(name: str, of: Select, whole: Callable[[Parameters], float | None], claim: Claim) -> Each:
    """Return the check of cases over a figure that their parameters give, such as what was
    specified."""
    return Each(name, of, headline, constant(whole), claim)


def delivered(name: str, of: Select, claim: Claim) -> Each:
    """Return the check of samples received over samples expected."""
    return Each(name, of, received, expected, claim)


@dataclass(frozen=True, slots=True)
class Trend:
    """The ratio `of` over `to` at the least value of a parameter, over the same at the greatest."""

    name: str
    of: Select
    to: Select
    along: str
    claim: Claim

    def pairs(self, campaign: Campaign) -> list[Pair] | str:
        """Return one pair for each set of cases that differ in `along` only."""
        single = Ratio(self.name, self.of, self.to, self.claim).pairs(campaign)
        if isinstance(single, str):
            return single
        found = [_between(*ends) for ends in _ends(single, campaign, self.along)]
        return found or f"one value of {self.along} only"


@dataclass(frozen=True, slots=True)
class Convergence:
    """The distance between two sides, the greater over the smaller, at the least value of a
    parameter, over the same at the greatest. Above 1 they come closer, whichever is ahead.

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
        """Return one pair for each set of cases that differ in `along` only."""
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
    """Return the greater side over the smaller; which one is greater, all rounds together say, for
    single rounds would make two equal sides differ."""
    rounds = pair.rounds
    ratio = geometric_mean(pair.above[r] / pair.below[r] for r in rounds) if rounds else 1.0
    return pair if ratio >= 1 else Pair(pair.name, pair.below, pair.above, pair.cases)


def _ends(single: Sequence[Pair], campaign: Campaign, along: str) -> list[tuple[Pair, Pair]]:
    """Return pairs at the least and at the greatest value of a parameter, of cases otherwise
    alike."""
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
    """Return the product of two cases, of their geometric mean."""
    return {r: value**2 for r, value in side.items()}


def missing(select: Select, campaign: Campaign, value: Value = headline) -> str | None:
    """Return why a selection has no measured case; None if it has one."""
    found = select.of(campaign)
    if any(value(case) for case in found):
        return None
    if not found:
        wanted = [f"{k} {v}" for k, v in select.params.items() if not isinstance(v, tuple)]
        return f"this campaign has no such case: {', '.join(wanted)}"
    return found[0].reason or f"{found[0].id}: {found[0].status.replace('_', ' ')}"


def distinguishing(found: Sequence[CaseSummary]) -> tuple[str, ...]:
    """Return the parameters in which these cases differ, and always the size."""
    flats = [parameters(case) for case in found]
    return tuple(
        name
        for name in WORKLOAD
        if name == "size" or len({str(flat.get(name)) for flat in flats}) > 1
    )


Series = Mapping[int, CaseSummary]
"""Cases that differ in their size only, by size, ascending."""


def by_size(select: Select, campaign: Campaign) -> list[Series]:
    """Return the series of a selection."""
    found: dict[tuple[object, ...], dict[int, CaseSummary]] = {}
    for case in select.of(campaign):
        flat = parameters(case)
        key = tuple(flat.get(name) for name in (*WORKLOAD, "transport") if name != "size")
        if case.size is not None:
            found.setdefault(key, {})[case.size] = case
    return [dict(sorted(series.items())) for series in found.values()]


@dataclass(frozen=True, slots=True)
class Steps:
    """A case over the one of the next smaller size: above 1 on the whole where values grow with
    size. With `ends` the greatest size over the least, without what is between."""

    name: str
    of: Select
    claim: Claim
    value: Value = headline
    ends: bool = False

    def pairs(self, campaign: Campaign) -> list[Pair] | str:
        """Return one pair for each step."""
        if reason := missing(self.of, campaign, self.value):
            return reason
        found = []
        for series in by_size(self.of, campaign):
            known = [case for case in series.values() if self.value(case)]
            if self.ends:
                known = [known[0], known[-1]] if len(known) > 1 else []
            found += [(greater, less) for less, greater in pairwise(known)]
        return [
            Pair(
                f"{size_text(greater.size)} over {size_text(less.size)}",
                self.value(greater),
                self.value(less),
                (greater.id, less.id),
            )
            for greater, less in found
        ] or "one size only"


@dataclass(frozen=True, slots=True)
class Ends:
    """Cases at the greatest value of a parameter over those at the least, otherwise alike."""

    name: str
    of: Select
    along: str
    claim: Claim
    value: Value = headline

    def pairs(self, campaign: Campaign) -> list[Pair] | str:
        """Return one pair for each set of cases that differ in `along` only."""
        if reason := missing(self.of, campaign, self.value):
            return reason
        alike: dict[tuple[object, ...], list[CaseSummary]] = {}
        for case in self.of.of(campaign):
            flat = parameters(case)
            key = tuple(flat.get(name) for name in WORKLOAD if name != self.along)
            if self.value(case):
                alike.setdefault(key, []).append(case)
        ends = []
        for cases in alike.values():
            ordered = sorted(cases, key=lambda case: float(parameters(case)[self.along]))
            if len(ordered) > 1:
                ends.append((ordered[-1], ordered[0]))
        shown = distinguishing([greatest for greatest, _ in ends])
        return [
            Pair(
                f"{named(greatest, (*shown, self.along))} over {parameters(least)[self.along]}",
                self.value(greatest), self.value(least), (greatest.id, least.id),
            )
            for greatest, least in ends
        ] or f"one value of {self.along} only"  # fmt: skip


@dataclass(frozen=True, slots=True)
class Bend:
    """A case at one size over the geometric mean of its neighbours at half and twice the size: on
    a straight line in logarithms it is 1."""

    name: str
    of: Select
    at: int
    claim: Claim

    def pairs(self, campaign: Campaign) -> list[Pair] | str:
        """Return one pair for each case of that size whose neighbours were measured."""
        if reason := missing(self.of, campaign):
            return reason
        sizes = (self.at, self.at // 2, self.at * 2)
        chosen = [
            [series[size] for size in sizes]
            for series in by_size(self.of, campaign)
            if {*sizes} <= series.keys()
        ]
        shown = distinguishing([middle for middle, _, _ in chosen])
        return [
            Pair(
                named(middle, shown),
                headline(middle),
                product(headline(half), headline(twice)),
                (middle.id, half.id, twice.id),
            )
            for middle, half, twice in chosen
        ] or f"needs sizes {sizes[1]}, {sizes[0]} and {sizes[2]}"


@dataclass(frozen=True, slots=True)
class OnLine:
    """A case over the straight line through all sizes of its series, overhead + slope × size. The
    line of Theil and Sen is laid through each round: 1 everywhere where values lie on it."""

    name: str
    of: Select
    claim: Claim
    value: Value = headline

    def pairs(self, campaign: Campaign) -> list[Pair] | str:
        """Return one pair for each size."""
        if reason := missing(self.of, campaign, self.value):
            return reason
        found = []
        for series in by_size(self.of, campaign):
            values_of = {size: self.value(case) for size, case in series.items()}
            measured = {size: values for size, values in values_of.items() if values}
            if len(measured) < MIN_POINTS:
                continue
            lines = _lines(measured)
            found += [
                Pair(
                    size_text(size),
                    values,
                    {r: at for r, line in lines.items() if (at := line[0] + line[1] * size) > 0},
                    (series[size].id,),
                )
                for size, values in measured.items()
            ]
        return found or f"a line needs {MIN_POINTS} sizes"


def _lines(measured: Mapping[int, PerRound]) -> dict[int, tuple[float, float]]:
    """Return overhead and slope of each round that every size has."""
    rounds = set.intersection(*(set(values) for values in measured.values()))
    sizes = np.array([*measured], dtype=np.float64)
    found = {}
    for number in rounds:
        overhead, slope = theil_sen(sizes, np.array([of[number] for of in measured.values()]))
        found[number] = (float(overhead), float(slope))
    return found


@dataclass(frozen=True, slots=True)
class Second:
    """The later half of the rounds of a case over the earlier half: a second campaign over a first.

    The first round of the one stands over the first of the other, and so on.
    """

    name: str
    of: Select
    claim: Claim
    value: Value = headline

    def pairs(self, campaign: Campaign) -> list[Pair] | str:
        """Return one pair for each case."""
        if reason := missing(self.of, campaign, self.value):
            return reason
        found = self.of.of(campaign)
        shown = distinguishing(found)
        pairs = []
        for case in found:
            values = self.value(case)
            first, second = ([values[r] for r in half] for half in halves([*values]))
            sides = dict(enumerate(second)), dict(enumerate(first))
            pairs.append(Pair(named(case, shown), *sides, (case.id,)))
        return [pair for pair in pairs if pair.rounds] or "two campaigns need two rounds"
