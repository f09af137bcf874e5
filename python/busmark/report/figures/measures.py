"""The quantities whose distribution is drawn: latency and its jitter, by pings and under load."""

from __future__ import annotations

from dataclasses import dataclass

from busmark.analysis.curve import Curve
from busmark.analysis.model import CaseSummary


@dataclass(frozen=True, slots=True)
class Measure:
    """One quantity of one test. `name` begins the names of its figures."""

    name: str
    test: str
    title: str
    unit: str
    """For an axis, in µs."""
    samples: str
    """What a case must have."""

    def curve(self, case: CaseSummary) -> Curve | None:
        """Percentiles."""
        return case.series.curve if case.series else None


MEASURES = (
    Measure("latency", "latency", "Latency", "RTT/2, µs", "round trips"),
    Measure("load-latency", "throughput", "Latency under load", "one-way latency, µs", "probes"),
)
