"""Figures of the slides, as data: the tables that its transceiver printed, and what headlines say.

Times are µs, as there. Cells that the published text has damaged are left out.
"""

from __future__ import annotations

from dataclasses import dataclass

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

    def of(self, segment: str, percent: float = 100.0) -> Line:
        """Return the line of a segment."""
        return next(e for e in self.lines if (e.segment, e.percent) == (segment, percent))


def _segment(
    segment: str, *rows: tuple[int, int, int, int, float | None] | None
) -> tuple[Line, ...]:
    return tuple(Line(segment, p, *row) for p, row in zip(BEST, rows, strict=True) if row)


TIME_SHARING = Output(
    "Time-sharing, transport priority 100",
    fifo=0,
    priority=100,
    lines=(
        *_segment(
            "send source",
            (3874, 1, 2, 23, 0.69),
            (3870, 1, 2, 16, 0.45),
            (3835, 1, 2, 3, 0.22),
            (3486, 1, 2, 2, 0.20),
        ),
        *_segment(
            "send arrival",
            (3876, 39, 40, 89, 2.75),
            (3872, 39, 40, 73, 2.47),
            (3837, 39, 40, 48, 1.23),
            (3488, 39, 40, 40, 0.45),
        ),
        *_segment(
            "echo source",
            (3877, 1, 2, 9, 0.42),
            (3873, 1, 2, 3, 0.40),
            (3838, 1, 2, 2, 0.40),
            (3489, 1, 2, 2, 0.41),
        ),
        *_segment("echo arrival", (3879, 49, 52, 90, 3.30), None, None, (3491, 49, 51, 52, 0.46)),
        *_segment(
            "trip",
            (3872, 321, 340, 406, 7.81),
            (3868, 321, 340, 389, 7.61),
            (3833, 321, 340, 371, 6.68),
            (3484, 321, 338, 350, None),
        ),
        *_segment(
            "inter-arrival",
            (3881, 994, 1034, 1913, 16.78),
            (3877, 994, 1034, 1089, 8.93),
            (3842, 994, 1033, 1066, 7.97),
            (3492, 994, 1032, 1043, 5.80),
        ),
    ),
)
"""Figures of this output; its segments send and echo are between two clocks that were 7.28 s apart,
and say nothing."""

REAL_TIME = Output(
    "Real-time 30, transport priority 100",
    fifo=30,
    priority=100,
    lines=(
        *_segment(
            "trip",
            (3749, 299, 316, 359, 7.56),
            (3745, 299, 316, 355, 7.44),
            (3711, 299, 316, 341, 6.87),
            (3374, 299, 314, 326, 4.97),
        ),
        *_segment(
            "inter-arrival",
            (3757, 1022, 1068, 1121, 10.71),
            (3753, 1022, 1068, 1111, 10.59),
            (3719, 1022, 1068, 1099, 10.07),
            (3381, 1022, 1066, 1081, 8.13),
        ),
    ),
)

OUTPUTS = (TIME_SHARING, REAL_TIME)


@dataclass(frozen=True, slots=True)
class Headline:
    """Average round trip and bound of its jitter, µs, of one configuration."""

    fifo: int
    priority: int
    round_trip: float
    jitter: float


HEADLINES = (
    Headline(30, 0, 323.0, 34.0),
    Headline(30, 100, 316.0, 8.0),
    Headline(0, 100, 316.0, 8.0),
)
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
    creation: float
    discovery: float
    lost: int | None = None

    @property
    def between_nodes(self) -> bool:
        """Return whether the other endpoint was on another node."""
        return self.where == BETWEEN


WITHIN, BETWEEN, WINDOWS = "Linux, within one node", "Linux, between nodes", "Windows XP, one node"

CLUSTER = (
    DiscoveryTimes(WITHIN, "writer", "entity", 784, 791, 0),
    DiscoveryTimes(WITHIN, "writer", "participant", 1021, 1038, 0),
    DiscoveryTimes(WITHIN, "reader", "entity", 1103, 866),
    DiscoveryTimes(WITHIN, "reader", "participant", 1270, 1157),
    DiscoveryTimes(BETWEEN, "writer", "entity", 621, 624, 0),
    DiscoveryTimes(BETWEEN, "writer", "participant", 2459, 2461, 0),
    DiscoveryTimes(BETWEEN, "reader", "entity", 1218, 1241),
    DiscoveryTimes(BETWEEN, "reader", "participant", 1253, 1280),
)
"""A writer of 40 B at 1000 Hz, and its reader."""

SPOTTED = (
    DiscoveryTimes(WINDOWS, "writer", "entity", 2285, 2382, 0),
    DiscoveryTimes(WINDOWS, "writer", "entity", 2529, 2625, 0),
    DiscoveryTimes(WINDOWS, "reader", "entity", 3836, 3668),
)
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

COMPLIANCE: tuple[tuple[str, ...], ...] = (
    ("Property", "DDS1", "DDS2", "DDS3"),
    ("DomainParticipant Factory", "compliant", "compliant", "proprietary function"),
    ("Register Data Types", "static method", "member method", "member method"),
    ("Spec Operations", "extra argument (newer spec)", "compliant", "compliant"),
    ("Key Declaration", "//@key", "single #pragma", "pair of #pragma"),
    ("Required App. IDs", "publisher & subscriber", "none", "publisher"),
    ("Required App. Transport Config", "code-based", "none", "file-based or code-based"),
)
"""API compliance of three products of 2008, which the slide does not name."""
