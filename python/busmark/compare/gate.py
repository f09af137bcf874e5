"""Criteria, held against every case that has their figure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from busmark import stats
from busmark.analysis.pairwise.change import Found
from busmark.analysis.pairwise.verdict import LEVEL
from busmark.analysis.words.text import MINUS, decimals, joined, number, percent_text, plural
from busmark.compare.criterion import Criterion
from busmark.compare.model import Judged, Outcome
from busmark.errors import UserError

MOST_PLACES = 4


@dataclass(frozen=True, slots=True)
class Candidate:
    """A pair to be judged."""

    index: int
    label: str
    candidate: str
    test: str
    found: Sequence[Found]

    def figure(self, criterion: Criterion) -> Found | None:
        """What the criterion is about."""
        name = criterion.names(self.test)
        return next((found for found in self.found if found.name == name), None)


def judge(
    criteria: Iterable[Criterion], candidates: Sequence[Candidate], *, strict: bool
) -> list[Judged]:
    """Every criterion for every case with its figure.

    Raises:
        UserError: a criterion is about a figure that no case has: it could never fail.
    """
    judged: list[Judged] = []
    for criterion in criteria:
        of_each = [(c, found) for c in candidates if (found := c.figure(criterion)) is not None]
        if not of_each:
            names = dict.fromkeys(f.name for c in candidates for f in c.found)
            raise UserError(
                f"no case has {criterion.figure}, so it could never fail",
                where=f"--fail-if {criterion.text!r}",
                remedy=f"There are {joined(list(names))}." if names else "",
            )
        sides = dict.fromkeys(candidate.candidate for candidate, _ in of_each)
        of_sides = [[each for each in of_each if each[0].candidate == side] for side in sides]
        told = [one for own in of_sides for one in _judge(criterion, own, strict=strict)]
        judged += sorted(told, key=lambda one: one.pair)
    return judged


def _judge(
    criterion: Criterion, of_each: Sequence[tuple[Candidate, Found]], *, strict: bool
) -> list[Judged]:
    """Failing is adjusted by Holm over the cases of one candidate: that any fails by chance alone
    has a probability of 2.5 % at most, where all are just at the limit."""
    p_values = [_p_value(found, criterion) for _, found in of_each]
    known = [p for p in p_values if p is not None]
    adjusted = iter(stats.holm(known).tolist() if known else [])
    judged = []
    for (candidate, found), p_value in zip(of_each, p_values, strict=True):
        p_adjusted = None if p_value is None else next(adjusted)
        outcome, reason = _outcome(found, criterion, p_value, p_adjusted, len(known))
        judged.append(
            Judged(
                criterion=criterion.text, pair=candidate.index, label=candidate.label,
                candidate=candidate.candidate, name=found.name, outcome=outcome,
                fails=outcome == "failed" or (strict and outcome != "passed"),
                reason=reason, p_adjusted=p_adjusted,
            )
        )  # fmt: skip
    return judged


def _p_value(found: Found, criterion: Criterion) -> float | None:
    return None if found.tested is None else found.tested.p_value(criterion.limit)


def _outcome(
    found: Found, criterion: Criterion, p_value: float | None, p_adjusted: float | None, tests: int
) -> tuple[Outcome, str]:
    """By the figure itself; but nobody passes by losing what is slow."""
    outcome, reason = _by_values(found, criterion, p_value, p_adjusted, tests)
    losses = found.losses
    if losses is None or not losses.more or outcome == "failed":
        return outcome, reason
    told = f"{losses.text}; what is lost has no latency, so it cannot pass"
    return ("failed" if losses.shown else "cannot tell"), told


def _by_values(
    found: Found, criterion: Criterion, p_value: float | None, p_adjusted: float | None, tests: int
) -> tuple[Outcome, str]:
    if found.tested is None or p_value is None or p_adjusted is None:
        return "cannot tell", found.reason or "there is no interval"
    estimate = found.tested.estimate
    beyond = (
        estimate.value > criterion.limit if criterion.above else (estimate.value < criterion.limit)
    )
    assert estimate.low is not None and estimate.high is not None
    ends = (estimate.value, estimate.low, estimate.high)
    value, low, high = _shown(ends, criterion.limit, found)
    shown = f"{value} [{low}, {high}]"
    side = "above" if criterion.above else "below"
    limit = f"{criterion.limit:g}" if found.is_ratio else f"{100 * criterion.limit:g} %"
    if not beyond:
        proved = p_value <= LEVEL or (
            estimate.value == criterion.limit and p_value == 1.0 and (estimate.low == estimate.high)
        )
        if proved:
            return "passed", f"{shown} is not {side} {limit}"
        return "cannot tell", f"{shown} is not {side} {limit}, but its interval includes {limit}"
    if p_adjusted <= LEVEL:
        return "failed", f"{shown} is {side} {limit}"
    if p_value <= LEVEL:
        return "cannot tell", (
            f"{shown} is {side} {limit}, but not significantly after correction for "
            f"{plural(tests, 'case')} (p = {number(p_adjusted, 2)})"
        )
    return "cannot tell", f"{shown} is {side} {limit}, but its interval includes {limit}"


def _shown(ends: tuple[float, float, float], limit: float, found: Found) -> list[str]:
    """Value and limits of a ratio with the decimals that its interval deserves, and more where one
    would read as the criterion's number; of a difference of shares in per cent of the samples."""
    if not found.is_ratio:
        return [f"{MINUS if end < 0 else ''}{percent_text(abs(end))}" for end in ends]
    half = (ends[2] - ends[1]) / 2 or 0.01
    places = min(max(decimals(half, 2), 2), MOST_PLACES)
    while places < MOST_PLACES and any(round(end, places) == limit != end for end in ends):
        places += 1
    return [number(end, places) for end in ends]
