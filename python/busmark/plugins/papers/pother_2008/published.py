"""Figures of the slides, as data: the tables that its transceiver printed, and what headlines say.

Times are µs, as there. Cells that the published text has damaged are left out.
"""

from __future__ import annotations

from dataclasses import dataclass

from busmark.plugins.papers.published import rows

BEST = (100.0, 99.9, 99.0, 90.0)
"""Shares of the samples, in the order of the rows."""


@dataclass(frozen=True, slots=True)
class Line:
    """The best percentage of a segment: count, minimum, average, maximum, deviation; µs."""

    segment: str
    percent: float
    count: int
    least: int
    average: int
    greatest: int
    deviation: float | None


@dataclass(frozen=True, slots=True)
class Output:
    """Output of the transceiver in one configuration."""

    title: str
    fifo: int
    priority: int
    lines: tuple[Line, ...]

    def line(self, segment: str, percent: float = 100.0) -> Line:
        """Return the line of a segment."""
        return next(e for e in self.lines if (e.segment, e.percent) == (segment, percent))


@dataclass(frozen=True, slots=True)
class LineOfClass(Line):
    """A line, and the SCHED_FIFO priority of the configuration."""

    fifo: int


LINES = rows(LineOfClass, __file__, "segments.csv")

TIME_SHARING, REAL_TIME = OUTPUTS = tuple(
    Output(title, fifo, 100, tuple(line for line in LINES if line.fifo == fifo))
    for title, fifo in (
        ("Time-sharing, transport priority 100", 0),
        ("Real-time 30, transport priority 100", 30),
    )
)
"""Outputs of the transceiver; the segments send and echo are between two clocks that were 7.28 s
apart, and say nothing."""


@dataclass(frozen=True, slots=True)
class Headline:
    """Average round trip and bound of its jitter, µs, of one configuration."""

    fifo: int
    priority: int
    round_trip: float
    jitter: float


HEADLINES = rows(Headline, __file__, "headlines.csv")
"""Jitter is the deviation of all trips: the printed 7.56 and 7.81 µs are "< 8 µs". The last
headline repeats the one before; the output printed beside it has 340 µs."""

RATE_HZ = 1000.0
PERIOD_US = 1e6 / RATE_HZ

AGGREGATE_MB_PER_S = {"Windows XP, Xeon 2.0 GHz": 80.0, "two Opterons": 450.0}
"""Throughput of all receivers of one node together, 10⁶ B/s."""


@dataclass(frozen=True, slots=True)
class DiscoveryTimes:
    """How long an endpoint took to be created, and to be discovered, both from the start of its
    creation; µs. `lost`: messages before it was discovered; None: not printed."""

    where: str
    new: str
    creates: str
    creation: int
    discovery: int
    lost: int | None = None

    @property
    def between_nodes(self) -> bool:
        """Return whether the other endpoint was on another node."""
        return self.where == BETWEEN


WITHIN, BETWEEN, WINDOWS = "Linux, within one node", "Linux, between nodes", "Windows XP, one node"

DISCOVERED = rows(DiscoveryTimes, __file__, "discovery.csv")

CLUSTER = tuple(each for each in DISCOVERED if each.where != WINDOWS)
"""A writer of 40 B at 1000 Hz, and its reader."""

SPOTTED = tuple(each for each in DISCOVERED if each.where == WINDOWS)
"""Output of the spotter. It does not say whether a participant was created too."""

NODES, APPLICATIONS, WRITERS, READERS = 4, 10, 10, 30
"""Applications of a node, writers and readers of an application."""

SIZE, EACH_HZ = 1000, 2.0

CALCULATED_KB_PER_S = {"reader": 80.0, "application": 2400.0, "node": 24_000.0, "system": 96_000.0}
"""Throughput of each, 10³ B/s. Measured was 96 MB/s, below 50 % load of the CPUs."""

SENT_KB_PER_S, RECEIVED_KB_PER_S = 200.0, 600.0
"""Traffic of a node, without headers."""

PACKED = 40
"""Samples that are sent together, at 5 Hz, with a latency budget of 200 ms."""


@dataclass(frozen=True, slots=True)
class Compliance:
    """A property of three products of 2008, which the slide does not name."""

    title: str
    dds1: str
    dds2: str
    dds3: str


COMPLIANCE = rows(Compliance, __file__, "compliance.csv")
"""API compliance."""
