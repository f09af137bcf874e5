"""Checks along the sizes of otherwise equal cases, and along the rounds of one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from busmark.compare.campaign import Campaign
from busmark.documents.checks import missing, telling
from busmark.documents.claim import Claim
from busmark.documents.evidence import Pair, product
from busmark.documents.select import WORKLOAD, Select, named, parameters
from busmark.documents.values import PerRound, Value, headline
from busmark.estimate.case import CaseSummary
from busmark.estimate.repeated import halves
from busmark.model.text import size_text
from busmark.stats import MIN_POINTS
from busmark.stats.line import theil_sen

Series = Mapping[int, CaseSummary]
"""Cases that differ in their size only, by size, ascending."""


def by_size(select: Select, campaign: Campaign) -> list[Series]:
    """The series of a selection."""
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
        """One for each step."""
        reason = missing(self.of, campaign, self.value)
        if reason:
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
        """One for each set of cases that differ in `along` only."""
        reason = missing(self.of, campaign, self.value)
        if reason:
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
        shown = telling([greatest for greatest, _ in ends])
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
        """One for each case of that size whose neighbours were measured."""
        reason = missing(self.of, campaign)
        if reason:
            return reason
        sizes = (self.at, self.at // 2, self.at * 2)
        chosen = [
            [series[size] for size in sizes]
            for series in by_size(self.of, campaign)
            if {*sizes} <= series.keys()
        ]
        shown = telling([middle for middle, _, _ in chosen])
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
        """One for each size."""
        reason = missing(self.of, campaign, self.value)
        if reason:
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
    """Overhead and slope of each round that every size has."""
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
        """One for each case."""
        reason = missing(self.of, campaign, self.value)
        if reason:
            return reason
        found = self.of.of(campaign)
        shown = telling(found)
        pairs = []
        for case in found:
            values = self.value(case)
            first, second = ([values[r] for r in half] for half in halves([*values]))
            sides = dict(enumerate(second)), dict(enumerate(first))
            pairs.append(Pair(named(case, shown), *sides, (case.id,)))
        return [pair for pair in pairs if pair.rounds] or "two campaigns need two rounds"
