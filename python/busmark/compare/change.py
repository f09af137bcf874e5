"""Ratio or difference of two cases, for every figure that either has."""

from __future__ import annotations

from dataclasses import dataclass, replace

from busmark import stats
from busmark.analysis.figures import CONFIDENCE, Figure, figure
from busmark.analysis.text import plural
from busmark.compare.measured import HEADLINES, CaseMeasured, Measured

RESOLUTION_NS = 1.0
"""Of a stamp: figures that do not vary are known no better."""


@dataclass(frozen=True, slots=True)
class Found:
    """A figure on both sides and what became of it; without `tested` the reason is there."""

    name: str
    headline: bool
    """Whether it decides the case."""
    baseline: Measured | None
    candidate: Measured | None
    tested: stats.Change | None
    reason: str | None

    @property
    def is_ratio(self) -> bool:
        """Otherwise a difference."""
        return self.name != "loss"

    @property
    def change(self) -> Figure | None:
        """The ratio or difference as a figure."""
        if self.tested is None or self.baseline is None or self.candidate is None:
            return None
        sides = (self.baseline.figure, self.candidate.figure)
        total = sum(side.count or 0 for side in sides if side)
        return figure(self.tested.estimate, "1", total, signed=not self.is_ratio)


def changes(baseline: CaseMeasured, candidate: CaseMeasured, *, paired: bool) -> list[Found]:
    """All figures, the headline first."""
    names = dict.fromkeys([*baseline.figures, *candidate.figures])
    headline = next(name for name in HEADLINES if name in names)
    return [
        _found(name, name == headline, baseline.figures.get(name), candidate.figures.get(name),
               paired=paired)
        for name in sorted(names, key=lambda name: name != headline)
    ]  # fmt: skip


def _found(
    name: str,
    headline: bool,
    baseline: Measured | None,
    candidate: Measured | None,
    *,
    paired: bool,
) -> Found:
    for role, side in {"baseline": baseline, "candidate": candidate}.items():
        if side is None or side.figure is None:
            why = side.reason if side and side.reason else "it has no such figure"
            return Found(name, headline, baseline, candidate, None, f"{role}: {why}")
    assert baseline is not None and candidate is not None
    if baseline.latency != candidate.latency:
        reason = f"not the same quantity: {baseline.latency} and {candidate.latency}"
        return Found(name, headline, baseline, candidate, None, reason)
    tested, why_not = _tested(baseline, candidate, paired=paired)
    # What was resampled is not needed any more, and is most of what a comparison would hold.
    before, after = (replace(side, level=None) for side in (baseline, candidate))
    return Found(name, headline, before, after, tested, why_not)


def _tested(
    baseline: Measured, candidate: Measured, *, paired: bool
) -> tuple[stats.Change | None, str | None]:
    """The change, or why there is none; with a reason beside a change, it has no interval."""
    if baseline.counts is not None and candidate.counts is not None:
        tested = stats.difference_of_shares(*candidate.counts, *baseline.counts, CONFIDENCE)
        return tested, _one_round(tested)
    common = sorted(baseline.values.keys() & candidate.values.keys()) if paired else []
    try:
        tested = _ratio(baseline, candidate, common)
    except ValueError:
        return None, "a ratio needs values above 0"
    return tested, _one_round(tested)


def _ratio(baseline: Measured, candidate: Measured, common: list[int]) -> stats.Change:
    after, before = ([side.values[n] for n in common] for side in (candidate, baseline))
    if len(common) > 1 and min(*after, *before) > 0.0:
        return stats.paired_change(after, before, CONFIDENCE)
    if baseline.level is not None and candidate.level is not None:
        return stats.ratio_of_levels(candidate.level, baseline.level, CONFIDENCE)
    if baseline.values and candidate.values:
        after, before = (list(side.values.values()) for side in (candidate, baseline))
        return stats.independent_ratio(after, before, CONFIDENCE)
    assert baseline.figure is not None and candidate.figure is not None
    mine, theirs = _estimate(candidate.figure), _estimate(baseline.figure)
    return stats.ratio_of_estimates(mine, theirs, CONFIDENCE)


def _estimate(of: Figure) -> stats.Estimate:
    return stats.Estimate(of.value, of.low, of.high, of.confidence, of.count or 0, of.rounds)


def _one_round(tested: stats.Change) -> str | None:
    if tested.estimate.low is not None:
        return None
    return f"{plural(tested.estimate.rounds, 'round')} on one side: that gives no interval"


def without_variation(found: Found) -> bool:
    """Whether all rounds of both sides say the same, so that the interval has no length."""
    tested = found.tested
    return (
        tested is not None
        and tested.estimate.low is not None
        and not (tested.error or tested.floor)
    )


def within_resolution(found: Found) -> bool:
    """Whether two times without any variation differ by less than a stamp can tell."""
    if not without_variation(found) or found.baseline is None or found.candidate is None:
        return False
    before, after = found.baseline.figure, found.candidate.figure
    if before is None or after is None or before.unit != "ns":
        return False
    return abs(after.value - before.value) <= RESOLUTION_NS
