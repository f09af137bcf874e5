"""Ratio or difference of two sets of rounds, by the pairing that fits them.

- By round, where rounds were interleaved: in a campaign or `ab`, for statements of a document too.
- Apart, across results; by session, where there are several campaigns of the baseline.
- Along a history: the results before a step and those after it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import exp

import numpy as np

from busmark import stats
from busmark.compare.measured import HEADLINES, LATENCIES, STATISTICS, CaseMeasured, Measurement
from busmark.model.figure import CONFIDENCE, Figure, figure
from busmark.model.limits import is_lateness
from busmark.model.quantities import COMPARED
from busmark.model.text import percent_text, plural

LEAST_LOSS = 0.001
"""A difference in loss, as a share of all samples, that bears on no latency: see the margin of a
difference in loss."""

MOST_LOSS = 0.01
"""A difference in loss that bears on every latency, the median too."""

LEAST_STEP_NS = 1.0
"""Step of a clock about which nothing is known: stamps are whole nanoseconds."""


@dataclass(frozen=True, slots=True)
class Losses:
    """Shares of samples lost that differ by more than a latency can leave out of account."""

    baseline: float
    candidate: float
    shown: bool
    """Whether the difference is more than chance."""

    @property
    def more(self) -> bool:
        """Return whether the candidate loses more."""
        return self.candidate > self.baseline

    @property
    def text(self) -> str:
        """The shares in words."""
        return f"lost: {percent_text(self.candidate)}, baseline {percent_text(self.baseline)}"


@dataclass(frozen=True, slots=True)
class FigureChange:
    """A figure on both sides and what became of it; without `tested` the reason is there."""

    name: str
    headline: bool
    """Whether the figure decides the verdict of the case."""
    baseline: Measurement | None
    candidate: Measurement | None
    tested: stats.Change | None
    reason: str | None
    losses: Losses | None = None
    """For a latency: shares that both sides lost, if they matter to it."""
    p_of_rounds: float | None = None
    """P-value of no change by pairs of rounds that ran in turn; None where there is no such
    test."""

    @property
    def is_ratio(self) -> bool:
        """Whether the change is a ratio; otherwise it is a difference."""
        return unchanged(self.name) == 1.0

    @property
    def p_value(self) -> float | None:
        """P-value of no change; None without an interval. It is twice the smaller one of two tests
        (Bonferroni)."""
        own = self.tested.p_value(unchanged(self.name)) if self.tested else None
        if own is None or self.p_of_rounds is None:
            return own
        return min(1.0, TESTS_OF_LOSS * min(own, self.p_of_rounds))

    @property
    def change(self) -> Figure | None:
        """The ratio or difference as a figure."""
        if self.tested is None or self.baseline is None or self.candidate is None:
            return None
        sides = (self.baseline.figure, self.candidate.figure)
        total = sum(side.count or 0 for side in sides if side)
        return figure(
            self.tested.estimate,
            "1",
            total,
            within=stats.POSITIVE if self.is_ratio else stats.DIFFERENCE,
        )


def unchanged(name: str) -> float:
    """Return what a figure's change is where there is none: 1 of a ratio, 0 of a difference."""
    of = COMPARED.get(name)
    is_share = is_lateness(name) if of is None else not of.is_ratio
    return 0.0 if is_share else 1.0


Sessions = Mapping[str, Sequence[float]]
"""Value in each campaign of the baseline, by figure."""


def changes(
    baseline: CaseMeasured, candidate: CaseMeasured, *, paired: bool, sessions: Sessions
) -> list[FigureChange]:
    """Return all changes, the headline first. With `sessions`, intervals include differences of the
    baseline's campaigns; it is empty with one campaign only, or with interleaved rounds."""
    names = dict.fromkeys([*baseline.figures, *candidate.figures])
    wanted = (baseline.headline, candidate.headline, *HEADLINES)
    headline = next(name for name in wanted if name in names)
    found = [
        change_of(
            name,
            name == headline,
            baseline.figures.get(name),
            candidate.figures.get(name),
            paired=paired,
        )
        for name in sorted(names, key=lambda name: name != headline)
    ]
    found = [_over_sessions(each, sessions.get(each.name, ())) for each in found]
    loss = next((each for each in found if each.name == "loss"), None)
    return [replace(each, losses=_losses(each, loss)) for each in found]


def _over_sessions(found: FigureChange, values: Sequence[float]) -> FigureChange:
    """Measure the change from the mean of all campaigns of the baseline, if there are several."""
    candidate = found.candidate.figure if found.candidate else None
    if found.tested is None or candidate is None or len(values) < 2:
        return found
    try:
        tested = stats.with_sessions(found.tested, candidate.value, values, CONFIDENCE)
    except ValueError:
        return replace(found, tested=None, reason="a ratio needs values above 0")
    mean = _mean_of_sessions(found, values, log=tested.log)
    return replace(found, tested=tested, baseline=mean, reason=None)


def _mean_of_sessions(
    found: FigureChange, values: Sequence[float], *, log: bool
) -> Measurement | None:
    """Return the baseline's figure over its campaigns, from which the change is measured."""
    if found.baseline is None or found.baseline.figure is None:
        return found.baseline
    mean = stats.t_interval(np.log(values) if log else np.array(values), CONFIDENCE)
    ends = [
        float(np.exp(end)) if log and end is not None else end
        for end in (mean.value, mean.low, mean.high)
    ]
    own = found.baseline.figure.model_copy(
        update=dict(zip(("value", "low", "high"), ends, strict=True))
    )
    return replace(found.baseline, figure=own)


def _losses(of: FigureChange, loss: FigureChange | None) -> Losses | None:
    """Return what was lost, if it keeps this figure from being compared: what is lost has no
    latency, so the side that loses its slowest samples would look faster."""
    statistic, _, quantity = of.name.rpartition(".")
    if quantity not in LATENCIES or loss is None or not (loss.baseline and loss.candidate):
        return None
    before, after = loss.baseline.figure, loss.candidate.figure
    if before is None or after is None:
        return None
    percent = STATISTICS[statistic]
    tail = 1.0 - percent / 100.0 if isinstance(percent, float) else 1.0
    least = LEAST_LOSS if statistic == "mean" else max(LEAST_LOSS, min(tail, MOST_LOSS))
    hidden = any(side is not None and side.lost for side in (of.baseline, of.candidate))
    if abs(after.value - before.value) <= least and not hidden:
        return None
    p_value = loss.p_value
    shown = p_value is not None and p_value <= 1.0 - CONFIDENCE
    return Losses(before.value, after.value, shown)


def change_of(
    name: str,
    headline: bool,
    baseline: Measurement | None,
    candidate: Measurement | None,
    *,
    paired: bool,
) -> FigureChange:
    """Return what became of a figure; with the reason where a side has none."""
    for role, side in {"baseline": baseline, "candidate": candidate}.items():
        if side is None or side.figure is None:
            why = side.reason if side and side.reason else "not measured"
            return FigureChange(name, headline, baseline, candidate, None, f"{role}: {why}")
    assert baseline is not None and candidate is not None
    if baseline.latency != candidate.latency:
        reason = f"not the same quantity: {baseline.latency} and {candidate.latency}"
        return FigureChange(name, headline, baseline, candidate, None, reason)
    tested, why_not = _tested(baseline, candidate, paired=paired)
    # What was resampled is not needed any more, and is most of what a comparison would hold.
    before, after = (replace(side, level=None) for side in (baseline, candidate))
    by_rounds = _p_of_rounds(before, after, tested) if paired and tested else None
    return FigureChange(name, headline, before, after, tested, why_not, None, by_rounds)


TESTS_OF_LOSS = 2
"""Tests of a loss: by the spread of rounds, and by pairs of rounds; the smaller p-value counts
twice."""


def _p_of_rounds(
    baseline: Measurement, candidate: Measurement, tested: stats.Change
) -> float | None:
    """Return the p-value of no change in a share by pairs of rounds: losses come in bursts, so that
    few rounds have most of them and the spread of rounds shows nothing, where each pair does.
    None where pairs that all agree would be too few: a second test costs power, whatever it can
    show."""
    if baseline.counts is None or candidate.counts is None:
        return None
    common = baseline.values.keys() & candidate.values.keys()
    if TESTS_OF_LOSS * stats.sign_test(len(common), len(common)) > 1.0 - CONFIDENCE:
        return None
    signs = [np.sign(candidate.values[n] - baseline.values[n]) for n in common]
    more, less = signs.count(1.0), signs.count(-1.0)
    return stats.sign_test(more if tested.estimate.value > 0.0 else less, more + less)


def _tested(
    baseline: Measurement, candidate: Measurement, *, paired: bool
) -> tuple[stats.Change | None, str | None]:
    """Return the change, or why there is none; a change with a reason has no interval."""
    if baseline.counts is not None and candidate.counts is not None:
        tested = stats.difference_of_shares(*candidate.counts, *baseline.counts, CONFIDENCE)
        return tested, _one_round(tested)
    try:
        tested = ratio(baseline, candidate, paired=paired)
    except (ValueError, ZeroDivisionError):
        return None, "a ratio needs values above 0"
    return tested, _one_round(tested)


def ratio(
    baseline: Measurement, candidate: Measurement, *, paired: bool, confidence: float = CONFIDENCE
) -> stats.Change:
    """Return the candidate over the baseline, by rounds if there are any: round by round if
    `paired`.

    It is the ratio of both figures, which are shown beside it, and the interval covers the ratio of
    rounds as well. Where a side has no figure, it is the typical ratio of rounds.

    Raises:
        ValueError, ZeroDivisionError: a ratio needs values above 0.
    """
    tested = _of_rounds(baseline, candidate, paired=paired, confidence=confidence)
    if baseline.figure is None or candidate.figure is None:
        return tested
    if candidate.figure.value <= 0.0 and tested.log:
        return tested
    whole = tested.reported(candidate.figure.value / baseline.figure.value)
    # By two clocks all samples of a round are off alike, which no number of rounds shows.
    mine = candidate.off_ns / candidate.figure.value if candidate.off_ns else 0.0
    theirs = baseline.off_ns / baseline.figure.value if baseline.off_ns else 0.0
    return whole.off_by(mine, theirs)


def _of_rounds(
    baseline: Measurement, candidate: Measurement, *, paired: bool, confidence: float
) -> stats.Change:
    common = sorted(baseline.values.keys() & candidate.values.keys()) if paired else []
    after, before = ([side.values[n] for n in common] for side in (candidate, baseline))
    if len(common) > 1 and min(*after, *before) > 0.0:
        return stats.paired_change(after, before, confidence)
    if baseline.level is not None and candidate.level is not None:
        return stats.ratio_of_levels(candidate.level, baseline.level, confidence)
    if baseline.values and candidate.values:
        after, before = (list(side.values.values()) for side in (candidate, baseline))
        return stats.independent_ratio(after, before, confidence)
    assert baseline.figure is not None and candidate.figure is not None
    mine, theirs = _estimate(candidate.figure), _estimate(baseline.figure)
    return stats.ratio_of_estimates(mine, theirs, confidence)


def _estimate(of: Figure) -> stats.Estimate:
    return stats.Estimate(of.value, of.low, of.high, of.confidence, of.count or 0, of.rounds)


def along(name: str, step: stats.SeriesStep, *, logs: bool) -> stats.SeriesStep:
    """Return a step of a history in levels of the figure, its change as this figure's changes are.
    `logs`: whether it was found in logarithms."""
    before, after, of = step.before, step.after, step.change.estimate
    if logs:
        before, after = exp(before), exp(after)
    value, low, high = (
        exp(end) if logs else by_difference(name, before, end)
        for end in (of.value, of.low, of.high)
        if end is not None
    )
    estimate = replace(of, value=value, low=low, high=high)
    change = replace(step.change, estimate=estimate, log=logs)
    return replace(step, before=before, after=after, change=change)


def by_difference(name: str, before: float, difference: float) -> float:
    """Return the change of a figure by this difference from its level before; with no level above
    0, which a ratio needs, the difference stands for what is more than 1."""
    same = unchanged(name)
    return same + difference / (before if same and before > 0.0 else 1.0)


def _one_round(tested: stats.Change) -> str | None:
    if tested.estimate.low is not None:
        return None
    return f"{plural(tested.estimate.rounds, 'round')} on one side: that gives no interval"


def without_variation(found: FigureChange) -> bool:
    """Return whether all rounds of both sides say the same, so that the interval has no length."""
    tested = found.tested
    return (
        tested is not None
        and tested.estimate.low is not None
        and not (tested.error or tested.floor)
    )


def within_resolution(found: FigureChange) -> bool:
    """Return whether two times without any variation differ by no more than a step of the clock."""
    if not without_variation(found) or found.baseline is None or found.candidate is None:
        return False
    before, after = found.baseline.figure, found.candidate.figure
    if before is None or after is None or before.unit != "ns":
        return False
    step = max(found.baseline.step_ns, found.candidate.step_ns, LEAST_STEP_NS)
    return abs(after.value - before.value) <= step
