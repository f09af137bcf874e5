"""An experiment, whatever form it came in: the run that it becomes, halves of it, and its flaws.

Each process writes a file of its own, and nothing in the files says which belong together: the
identifier names the process. So two halves are joined where all settings agree and their names
differ in nothing but the side's, or where no other file of their folder, or of all, could be meant.

The flaws are from the sources of performance_test.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import sqrt
from typing import Any

import polars as pl

from busmark.model import text
from busmark.plugins.imports.model import (
    Flaw,
    Half,
    ImportedFile,
    Part,
    Quantity,
    ReportedFigure,
    Run,
    RunParameters,
    Statistic,
    Values,
    intervals_of,
    size_flaw,
    sizes_of,
    whole_run,
)

MOMENTS = Flaw(
    "performance-test-no-percentiles",
    "warning",
    "There are no percentiles, and no median",
    "performance_test keeps mean, least, greatest and variance of every second. A median cannot be "
    "computed from them.",
    "Compare means, or measure again with a tool that keeps samples.",
)
VARIANCE = Flaw(
    "performance-test-variance",
    "note",
    "The column latency_variance (ms) has another unit",
    "It is the variance in s² times 1000. The deviations shown here were computed by that.",
    "Do not use the column without converting it.",
)
RATES = Flaw(
    "performance-test-rates",
    "note",
    "Counts are sums of rates",
    "received, sent and lost are samples per second of each publisher and subscriber, cut to whole "
    "numbers and added up. Counts shown here are their sums over all rows, as the tool counts; "
    "rates are their means over time. Both are too low by up to one for each row and endpoint.",
    "Do not read small differences between counts as losses.",
)
LOST_FIRST = Flaw(
    "performance-test-lost-before-match",
    "warning",
    "Samples sent before matching count as lost",
    "The first sample that comes with a number above 1 makes all before it lost.",
    "Run it with --ignore and --wait-for-matched-timeout, or leave the first seconds out.",
)
ACTUAL = Flaw(
    "performance-test-actual-time",
    "note",
    "Latency counts from the actual sending",
    "A sample is stamped when it is really sent. What a late publisher delayed is not in its "
    "latency; the loop's reserve of time, which would show it, is not imported.",
    "Look at pub_loop_res_min: below 0 the rate was not kept.",
)
ONE_HOST = Flaw(
    "performance-test-one-host",
    "note",
    "One-way latency is right on one host only",
    "Stamps are of a clock that counts from the host's start.",
    "Between hosts use --roundtrip-mode.",
)
WARM_UP = Flaw(
    "performance-test-warm-up",
    "note",
    "Warm-up is in the figures",
    "No row at the start was left out.",
    "Run it with --ignore.",
)
HALF = Flaw(
    "performance-test-one-half",
    "note",
    "The other half of the run is not in this file",
    "Publishers and subscribers ran in processes of their own, each of which knows only its own "
    "side.",
    "Import the other process's file together with this one.",
)
HALVES = Flaw(
    "performance-test-two-halves",
    "note",
    "Sent and received were counted by two processes",
    "The two begin and end each at its own time, and cut their rates each by itself. So what was "
    "sent need not be what was received and lost together, and the difference is no loss.",
    "Read loss from the count of lost samples.",
)
SIZE = size_flaw(
    "performance-test",
    "the size in the message's name: the array without time and number, or, since 1.5, the whole",
)

FLAWS = (
    MOMENTS,
    VARIANCE,
    RATES,
    LOST_FIRST,
    ACTUAL,
    ONE_HOST,
    WARM_UP,
    HALF,
    HALVES,
    SIZE,
)

ABSENT = {"written": "what was received, and its latency", "read": "how many samples were sent"}
"""Figures that are missing in a half."""

MIDDLEWARE = {
    "CYCLONEDDS": ("cyclonedds", "Cyclone DDS"),
    "CYCLONEDDS_CXX": ("cyclonedds", "Cyclone DDS C++"),
    "FASTDDS": ("fastdds", "Fast DDS"),
    "FASTRTPS": ("fastdds", "Fast RTPS"),
    "CONNEXTDDS": ("rti", "RTI Connext"),
    "CONNEXTDDSMICRO": ("rti_micro", "RTI Connext Micro"),
    "ICEORYX": ("iceoryx", "iceoryx"),
    "OPENDDS": ("opendds", "OpenDDS"),
    "ECAL_RAW": ("ecal", "eCAL"),
    "ECAL_PROTO": ("ecal", "eCAL"),
}
"""Name of the adapter, and name of the middleware, by means of communication."""

RMW = {
    "rmw_cyclonedds_cpp": ("cyclonedds", "Cyclone DDS"),
    "rmw_fastrtps_cpp": ("fastdds", "Fast DDS"),
    "rmw_fastrtps_dynamic_cpp": ("fastdds", "Fast DDS"),
    "rmw_connextdds": ("rti", "RTI Connext"),
    "rmw_connext_cpp": ("rti", "RTI Connext"),
    "rmw_iceoryx_cpp": ("iceoryx", "iceoryx"),
    "rmw_zenoh_cpp": ("zenoh", "Zenoh"),
}
"""Name of the adapter, and name of the middleware, by the library below ROS 2."""

_MESSAGE = re.compile(r"(?:Array|Struct|BoundedSequence)(\d+)([km]?)", re.IGNORECASE)
"""Messages whose name states their size: Array1k holds 1024 octets."""
_FACTORS = {"": 1, "k": 1024, "m": 1024 * 1024}

_SIDE = re.compile(
    r"(?<![a-z])(publishers?|subscribers?|pub|sub|writers?|readers?|senders?|receivers?|sent|send|"
    r"recv|tx|rx|talkers?|listeners?|p|s)(?![a-z])"
)

PLACES: tuple[Callable[[str], str], ...] = (
    lambda name: _SIDE.sub("*", name.lower()),
    lambda name: name.replace("\\", "/").rpartition("/")[0],
    lambda name: "",
)
"""Functions that return what the names of two halves have in common: the surest first."""


@dataclass(frozen=True, slots=True)
class Row:
    """About a second. Rates are of samples per second; what is None is not there."""

    end_s: float
    length_s: float
    received_per_s: float
    sent_per_s: float
    lost_per_s: float
    count: int
    """Number of latencies in the interval."""
    mean_ns: float | None
    min_ns: float | None
    max_ns: float | None
    variance_ns2: float | None
    line: int


@dataclass(slots=True)
class Experiment:
    """An experiment of performance_test, as one file states it."""

    means: str
    identity: str = ""
    rmw: str = ""
    version: str | None = None
    message: str | None = None
    rate_hz: float | None = None
    publishers: int | None = None
    subscribers: int | None = None
    roundtrip: str = "None"
    qos: dict[str, Any] = field(default_factory=dict)
    alike: str = ""
    """Facts that another process of the same run states too, and that are not parameters."""
    switches: dict[str, bool] = field(default_factory=dict)
    """Settings that are on."""
    ignored_s: float | None = None
    """Rows at the start that the tool left out."""
    rows: list[Row] = field(default_factory=list)

    @property
    def by_ros(self) -> bool:
        """Return whether ROS 2 was between the tool and the middleware."""
        return self.means.upper().startswith(("RCLCPP", "ROS2"))

    @property
    def named(self) -> tuple[str, str]:
        """Adapter and title."""
        if self.by_ros:
            if not self.rmw:
                return "ros2", "ROS 2"
            adapter, title = RMW.get(self.rmw, (self.rmw.removeprefix("rmw_"), self.rmw))
            return adapter, f"{title} in ROS 2"
        lower = self.means.lower() or "unknown"
        return MIDDLEWARE.get(self.means.upper().replace("-", "_"), (lower, self.means))

    @property
    def title(self) -> str:
        """The middleware's name."""
        return self.named[1]

    @property
    def quantity(self) -> Quantity:
        """Kind of its latencies: with a relay every latency is a whole round trip."""
        return "round_trip" if self.roundtrip.lower() == "main" else "one_way"

    def run(self) -> Run:
        """Return parameters, figures of all rows together, and of each."""
        run = Run(self._params(), line=self.rows[0].line, identity=self.identity)
        # Which half this is, where the publishers or the subscribers are another process's.
        if self.publishers and self.subscribers == 0:
            run.half = Half("written", self.alike)
        if self.subscribers and self.publishers == 0:
            run.half = Half("read", self.alike)
        run.values = self._values(run.params.size)
        if self.qos.get("durability") != "transient_local":
            # With it, a sample may be from before this process began.
            run.length_s = self.rows[-1].end_s
        run.reported = self._reported()
        run.intervals = _intervals(self.rows, run.params.size)
        return run

    def _params(self) -> RunParameters:
        params = RunParameters(test="throughput")
        if self.quantity == "round_trip":
            params.test = "latency"
            params.arrivals = "paced" if self.rate_hz else "unstated"
        params.adapter = self.named[0]
        if size := _MESSAGE.fullmatch(self.message or ""):
            params.size = int(size[1]) * _FACTORS[size[2].lower()]
        if self.rate_hz is not None:
            params.rate_hz = self.rate_hz
        # A process without one of them says nothing of how many another process has.
        if self.publishers:
            params.publishers = self.publishers
        if self.subscribers:
            params.subscribers = self.subscribers
        if self.qos:
            params.qos = self.qos
        settings: dict[str, Any] = {"message": self.message} if self.message else {}
        settings |= self.switches
        if self.by_ros:
            settings["communicator"] = self.means.lower().replace("-", "_")
        if settings:
            params.settings = settings
        return params

    def _values(self, size: int | None) -> Values:
        """Return counts, the sums of the rates of all rows, and rates, their means over time."""
        seconds = sum(row.length_s for row in self.rows)
        if not seconds:
            return {}
        received, sent, lost = (
            round(sum(getattr(row, name) for row in self.rows))
            for name in ("received_per_s", "sent_per_s", "lost_per_s")
        )
        read_per_s, written_per_s = (
            sum(getattr(row, name) * row.length_s for row in self.rows) / seconds
            for name in ("received_per_s", "sent_per_s")
        )
        values: Values = {"measured_s": seconds}
        if received or self.subscribers:
            values |= {"received": received, "samples_per_s": read_per_s}
            if size is not None:
                values["mbit_per_s"] = read_per_s * size * 8 / 1e6
        if received:
            # Before the first sample nothing counts as lost, however many were sent.
            values |= {"lost": lost, "expected": received + lost}
        if sent or self.publishers:
            values |= {"sent": sent, "written_per_s": written_per_s}
        return values

    def _reported(self) -> list[ReportedFigure]:
        parts: list[Part] = []
        reported: list[ReportedFigure] = []
        for row in self.rows:
            if not row.count or row.mean_ns is None:
                continue
            parts.append(Part(row.count, row.mean_ns, row.min_ns, row.max_ns, row.variance_ns2))
            deviation = None if row.variance_ns2 is None else sqrt(row.variance_ns2)
            start = max(0.0, row.end_s - row.length_s)
            figures: dict[Statistic, float | None] = {
                "mean": row.mean_ns,
                "std": deviation,
                "min": row.min_ns,
                "max": row.max_ns,
            }
            reported += [
                ReportedFigure(
                    self.quantity, statistic, value, None, row.count, start, row.length_s, row.line
                )
                for statistic, value in figures.items()
                if value is not None
            ]
        return [*whole_run(self.quantity, parts), *reported]


def _intervals(rows: Sequence[Row], size: int | None) -> pl.DataFrame | None:
    if size is None or not any(row.received_per_s for row in rows):
        return None
    starts = (max(0.0, row.end_s - row.length_s) for row in rows)
    counts = [round(row.received_per_s * row.length_s) for row in rows]
    return intervals_of(starts, (row.length_s for row in rows), counts, size)


def _rate(rate_hz: float | None) -> str:
    return f"rate {text.number(rate_hz, 0)} Hz" if rate_hz else "rate unlimited"


def observe(imported: ImportedFile, run: Run, form: str, experiment: Experiment) -> None:
    """Add the flaws that the file shows."""
    rows = len(experiment.rows)
    if run.reported:
        imported.observe(MOMENTS, f"moments of {rows} rows", [run])
        if form == "csv":
            imported.observe(VARIANCE, f"{rows} rows", [run])
        imported.observe(ACTUAL, _rate(experiment.rate_hz), [run])
        if experiment.quantity == "one_way":
            imported.observe(ONE_HOST, f"roundtrip mode {experiment.roundtrip}", [run])
    imported.observe(RATES, f"{rows} rows", [run])
    first = next((row for row in experiment.rows if row.received_per_s), None)
    if first is not None and first.lost_per_s and not experiment.ignored_s:
        shown = f"{first.lost_per_s:g} lost per second in line {first.line}"
        imported.observe(LOST_FIRST, shown, [run])
    if not experiment.ignored_s:
        begin = experiment.rows[0].end_s - experiment.rows[0].length_s
        if begin < 1.0:
            imported.observe(WARM_UP, f"the first row begins at {max(0, begin):.1f} s", [run])
    if run.params.size is not None:
        imported.observe(SIZE, sizes_of([run]), [run])


def combine(runs: list[Run]) -> list[Run]:
    """Return the runs, with both halves as one where they were found."""
    halves = [run for run in runs if run.half]
    kept = [run for run in runs if not run.half]
    for place in PLACES:
        written: dict[str, list[Run]] = {}
        read: dict[str, list[Run]] = {}
        for run in halves:
            side = written if run.half and run.half.side == "written" else read
            side.setdefault(_key(run, place(run.file)), []).append(run)
        for key, found in read.items():
            others = written.get(key, [])
            if len(found) == len(others) == 1:
                _join(found[0], others[0])
                kept.append(found[0])
                halves = [run for run in halves if run is not found[0] and run is not others[0]]
    for run in halves:
        assert run.half
        run.observed.append((HALF, f"not in this file: {ABSENT[run.half.side]}"))
    left = {id(run) for run in (*kept, *halves)}
    return [run for run in runs if id(run) in left]


def _key(run: Run, place: str) -> str:
    """Return a text that is equal for halves that may belong together."""
    assert run.half
    params = run.params.declared()
    params = {k: v for k, v in params.items() if k not in ("publishers", "subscribers")}
    return json.dumps([params, run.half.alike, place], sort_keys=True, default=str)


def _join(read: Run, written: Run) -> None:
    """Add to the half that read what only the other knows."""
    read.params.publishers = written.params.publishers
    if "sent" in written.values:
        read.values["sent"] = written.values["sent"]
        read.values["written_per_s"] = written.values["written_per_s"]
    read.joined.append(written.file)
    sent, received, lost = (
        read.values.get("sent"),
        read.values.get("received"),
        read.values.get("lost"),
    )
    evidence = f"{sent} sent; {received} received"
    evidence += "" if lost is None else f", {lost} counted as lost"
    expected = (sent or 0) * (read.params.subscribers or 1)
    if received is not None and lost is not None and expected > received + lost:
        evidence += f"; {expected - received - lost} in neither count"
    read.observed.append((HALVES, evidence))
