"""The rounds of a case: what each measured, how many count, and how precise they are together."""

from __future__ import annotations

from typing import Literal, NamedTuple

from pydantic import Field

from busmark.model.discovery import RoundDiscovery
from busmark.model.figure import Frozen, Quantity

CaseStatus = Literal["ok", "partial", "failed", "unsupported", "not_run"]
"""partial: some rounds were marked or failed; failed: none is usable; not_run: none was begun."""


class RoundCounts(Frozen):
    """Rounds by the status of their last attempt."""

    ok: int
    marked: int
    failed: int


class RoundTimes(Frozen):
    """Latencies of one round that came back."""

    quantity: Quantity
    """half_round_trip of pings, round_trip of the probes in a stream."""
    median_ns: float | None
    p99_ns: float | None
    min_ns: float | None = None
    """Smallest latency; null, like the following fields, in results from before rounds had it."""
    max_ns: float | None = None
    mean_ns: float | None = None
    variance_ns2: float | None = None
    """About the average of the round."""


class RoundSummary(Frozen):
    """One attempt at one round. Only rounds with status ok enter an estimate."""

    round: int
    attempt: int
    status: Literal["ok", "marked", "failed"]
    reason: str | None
    changed: str | None = None
    """Properties of the machine, or of where participants may run, that changed during the round.
    """
    started_utc: str | None
    ended: str | None
    warmup_s: float | None
    """Length of the warm-up, which is discarded."""
    measured_s: float | None
    chosen_s: float | None = None
    """The length that the run chose for it; null where the scenario states it."""
    samples: int | None
    expected: int | None
    """Samples that readers should have received."""
    received: int | None
    lost: int | None
    corrupted: int | None
    """Bodies that differ from what was written: of all with `verify`, else of one in a thousand."""
    loads: dict[str, float] = Field(default={})
    """Level that each background load achieved, by kind, in the units of `BackgroundLoad`."""
    discovery_s: float | None
    """Time from the last endpoint's creation until all had matched."""
    discovery_resolution_s: float | None
    """Time by which `discovery_s` may be too long; the upper limit where `discovery_s` is null."""
    times: RoundTimes | None = None
    """Latencies of the samples that came back; null where none did, or nothing is timed."""
    theoretical_per_s: float | None = None
    """Samples per second that readers would receive if every writer kept its rate and nothing were
    lost."""
    written_per_s: float | None = None
    samples_per_s: float | None
    mbit_per_s: float | None
    first_sample_ns: float | None = None
    """Until the first sample was received; null but in a discovery test."""
    goal_accepted_ns: float | None = None
    """Until goals were accepted; null but in an action test."""
    discovery: RoundDiscovery | None = None
    batches: int | None = None
    """Batches that were written; null where the stream runs free."""
    batches_unacknowledged: int | None = None
    batch_ns: float | None = None
    """Mean time of a batch at a reader, from its start to its end."""
    cpu_busy: float | None
    """Share of the busiest CPU, 0 to 1."""
    cpus: float | None = None
    """CPUs that all participants together kept busy in the measured time; null where the round is
    shorter than two intervals, and of rounds that do not count."""
    offset_ns: float | None = None
    """Clock of the subscribers' host minus the publishers' clock; null with one clock."""
    offset_bound_ns: float | None = None
    drift_ppm: float | None = None
    drift_bound_ppm: float | None = None
    """Bound of the drift; null also where the round does not determine it."""


class RoundQuantity(NamedTuple):
    """A number of a round: its field here, its quantity in the table of estimates, its unit."""

    field: str
    quantity: str
    unit: str = ""

    @property
    def statistic(self) -> str:
        """Statistic in the table of estimates."""
        return "count" if self.field in COUNTED else "value"


COUNTED = frozenset(
    ("samples", "expected", "received", "lost", "corrupted", "batches", "batches_unacknowledged")
)

# fmt: off
OF_ROUNDS = (
    RoundQuantity("warmup_s", "warmup", "s"),
    RoundQuantity("measured_s", "measured", "s"),
    RoundQuantity("chosen_s", "chosen", "s"),
    RoundQuantity("samples", "samples"),
    RoundQuantity("expected", "expected"),
    RoundQuantity("received", "received"),
    RoundQuantity("lost", "lost"),
    RoundQuantity("corrupted", "corrupted"),
    RoundQuantity("discovery_s", "discovery", "s"),
    RoundQuantity("discovery_resolution_s", "discovery_resolution", "s"),
    RoundQuantity("theoretical_per_s", "theoretical_rate", "1/s"),
    RoundQuantity("written_per_s", "write_rate", "1/s"),
    RoundQuantity("samples_per_s", "read_rate", "1/s"),
    RoundQuantity("mbit_per_s", "goodput", "Mbit/s"),
    RoundQuantity("first_sample_ns", "first_sample", "ns"),
    RoundQuantity("goal_accepted_ns", "goal_accepted", "ns"),
    RoundQuantity("batches", "batches"),
    RoundQuantity("batches_unacknowledged", "batches_unacknowledged"),
    RoundQuantity("batch_ns", "batch", "ns"),
    RoundQuantity("cpu_busy", "cpu_busy", "1"),
    RoundQuantity("cpus", "cpu", "CPU"),
    RoundQuantity("offset_ns", "offset", "ns"),
    RoundQuantity("offset_bound_ns", "offset_bound", "ns"),
    RoundQuantity("drift_ppm", "drift", "ppm"),
    RoundQuantity("drift_bound_ppm", "drift_bound", "ppm"),
)
"""Numbers of a round, in the order of the table."""

OF_DISCOVERY = (
    RoundQuantity("creation_ns", "creation", "ns"),
    RoundQuantity("own_match_ns", "own_match", "ns"),
    RoundQuantity("peer_match_ns", "peer_match", "ns"),
    RoundQuantity("lost_before", "lost_before"),
)
"""Numbers of a round of a discovery test."""

OF_TIMES = (
    RoundQuantity("median_ns", "median", "ns"),
    RoundQuantity("p99_ns", "p99", "ns"),
    RoundQuantity("min_ns", "min", "ns"),
    RoundQuantity("max_ns", "max", "ns"),
    RoundQuantity("mean_ns", "mean", "ns"),
    RoundQuantity("variance_ns2", "variance", "ns²"),
)
"""Statistics of the latency of a round: here the second is the statistic."""
# fmt: on


class Precision(Frozen):
    """Precision of a case whose rounds are added until its interval is narrow. Half-widths are of
    the 95 % interval, relative."""

    statistic: str
    """A statistic of the round trip, or goodput."""
    target: float
    relative_half_width: float | None
    reached: bool
    chosen_s: tuple[float, float] | None = None
    """Shortest and longest measured time that the run chose for a round; null where the scenario
    states it."""
    spent_s: float
    """Time of the counted rounds, with their overhead and attempts that failed before."""
    fixed_relative_half_width: float | None
    """Half-width that is to be expected of 20 rounds, in a latency test of 2000 samples each."""
    fixed_s: float | None
    """Time that these rounds take."""
