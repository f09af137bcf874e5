"""From the figures of interleaved rounds to a ratio, its interval and a verdict."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any, Literal

from busmark.stats import Estimate, paired_ratio, percentile_interval

Bound = Literal["at most", "at least"]
AT_MOST: Bound = "at most"
AT_LEAST: Bound = "at least"

MET, NOT_MET, CANNOT_TELL = "met", "not met", "cannot tell"
ABSENT, FAILED, NO_TARGET = "not here", "failed", "no target"


@dataclass(frozen=True)
class Target:
    """What is promised of a ratio, or of our own figure."""

    bound: Bound
    value: float

    def holds(self, value: float) -> bool:
        """Return whether a figure keeps the promise."""
        return value <= self.value if self.bound == AT_MOST else value >= self.value

    def verdict(self, judged: Estimate) -> str:
        """Return met if the estimate keeps the promise, not met if the whole interval breaks it,
        and cannot tell where the estimate breaks it and the interval reaches it."""
        if self.holds(judged.value):
            return MET
        limits = [limit for limit in (judged.low, judged.high) if limit is not None]
        return CANNOT_TELL if any(self.holds(limit) for limit in limits) else NOT_MET

    def excess(self, value: float) -> float:
        """Return the share of the target by which a figure misses it; 0 if it does not."""
        return 0.0 if self.holds(value) else abs(value / self.value - 1)


def ratio_row(pairs: Sequence[tuple[float, float]], target: Target | None) -> dict[str, Any]:
    """Compare ours with theirs, round by round. Without a target it is for orientation only."""
    if not pairs:
        return _nothing(target, "ratio")
    ours, other = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    judged = paired_ratio(ours, other)
    return {
        "ours": median(ours),
        "other": median(other),
        "ratio": judged.value,
        **_judged(judged, target, "ratio"),
    }


def limit_row(values: Sequence[float], target: Target) -> dict[str, Any]:
    """Hold our own figure against a bound: the median of the rounds, with its interval."""
    if not values:
        return _nothing(target, "ours")
    judged = percentile_interval(values, 50)
    worst = max(values) if target.bound == AT_MOST else min(values)
    return {
        "ours": judged.value,
        "other": None,
        "worst": worst,
        "ratio": None,
        **_judged(judged, target, "ours"),
    }


def _judged(judged: Estimate, target: Target | None, what: str) -> dict[str, Any]:
    return {
        "interval": None if judged.low is None else [judged.low, judged.high],
        **_target(target, what),
        "met": target.holds(judged.value) if target else None,
        "verdict": target.verdict(judged) if target else NO_TARGET,
        "excess": target.excess(judged.value) if target else None,
        "rounds": judged.count,
    }


def _nothing(target: Target | None, what: str) -> dict[str, Any]:
    return {
        "ours": None,
        "other": None,
        "ratio": None,
        "interval": None,
        **_target(target, what),
        "met": None,
        "verdict": FAILED,
        "excess": None,
        "rounds": 0,
    }


def _target(target: Target | None, what: str) -> dict[str, Any]:
    bound, value = (target.bound, target.value) if target else (None, None)
    return {"judged": what, "bound": bound, "target": value}
