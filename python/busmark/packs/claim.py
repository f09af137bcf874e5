"""What a document says of a ratio, and whether an interval bears it out."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import Literal

from busmark.stats import Estimate

Verdict = Literal["agrees", "disagrees", "cannot tell"]

ALIKE = 1.25
"""Ratios within this factor count as little difference. The documents show such claims as curves
that lie on each other and give no figure."""


@dataclass(frozen=True, slots=True)
class Claim:
    """The ratio lies between `low` and `high`.

    Attributes:
        text: the same in words, to follow "expected".
        of_each: it must hold for every pair of cases, not only for their mean: that some are above
            and some below does not make them alike.
    """

    low: float
    high: float
    text: str
    of_each: bool = False

    def verdict(self, ratio: Estimate) -> Verdict:
        """agrees: the interval lies within the claim; disagrees: wholly outside of it."""
        if ratio.low is None or ratio.high is None:
            return "cannot tell"
        if self.low <= ratio.low and ratio.high <= self.high:
            return "agrees"
        if ratio.high < self.low or ratio.low > self.high:
            return "disagrees"
        return "cannot tell"


def above(bound: float = 1.0) -> Claim:
    """Greater than `bound`."""
    return Claim(bound, inf, f"above {bound:g}")


def below(bound: float = 1.0) -> Claim:
    """Less than `bound`."""
    return Claim(0.0, bound, f"below {bound:g}")


def alike(factor: float = ALIKE) -> Claim:
    """Little difference: within `factor` either way, for each pair."""
    return Claim(1 / factor, factor, f"within a factor of {factor:g} of 1, each", of_each=True)


def about(value: float, factor: float) -> Claim:
    """Near a figure of the document, for the mean over pairs."""
    return Claim(value / factor, value * factor, f"within a factor of {factor:g} of {value:g}")
