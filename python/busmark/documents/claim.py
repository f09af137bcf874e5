"""What a document says of a ratio, and whether an interval bears it out."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import Literal

from busmark.compare.verdict import Limits
from busmark.model.text import number
from busmark.stats import Estimate

Verdict = Literal["agrees", "disagrees", "undecided"]

VERDICTS: dict[bool | None, Verdict] = {True: "agrees", False: "disagrees", None: "undecided"}
"""By whether the interval lies within the claim, or wholly outside of it."""

ALIKE = 1.25
"""Ratios within this factor count as little difference. The documents show such claims as curves
that lie on each other and give no figure."""


@dataclass(frozen=True, slots=True)
class Claim(Limits):
    """The ratio lies between `low` and `high`.

    Attributes:
        of_each: it must hold for every pair of cases, not only for their mean: that some are above
            and some below does not make them alike.
    """

    of_each: bool = False

    @property
    def text(self) -> str:
        """The same in words, to follow "expected"."""
        if self.high == inf:
            return f"above {self.low:g}"
        if self.low == 0.0:
            return f"below {self.high:g}"
        if self.low == self.high:
            return f"{self.low:g}"
        told = f"{number(self.low)} to {number(self.high)}"
        return f"{told}, each pair" if self.of_each else told

    def verdict(self, ratio: Estimate) -> Verdict:
        """Return whether the interval bears the claim out."""
        return VERDICTS[self.hold(ratio)]


ABOVE = Claim(1.0, inf)
"""The first is greater."""

BELOW = Claim(0.0, 1.0)
"""The first is less."""

ALL = Claim(1.0, 1.0)
"""Nothing is missing."""


def alike(factor: float = ALIKE) -> Claim:
    """Little difference: within `factor` either way, for each pair."""
    return Claim(1 / factor, factor, of_each=True)


def about(value: float, factor: float) -> Claim:
    """Within `factor` of a figure of the document, for the mean over pairs."""
    return Claim(value / factor, value * factor)
