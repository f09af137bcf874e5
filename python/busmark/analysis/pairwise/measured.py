"""A case as it is compared: its figures on one side."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from busmark import stats
from busmark.analysis.figures import Figure, Quantity
from busmark.model import statistics

STATISTICS: dict[str, stats.Statistic] = {one.name: one.of for one in statistics.STATISTICS}
"""Statistics of latency; by the name that `--fail-if` uses."""

LATENCIES = ("latency", "round_trip")
"""Quantities as `--fail-if` names them."""

HEADLINES = ("goodput.throughput", "median.latency", "first_sample", "discovery", "recovery")
"""The figures that give a case its verdict: the first one that it has."""

MEDIAN = "median.latency"
HEADLINE_OF = {
    "latency": MEDIAN, "one_way": MEDIAN, "discovery": "first_sample", "matching": "discovery",
    "recovery": "recovery",
}  # fmt: skip
"""The figure by the kind of a case's headline; any other is of its goodput."""

TAIL = "p99.latency"
"""Told beside the headline wherever there is one: a median says nothing of it."""


@dataclass(frozen=True, slots=True)
class Measured:
    """One figure of a case on one side."""

    figure: Figure | None
    """With its own interval; None: there is none, and `reason` says why."""
    values: Mapping[int, float] = field(default_factory=dict)
    """By round."""
    level: stats.Level | None = None
    """For latencies: both levels of variation."""
    counts: tuple[tuple[int, ...], tuple[int, ...]] | None = None
    """For a share: hits and totals of each round."""
    latency: Quantity | None = None
    step_ns: float = 0.0
    """For a latency: the effect of one step of the clock; 0 if that is not known."""
    reason: str | None = None
    lost: bool = False
    """Whether it falls among the samples that were lost: later than any number."""


Figures = dict[str, Measured]


@dataclass(slots=True)
class CaseMeasured:
    """All figures of a case."""

    figures: Figures
    rounds: int
    measured_s: float
    problems: list[str]
    """Rounds that could not be read."""
    headline: str | None = None
    """The figure that the scenario wants it to be compared by; None: the first of `HEADLINES`."""

    def only(self, *names: str) -> CaseMeasured:
        """With these figures alone; with none, for who needs the counts only."""
        kept = {name: self.figures[name] for name in names if name in self.figures}
        return replace(self, figures=kept)
