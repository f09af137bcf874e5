"""Figures of the paper's Tables 6 to 14, as data: a line for each of its 36 tests.

Table 6, latencies of deployment 1, is not in the published text.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from busmark.plugins.papers.published import rows

Condition = Literal["UDP-R", "TCP-R", "UDP-BE", "TCP-BE"]
"""Transport and stream: R is reliable, BE best effort."""

CONDITIONS: tuple[Condition, ...] = ("UDP-R", "TCP-R", "UDP-BE", "TCP-BE")
"""Conditions in the order of the paper's columns."""

LIMITS = (50, 100, 150)
"""Packets of a test."""


@dataclass(frozen=True, slots=True)
class Spread:
    """Least, greatest, average, standard deviation, variance."""

    least: float
    greatest: float
    mean: float
    deviation: float | None
    variance: float | None
    """Absent for a single value."""


@dataclass(frozen=True, slots=True)
class Lengths:
    """Bits of a packet over all its hops, on average; of all packets; packets sent, received."""

    average: float
    total: int
    sent: int
    received: int


@dataclass(frozen=True, slots=True)
class Test:
    """Results of one test in the paper: latency L in ms, throughput by Eq. 2 in Mbit/s, lengths."""

    deployment: int
    condition: Condition
    limit: int
    latency_ms: Spread | None
    throughput: Spread
    lengths: Lengths

    @property
    def name(self) -> str:
        """Heading of its column."""
        return f"{self.condition} {self.limit}p"


PUBLISHED = rows(Test, __file__, "tests.csv")
"""The tests in the order of the paper's tables."""
