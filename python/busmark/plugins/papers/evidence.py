"""What a check finds in a campaign: ratios with intervals over interleaved rounds, and a verdict.

Every check reduces to pairs: what stands above the line and what below, round by round. Each is
compared by `compare.change`; for all pairs together it is their geometric mean in each round.
No figures stand next to these ratios, so they are typical ratios of rounds. The intervals that
decide a verdict are the ones that are shown.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import exp, inf, log
from typing import Literal, Protocol

from busmark.compare.campaign import Campaign
from busmark.compare.change import ratio
from busmark.compare.measured import Measurement
from busmark.compare.verdict import LEVEL, Limits, of_each
from busmark.model.figure import CONFIDENCE
from busmark.model.text import number, plural
from busmark.plugins.papers.select import PerRound
from busmark.stats import Estimate

Verdict = Literal["agrees", "disagrees", "undecided"]

VERDICTS: dict[bool | None, Verdict] = {True: "agrees", False: "disagrees", None: "undecided"}
"""Verdicts by whether the interval lies within the claim, wholly outside, or across a limit."""

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
        """The limits in words, to follow "expected"."""
        if self.high == inf:
            return f"above {self.low:g}"
        if self.low == 0.0:
            return f"below {self.high:g}"
        if self.low == self.high:
            return f"{self.low:g}"
        limits = f"{number(self.low)} to {number(self.high)}"
        return f"{limits}, each pair" if self.of_each else limits

    def verdict(self, ratio: Estimate) -> Verdict:
        """Return whether the interval bears the claim out."""
        return VERDICTS[self.hold(ratio)]


ABOVE = Claim(1.0, inf)
"""Claim that the first figure is greater."""

BELOW = Claim(0.0, 1.0)
"""Claim that the first figure is less."""

ALL = Claim(1.0, 1.0)
"""Nothing is missing."""


def alike(factor: float = ALIKE) -> Claim:
    """Return the claim of little difference: within `factor` either way, for each pair."""
    return Claim(1 / factor, factor, of_each=True)


def about(value: float, factor: float) -> Claim:
    """Return the claim: within `factor` of a figure of the document, for the mean over pairs."""
    return Claim(value / factor, value * factor)


@dataclass(frozen=True, slots=True)
class Pair:
    """One ratio: `above` over `below`, of the rounds that both have."""

    name: str
    above: PerRound
    below: PerRound
    cases: tuple[str, ...]

    @property
    def rounds(self) -> list[int]:
        """Numbers of the rounds that give a ratio: both sides have more than 0."""
        return [number for number in self.common if self.above[number] and self.below[number]]

    @property
    def common(self) -> list[int]:
        """Numbers of the rounds that both sides have."""
        return sorted(self.above.keys() & self.below.keys())

    def ratio(self, confidence: float = CONFIDENCE) -> Estimate:
        """Return the ratio of the pair's own rounds."""
        below, above = (
            Measurement(None, values={r: side[r] for r in self.rounds})
            for side in (self.below, self.above)
        )
        return ratio(below, above, paired=True, confidence=confidence).estimate


@dataclass(frozen=True, slots=True)
class Evidence:
    """Ratios and verdict of a check. Without pairs `reason` says why there are none.

    Attributes:
        confidence: level of all intervals of the check.
    """

    verdict: Verdict
    ratio: Estimate | None
    pairs: tuple[Pair, ...] = ()
    reason: str = ""
    confidence: float = CONFIDENCE

    @property
    def ratios(self) -> list[tuple[Pair, Estimate]]:
        """Pairs with the estimate of their ratio."""
        return [(pair, pair.ratio(self.confidence)) for pair in self.pairs]


class WithoutPairs(Exception):
    """A check has no pairs: why, in words."""


class Check(Protocol):
    """A check of a campaign against a claim of the document."""

    @property
    def name(self) -> str:
        """Numerator and denominator in words."""

    @property
    def claim(self) -> Claim:
        """Limits of the ratio by the document."""

    def pairs(self, campaign: Campaign) -> list[Pair]:
        """Return pairs with values.

        Raises:
            WithoutPairs: there are none.
        """


def evidence(check: Check, campaign: Campaign) -> Evidence:
    """Return the ratios of a check, and the verdict."""
    try:
        found = check.pairs(campaign)
    except WithoutPairs as error:
        return Evidence("undecided", None, reason=str(error))
    usable = [pair for pair in found if pair.rounds]
    if check.claim == ALL and any(pair.common for pair in found):
        return _whole(found, usable)
    if not usable:
        return Evidence("undecided", None, reason="no round was good on both sides")
    each = check.claim.of_each and len(usable) > 1
    # Some of many intervals miss by chance; widened they all keep the confidence.
    confidence = 1 - of_each(LEVEL, len(usable) + 1) if each else CONFIDENCE
    overall = _overall(usable, confidence)
    if overall.low is None:
        return Evidence("undecided", overall, tuple(usable), "one round gives no interval")
    verdict = check.claim.verdict(overall)
    if each:
        verdict = _of_each(check.claim, overall, [pair.ratio(confidence) for pair in usable])
    return Evidence(verdict, overall, tuple(usable), confidence=confidence)


def _whole(pairs: Sequence[Pair], usable: Sequence[Pair]) -> Evidence:
    """Return whether nothing is missing: what was counted decides, without an interval. One lost
    sample disproves it, also where all of a round were lost, which has no ratio."""
    whole = all(pair.above[r] == pair.below[r] for pair in pairs for r in pair.common)
    overall = _overall(usable, CONFIDENCE) if usable else None
    nothing = sum(not pair.above[r] for pair in pairs for r in pair.common)
    reason = f"in {plural(nothing, 'round')} nothing arrived" if nothing else ""
    return Evidence("agrees" if whole else "disagrees", overall, tuple(usable), reason)


def _of_each(claim: Claim, overall: Estimate, ratios: Sequence[Estimate]) -> Verdict:
    """Return agrees if every pair does; disagrees if one of them does, or all together do."""
    each = {claim.verdict(ratio) for ratio in ratios}
    if "disagrees" in {*each, claim.verdict(overall)}:
        return "disagrees"
    return "agrees" if each == {"agrees"} else "undecided"


def _overall(pairs: Sequence[Pair], confidence: float) -> Estimate:
    """Return typical of the geometric means over pairs, in the rounds that all of them have. Pairs
    without two rounds in common with the rest are left out, those with the fewest first."""
    kept = sorted(pairs, key=lambda pair: -len(pair.rounds))
    while len(kept) > 1 and len(_common(kept)) < 2:
        kept.pop()
    rounds = _common(kept)
    above = product(*({r: pair.above[r] for r in rounds} for pair in kept))
    below = product(*({r: pair.below[r] for r in rounds} for pair in kept))
    return Pair("", above, below, ()).ratio(confidence)


def _common(pairs: Sequence[Pair]) -> list[int]:
    return sorted(set.intersection(*(set(pair.rounds) for pair in pairs)))


def product(*sides: PerRound) -> PerRound:
    """Return the geometric mean of several cases, round by round."""
    rounds = set.intersection(*(set(side) for side in sides))
    return {r: geometric_mean(side[r] for side in sides) for r in rounds}


def geometric_mean(values: Iterable[float]) -> float:
    """Return the geometric mean of positive values."""
    logs = [log(value) for value in values]
    return exp(sum(logs) / len(logs))
