"""A case as it is compared: its figures on one side."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from busmark import stats
from busmark.analysis.figures import Figure, Quantity

STATISTICS: dict[str, stats.Statistic] = {
    "median": "median", "mean": "mean", "p90": 90.0, "p99": 99.0, "p99.9": 99.9, "p99.99": 99.99,
}  # fmt: skip
"""Of latency; by the name that `--fail-if` uses."""

HEADLINES = ("goodput.throughput", "median.latency")
"""The figure whose verdict is that of a case: the first that it has."""


@dataclass(frozen=True, slots=True)
class Measured:
    """One figure of a case on one side."""

    figure: Figure | None
    """With its own interval; None: there is none, and `reason` says why."""
    values: Mapping[int, float] = field(default_factory=dict)
    """By round."""
    level: stats.Level | None = None
    """Of latencies: both levels of variation."""
    counts: tuple[tuple[int, ...], tuple[int, ...]] | None = None
    """Of a share: hits and totals of each round."""
    latency: Quantity | None = None
    reason: str | None = None


Figures = dict[str, Measured]


@dataclass(slots=True)
class CaseMeasured:
    """All figures of a case."""

    figures: Figures
    rounds: int
    measured_s: float
    problems: list[str]
    """Rounds that could not be read."""

    def emptied(self) -> CaseMeasured:
        """Without the figures, for who needs the counts only."""
        return replace(self, figures={})
