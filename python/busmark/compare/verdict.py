"""Faster, slower, equivalent or cannot tell: of every figure, with all figures in mind.

Of a hundred comparisons of what is the same, five have a 95 % interval without 1. So a difference
is told only where its p-value, adjusted by Holm over a family of comparisons, is at most 5 %. There
are two families: the headline figures, one of each case, and all others. In each the probability
that any difference is told where there is none is at most 5 %.

Equivalence needs the whole interval within the margin (two one-sided tests at 2.5 %, Schuirmann
1987). It is not adjusted: a change of just the margin is taken for equivalent in 2.5 % of cases.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from busmark import stats
from busmark.analysis.figures import CONFIDENCE
from busmark.analysis.text import number, plural
from busmark.compare.change import Found, within_resolution, without_variation
from busmark.compare.model import Verdict

EQUIVALENT = 0.02
"""Default margin of a ratio."""

EQUIVALENT_LOSS = 0.001
"""Margin of a difference in loss, as a share of all samples."""

UNDECIDED = "the interval holds no change, and more than counts as equivalent"
"""The reason where rounds are too few, or vary too much."""

LEVEL = 1.0 - CONFIDENCE


@dataclass(frozen=True, slots=True)
class Told:
    """The verdict of one figure."""

    verdict: Verdict
    reason: str | None
    p_value: float | None
    p_adjusted: float | None


def verdicts(found: Sequence[Found], margin: float) -> list[Told]:
    """Of the figures of one family, in their order."""
    p_values = [_p_value(f) for f in found]
    known = [p for p in p_values if p is not None]
    adjusted = iter(stats.holm(known).tolist() if known else [])
    told = []
    for figure, p_value in zip(found, p_values, strict=True):
        p_adjusted = None if p_value is None else next(adjusted)
        verdict, reason = _verdict(figure, p_value, p_adjusted, len(known), margin)
        told.append(Told(verdict, reason, p_value, p_adjusted))
    return told


def tests(found: Sequence[Found]) -> int:
    """Comparisons that have an interval: what Holm's adjustment is over."""
    return sum(_p_value(f) is not None for f in found)


def _p_value(found: Found) -> float | None:
    if found.tested is None:
        return None
    return found.tested.p_value(1.0 if found.is_ratio else 0.0)


def _verdict(
    found: Found, p_value: float | None, p_adjusted: float | None, tests: int, margin: float
) -> tuple[Verdict, str | None]:
    if found.tested is None or p_value is None or p_adjusted is None:
        return "cannot tell", found.reason
    value, low, high = found.tested.estimate.value, *_limits(found.tested)
    alike = "no round differs from another, on either side" if without_variation(found) else None
    if within_resolution(found):
        return "equivalent" if value == 1.0 else "cannot tell", (
            alike if value == 1.0 else f"{alike}: the difference is within one step of the clock"
        )
    bounds = (
        (1 / (1 + margin), 1 + margin) if found.is_ratio else (-EQUIVALENT_LOSS, EQUIVALENT_LOSS)
    )
    if bounds[0] <= low and high <= bounds[1]:
        return "equivalent", alike
    unchanged = 1.0 if found.is_ratio else 0.0
    if p_adjusted <= LEVEL:
        return _direction(found.name, more=value > unchanged), alike
    if p_value <= LEVEL:
        return "cannot tell", (
            f"a difference alone (p {number(p_value, 3)}), but not one of "
            f"{plural(tests, 'comparison')} (Holm: {number(p_adjusted, 3)})"
        )
    return "cannot tell", UNDECIDED


def _limits(tested: stats.Change) -> tuple[float, float]:
    assert tested.estimate.low is not None and tested.estimate.high is not None
    return tested.estimate.low, tested.estimate.high


def _direction(name: str, *, more: bool) -> Verdict:
    if name == "loss":
        return "loses more" if more else "loses less"
    if name.endswith(".throughput"):
        return "faster" if more else "slower"
    return "slower" if more else "faster"
