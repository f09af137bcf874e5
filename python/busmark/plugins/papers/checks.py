"""Checks: ratios between the cases of one campaign."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, TypeVar

import numpy as np

from busmark.compare.campaign import Campaign
from busmark.model.case import CaseSummary
from busmark.model.parameters import Parameters
from busmark.model.text import size_text
from busmark.plugins.papers.evidence import (
    ABOVE,
    Check,
    Claim,
    Pair,
    WithoutPairs,
    geometric_mean,
    product,
)
from busmark.plugins.papers.rounds import halves
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

T = TypeVar("T")


def for_each(
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

    def pairs(self, campaign: Campaign) -> list[Pair]:
        """Return one pair for each case of `of` that has a partner."""
        over, under = (measured(side, campaign, self.value) for side in (self.of, self.to))
        partners = {self._key(case): case for case in under}
        both = [(case, partners[self._key(case)]) for case in over if self._key(case) in partners]
        found = some(both, "no two cases are otherwise alike")
        shown = distinguishing([case for case, _ in found])
        return [Pair(named(a, shown), self.value(a), self.value(b), (a.id, b.id)) for a, b in found]

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

    def pairs(self, campaign: Campaign) -> list[Pair]:
        """Return one pair for each case that has both."""
        # Where nothing arrived there is no headline, and all that was sent is lost.
        found = measured(self.of, campaign, lambda case: headline(case) or self.below(case))
        shown = distinguishing(found)
        pairs = (
            Pair(named(case, shown), self.above(case), self.below(case), (case.id,))
            for case in found
        )
        return some([pair for pair in pairs if pair.common], "no case has that figure")


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

    def pairs(self, campaign: Campaign) -> list[Pair]:
        """Return one pair for each set of cases that differ in `along` only."""
        return [_between(*ends) for ends in self.ends(campaign)]

    def ends(self, campaign: Campaign) -> list[tuple[Pair, Pair]]:
        """Return the pairs at the least and at the greatest value, of cases otherwise alike."""
        single = Ratio(self.name, self.of, self.to, self.claim).pairs(campaign)
        return extremes(single, lambda pair: campaign.case(pair.cases[0]), self.along)


@dataclass(frozen=True, slots=True)
class Convergence(Trend):
    """The distance between two sides, the greater over the smaller, at the least value of a
    parameter, over the same at the greatest. Above 1 they come closer, whichever is ahead.

    Attributes:
        lead: only where `of` is above `to` at the least value does it have a lead that can narrow.
    """

    lead: bool = False

    def pairs(self, campaign: Campaign) -> list[Pair]:
        """Return one pair for each set of cases that differ in `along` only."""
        found = [
            _between(_apart(first), _apart(last))
            for first, last in self.ends(campaign)
            if not self.lead or ABOVE.verdict(first.ratio()) == "agrees"
        ]
        return some(found, f"no lead at the least value of {self.along} that could narrow")


def _apart(pair: Pair) -> Pair:
    """Return the greater side over the smaller; which one is greater, all rounds together say, for
    single rounds would make two equal sides differ."""
    rounds = pair.rounds
    ratio = geometric_mean(pair.above[r] / pair.below[r] for r in rounds) if rounds else 1.0
    return pair if ratio >= 1 else Pair(pair.name, pair.below, pair.above, pair.cases)


def extremes(
    things: Iterable[T], case_of: Callable[[T], CaseSummary], along: str
) -> list[tuple[T, T]]:
    """Return what is of the least and of the greatest value of a parameter, of cases otherwise
    alike."""
    alike: dict[tuple[object, ...], list[tuple[float, T]]] = {}
    for each in things:
        flat = parameters(case_of(each))
        key = tuple(flat.get(name) for name in WORKLOAD if name != along)
        alike.setdefault(key, []).append((float(flat[along]), each))
    found = []
    for series in alike.values():
        series.sort(key=lambda entry: entry[0])
        (least, first), (greatest, last) = series[0], series[-1]
        if least < greatest:
            found.append((first, last))
    return some(found, f"one value of {along} only")


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


def some(found: list[T], otherwise: str) -> list[T]:
    """Return them; raise `WithoutPairs` where there are none."""
    if not found:
        raise WithoutPairs(otherwise)
    return found


def measured(select: Select, campaign: Campaign, value: Value = headline) -> list[CaseSummary]:
    """Return the cases of a selection; raise `WithoutPairs` where none of them has a value."""
    wanted = [f"{k} {v}" for k, v in select.params.items() if not isinstance(v, tuple)]
    found = some(select.cases(campaign), f"this campaign has no such case: {', '.join(wanted)}")
    if not any(value(case) for case in found):
        first = found[0]
        raise WithoutPairs(first.reason or f"{first.id}: {first.status.replace('_', ' ')}")
    return found


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


def by_size(cases: Iterable[CaseSummary]) -> list[Series]:
    """Return the series of these cases."""
    found: dict[tuple[object, ...], dict[int, CaseSummary]] = {}
    for case in cases:
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

    def pairs(self, campaign: Campaign) -> list[Pair]:
        """Return one pair for each step."""
        found = []
        for series in by_size(measured(self.of, campaign, self.value)):
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
            for greater, less in some(found, "one size only")
        ]


@dataclass(frozen=True, slots=True)
class Ends:
    """Cases at the greatest value of a parameter over those at the least, otherwise alike."""

    name: str
    of: Select
    along: str
    claim: Claim
    value: Value = headline

    def pairs(self, campaign: Campaign) -> list[Pair]:
        """Return one pair for each set of cases that differ in `along` only."""
        found = [case for case in measured(self.of, campaign, self.value) if self.value(case)]
        ends = extremes(found, lambda case: case, self.along)
        shown = distinguishing([greatest for _, greatest in ends])
        return [
            Pair(
                f"{named(greatest, (*shown, self.along))} over {parameters(least)[self.along]}",
                self.value(greatest),
                self.value(least),
                (greatest.id, least.id),
            )
            for least, greatest in ends
        ]


@dataclass(frozen=True, slots=True)
class Bend:
    """A case at one size over the geometric mean of its neighbours at half and twice the size: on
    a straight line in logarithms it is 1."""

    name: str
    of: Select
    at: int
    claim: Claim

    def pairs(self, campaign: Campaign) -> list[Pair]:
        """Return one pair for each case of that size whose neighbours were measured."""
        sizes = (self.at, self.at // 2, self.at * 2)
        chosen = some(
            [
                [series[size] for size in sizes]
                for series in by_size(measured(self.of, campaign))
                if {*sizes} <= series.keys()
            ],
            f"needs sizes {sizes[1]}, {sizes[0]} and {sizes[2]}",
        )
        shown = distinguishing([middle for middle, _, _ in chosen])
        return [
            Pair(
                named(middle, shown),
                headline(middle),
                product(headline(half), headline(twice)),
                (middle.id, half.id, twice.id),
            )
            for middle, half, twice in chosen
        ]


@dataclass(frozen=True, slots=True)
class OnLine:
    """A case over the straight line through all sizes of its series, overhead + slope × size. The
    line of Theil and Sen is laid through each round: 1 everywhere where values lie on it."""

    name: str
    of: Select
    claim: Claim
    value: Value = headline

    def pairs(self, campaign: Campaign) -> list[Pair]:
        """Return one pair for each size."""
        found = []
        for series in by_size(measured(self.of, campaign, self.value)):
            values_of = {size: self.value(case) for size, case in series.items()}
            known = {size: values for size, values in values_of.items() if values}
            if len(known) < MIN_POINTS:
                continue
            lines = _lines(known)
            found += [
                Pair(
                    size_text(size),
                    values,
                    {r: at for r, line in lines.items() if (at := line[0] + line[1] * size) > 0},
                    (series[size].id,),
                )
                for size, values in known.items()
            ]
        return some(found, f"a line needs {MIN_POINTS} sizes")


def _lines(known: Mapping[int, PerRound]) -> dict[int, tuple[float, float]]:
    """Return overhead and slope of each round that every size has."""
    rounds = set.intersection(*(set(values) for values in known.values()))
    sizes = np.array([*known], dtype=np.float64)
    found = {}
    for number in rounds:
        overhead, slope = theil_sen(sizes, np.array([of[number] for of in known.values()]))
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

    def pairs(self, campaign: Campaign) -> list[Pair]:
        """Return one pair for each case."""
        found = measured(self.of, campaign, self.value)
        shown = distinguishing(found)
        pairs = []
        for case in found:
            values = self.value(case)
            first, second = ([values[r] for r in half] for half in halves([*values]))
            sides = dict(enumerate(second)), dict(enumerate(first))
            pairs.append(Pair(named(case, shown), *sides, (case.id,)))
        return some([pair for pair in pairs if pair.rounds], "two campaigns need two rounds")
