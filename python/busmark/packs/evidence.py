"""What a check finds in a campaign: ratios with intervals over interleaved rounds, and a verdict.

Every check reduces to pairs: what stands above the line and what below, round by round. So
`stats.paired_ratio` gives the interval of each pair, and of all pairs together that of their
geometric mean in each round.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import exp, log
from typing import Protocol

from busmark.analysis.figures import CONFIDENCE
from busmark.analysis.model import Campaign
from busmark.packs.claim import Claim, Verdict
from busmark.packs.values import PerRound
from busmark.stats import Estimate, paired_ratio


@dataclass(frozen=True, slots=True)
class Pair:
    """One ratio: `above` over `below`, of the rounds that both have."""

    name: str
    above: PerRound
    below: PerRound
    cases: tuple[str, ...]

    @property
    def rounds(self) -> list[int]:
        """Numbers of the rounds that both sides have."""
        return sorted(self.above.keys() & self.below.keys())

    def ratio(self, confidence: float = CONFIDENCE) -> Estimate:
        """Of the pair's own rounds."""
        return paired_ratio(
            [self.above[r] for r in self.rounds], [self.below[r] for r in self.rounds], confidence
        )


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a check found. Without pairs `reason` says why there are none."""

    verdict: Verdict
    ratio: Estimate | None
    pairs: tuple[Pair, ...] = ()
    reason: str = ""


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
        return Evidence("cannot tell", None, reason=found)
    usable = [pair for pair in found if pair.rounds]
    if not usable:
        return Evidence("cannot tell", None, reason="no round was good on both sides")
    overall = _overall(usable)
    if overall.low is None:
        return Evidence("cannot tell", overall, tuple(usable), "one round gives no interval")
    verdict = check.claim.verdict(overall)
    if check.claim.of_each and len(usable) > 1:
        verdict = _of_each(check.claim, usable)
    return Evidence(verdict, overall, tuple(usable))


def _of_each(claim: Claim, pairs: Sequence[Pair]) -> Verdict:
    """agrees: every pair does; disagrees: one of them does, or all together do.

    Of many intervals some miss by chance; widened they all keep the confidence (Bonferroni).
    """
    confidence = 1 - (1 - CONFIDENCE) / (len(pairs) + 1)
    each = {claim.verdict(pair.ratio(confidence)) for pair in pairs}
    if "disagrees" in {*each, claim.verdict(_overall(pairs, confidence))}:
        return "disagrees"
    return "agrees" if each == {"agrees"} else "cannot tell"


def _overall(pairs: Sequence[Pair], confidence: float = CONFIDENCE) -> Estimate:
    """Of the geometric mean over pairs, in the rounds that all of them have. Pairs without two
    rounds in common with the rest are left out, those with the fewest first."""
    kept = sorted(pairs, key=lambda pair: -len(pair.rounds))
    while len(kept) > 1 and len(_common(kept)) < 2:
        kept.pop()
    rounds = _common(kept)
    above = [geometric_mean(pair.above[r] for pair in kept) for r in rounds]
    below = [geometric_mean(pair.below[r] for pair in kept) for r in rounds]
    return paired_ratio(above, below, confidence)


def _common(pairs: Sequence[Pair]) -> list[int]:
    return sorted(set.intersection(*(set(pair.rounds) for pair in pairs)))


def geometric_mean(values: Iterable[float]) -> float:
    """Of positive values."""
    logs = [log(value) for value in values]
    return exp(sum(logs) / len(logs))
