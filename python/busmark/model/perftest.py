"""Perftest's tables, as a document states them."""

from __future__ import annotations

from typing import Literal

from busmark.model.figure import Frozen

Mode = Literal["throughput", "latency"]

PERCENTS = (50.0, 90.0, 99.0, 99.99, 99.9999)
"""Percentiles in the publisher's columns."""


class PublisherRow(Frozen):
    """Half the round trips of one size, ns."""

    case: str
    length: int
    count: int
    ave_ns: float
    std_ns: float | None
    min_ns: float
    max_ns: float
    percentiles_ns: list[float | None]
    """Percentiles at `PERCENTS`."""


class SubscriberRow(Frozen):
    """Samples of one size that arrived; in latency mode the pings. Rates are of a typical round."""

    case: str
    length: int
    samples: int
    samples_per_s: float | None
    mbit_per_s: float | None
    lost: int | None
    loss: float | None
    """Share of the samples sent, 0 to 1."""


class PerftestTest(Frozen):
    """One mode in one campaign, which is half of the rounds."""

    label: str
    mode: Mode
    campaign: Literal[1, 2]
    rounds: int
    """Most rounds of a case."""
    publisher: list[PublisherRow]
    subscriber: list[SubscriberRow]

    @property
    def number(self) -> int:
        """1 and 2 are the first campaign, 3 and 4 the second; throughput mode comes first."""
        return (self.campaign - 1) * 2 + (1 if self.mode == "throughput" else 2)
