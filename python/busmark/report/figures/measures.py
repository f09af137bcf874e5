"""The quantities whose distribution is drawn: latency and its jitter, by pings and under load."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from busmark.analysis.curve import Curve
from busmark.analysis.model import Campaign, CaseSummary
from busmark.analysis.shapes import RoundBox, Shape
from busmark.report.drawing import panels

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Measure:
    """One quantity of one test. `name` begins the names of its figures."""

    name: str
    test: str
    title: str
    unit: str
    """For an axis, in µs."""
    magnitude: str
    """The same where signs are left out."""
    samples: str
    """What a case must have."""
    is_jitter: bool = False

    def curve(self, case: CaseSummary) -> Curve | None:
        """Percentiles to the last sample, of magnitudes."""
        if not case.series:
            return None
        return case.series.jitter_curve if self.is_jitter else case.series.curve

    def shape(self, case: CaseSummary) -> Shape | None:
        """Its distribution; jitter is signed."""
        if not case.series:
            return None
        return case.series.jitter if self.is_jitter else case.series.shape

    def boxes(self, case: CaseSummary) -> list[RoundBox]:
        """Of each counted round, of magnitudes."""
        if not case.series:
            return []
        return case.series.jitter_boxes if self.is_jitter else case.series.boxes

    @property
    def needs(self) -> str:
        """For the list of what was left out."""
        return f"{self.test} cases with {self.samples}"


MEASURES = (
    Measure("latency", "latency", "Latency", "RTT/2, µs", "RTT/2, µs", "round trips"),
    Measure(
        "jitter", "latency", "Jitter", "jitter of RTT/2, µs", "|jitter| of RTT/2, µs",
        "two consecutive round trips", is_jitter=True,
    ),
    Measure(
        "load-latency", "throughput", "Latency under load", "one-way latency, µs",
        "one-way latency, µs", "probes",
    ),
    Measure(
        "load-jitter", "throughput", "Jitter under load", "jitter of one-way latency, µs",
        "|jitter| of one-way latency, µs", "two consecutive probes", is_jitter=True,
    ),
)  # fmt: skip
"""Jitter is the change of latency from a sample to the next (RFC 3393)."""


@dataclass(frozen=True, slots=True)
class Set:
    """Cases of one figure, each with what is drawn of it."""

    keys: panels.Keys
    members: list[CaseSummary]

    def told(self, counts: Sequence[int | None]) -> str:
        """Rounds and samples, for a caption."""
        return panels.counts_text([c.rounds.ok for c in self.members], counts)


def sets(
    campaign: Campaign, measure: Measure, of: Callable[[CaseSummary], T | None]
) -> Iterator[Set]:
    """Up to ten cases each that share all but the middleware and its choices, and have `of`."""
    cases = [c for c in panels.measured(campaign, measure.test) if of(c) is not None]
    for keys, members in panels.split(cases, panels.where):
        yield Set(keys, members)
