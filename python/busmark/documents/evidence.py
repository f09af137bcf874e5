"""What a check finds in a campaign: ratios with intervals over interleaved rounds, and a verdict.

Every check reduces to pairs: what stands above the line and what below, round by round. Each is
compared by `analysis.pairwise`; for all pairs together it is their geometric mean in each round.
No figures stand beside these ratios, so they are typical ratios of rounds. The intervals that
decide a verdict are the ones that are shown.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import exp, log
from typing import Protocol

from busmark.compare.campaign import Campaign
from busmark.compare.change import ratio
from busmark.compare.measured import Measured
from busmark.compare.verdict import LEVEL, of_each
from busmark.documents.claim import ALL, Claim, Verdict
from busmark.documents.values import PerRound
from busmark.model.figure import CONFIDENCE
from busmark.model.text import plural
from busmark.stats import Estimate


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
        """Ratio of the pair's own rounds."""
        below, above = (
            Measured(None, values={r: side[r] for r in self.rounds})
            for side in (self.below, self.above)
        )
        return ratio(below, above, paired=True, confidence=confidence).estimate


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a check found. Without pairs `reason` says why there are none.

    Attributes:
        confidence: of every interval of the check, shown or decided by.
    """

    verdict: Verdict
    ratio: Estimate | None
    pairs: tuple[Pair, ...] = ()
    reason: str = ""
    confidence: float = CONFIDENCE

    @property
    def ratios(self) -> list[tuple[Pair, Estimate]]:
        """Each pair with the interval that decided."""
        return [(pair, pair.ratio(self.confidence)) for pair in self.pairs]


class Check(Protocol):
    """Something a campaign can be asked."""

    @property
    def name(self) -> str:
        """What the ratio is of."""

    @property
    def claim(self) -> Claim:
        """What the document says of it."""

    def pairs(self, campaign: Campaign) -> list[Pair] | str:
        """Pairs with values, or why there are none."""


def evidence(check: Check, campaign: Campaign) -> Evidence:
    """The ratios of a check, and the verdict."""
    found = check.pairs(campaign)
    if isinstance(found, str):
        return Evidence("undecided", None, reason=found)
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
    """agrees: every pair does; disagrees: one of them does, or all together do."""
    each = {claim.verdict(ratio) for ratio in ratios}
    if "disagrees" in {*each, claim.verdict(overall)}:
        return "disagrees"
    return "agrees" if each == {"agrees"} else "undecided"


def _overall(pairs: Sequence[Pair], confidence: float) -> Estimate:
    """Typical of the geometric means over pairs, in the rounds that all of them have. Pairs without
    two rounds in common with the rest are left out, those with the fewest first."""
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
    """Geometric mean of several cases, round by round."""
    rounds = set.intersection(*(set(side) for side in sides))
    return {r: geometric_mean(side[r] for side in sides) for r in rounds}


def geometric_mean(values: Iterable[float]) -> float:
    """Geometric mean of positive values."""
    logs = [log(value) for value in values]
    return exp(sum(logs) / len(logs))
