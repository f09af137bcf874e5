"""What a round of a case has: how long it measures, how many samples its flows write and read.

Whatever counts before anything runs has its counts from here: refusals of requirements and
criteria, `busmark plan`, lengths of rounds, sizes of captures, rows of recorders.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil, inf
from statistics import fmean
from typing import NamedTuple

from busmark.model.entry import EXCHANGES
from busmark.model.parameters import Parameters
from busmark.model.quantities import LOSS, Quantity
from busmark.model.units import ELEMENT_BYTES, parse_sizes
from busmark.plan.flows import Flows, PlannedFlow, flows
from busmark.plan.timeline import highest_rate_hz, mean_rate_hz

PING_S = 50e-6
"""Time of a ping in a closed loop whose samples end it; sockets take 20 µs, DDS on a busy CPU 200
µs."""
SAMPLE_S = 10e-6
"""Time of a sample in a stream at full speed whose samples end it."""
REPETITION_S = 0.03
"""Time of a repetition of a discovery test, with what comes between two."""
USUAL_S = {"pings": PING_S, "service": PING_S, "discovery": REPETITION_S, "existing": inf}
"""Time of a sample of a flow without a rate, by the kind of flow; of all others `SAMPLE_S`."""

CHOSEN_S = 0.5
"""Measured time of a round whose length the run chooses; the choice is known after some rounds
only."""

ROWS = 1_000_000
"""Rows for samples of streams at a rate in a round, all readers together, unless
`measure.max_samples` is more."""

SLACK = 1e-9
"""Relative error of a product of a rate and a time."""


def measured_s(params: Parameters) -> float:
    """Return the measured time, s: the duration, or the time of the samples if that is less."""
    asked = params.duration_s
    duration = CHOSEN_S if asked is None else float(asked)
    if not params.samples or params.flows:
        return duration  # background is not ended by samples
    usual_s = USUAL_S.get("pings" if params.test == "latency" else params.test, SAMPLE_S)
    if params.test == "action":
        usual_s = _goal_s(params)
    rate = params.rate_hz if params.test != "discovery" else None
    return min(duration, params.samples / rate if rate else params.samples * usual_s)


@dataclass(frozen=True, slots=True)
class FlowCounts:
    """Numbers of samples of a flow: each second, and in a round."""

    flow: PlannedFlow
    each_per_s: float
    """Samples of one writer in a second."""
    each: float
    probed: float
    """Share of the first writer's samples that are probes."""
    rows_of: float = 0.0
    """Share of the samples at each reader whose one-way latency is recorded; 0: of probes alone."""

    @property
    def written_per_s(self) -> float:
        """Samples of all writers in a second."""
        return self.each_per_s * len(self.flow.writers)

    @property
    def written(self) -> float:
        """Samples of all writers in a round."""
        return self.each * len(self.flow.writers)

    @property
    def _readings(self) -> float:
        """How often a sample is read: pings count once for all who answer."""
        if self.flow.kind == "pings":
            return 1.0 + len(self.flow.listening)
        if self.flow.kind == "service":
            return 1.0
        return len(self.flow.readers) * self.flow.admitted_share

    @property
    def read_per_s(self) -> float:
        """Samples that come to all readers in a second, if none is lost."""
        return self.written_per_s * self._readings

    @property
    def read(self) -> float:
        """Samples that come to all readers in a round, if none is lost."""
        return self.written * self._readings

    @property
    def trips(self) -> float:
        """Round trips of pings, or of echoed probes, in a round."""
        if self.flow.kind in ("pings", "service"):
            return self.written
        return self._probes if self.flow.answers else 0.0

    @property
    def one_way(self) -> float:
        """Number of one-way latencies of a stream in a round, at all of its readers."""
        if self.flow.kind != "stream":
            return 0.0
        return self.read * self.rows_of if self.rows_of else self._probes

    @property
    def _probes(self) -> float:
        if not self.probed or not self.flow.answering:
            return 0.0
        return self.each * self.probed * self.flow.admitted_share


def of_flow(
    flow: PlannedFlow,
    params: Parameters,
    seconds: float | None = None,
    *,
    usual: bool = True,
    rate_hz: float | None = None,
    rows_of: float = 0.0,
) -> FlowCounts:
    """Return the counts of a flow of a case.

    Args:
        flow: one of `flows(params)`.
        params: parameters of the case.
        seconds: length of the round; None: `measured_s`.
        usual: whether a flow without a rate runs at the usual speed; otherwise its recorder and
            `samples` alone limit it.
        rate_hz: another rate than the flow has on average.
        rows_of: as in `FlowCounts`.
    """
    seconds = measured_s(params) if seconds is None else seconds
    rate = rate_hz or mean_rate_hz(flow, params, seconds)
    usual_s = _goal_s(params) if flow.kind == "action" else USUAL_S.get(flow.kind, SAMPLE_S)
    speed = rate or (1 / usual_s if usual else inf)
    each = speed * seconds
    if rate and flow.arrivals == "constant":
        each = ceil(each * (1 - SLACK))  # the first is written when the round begins
    if params.samples and not flow.background:
        each = min(each, params.samples)
    if flow.kind in ("pings", "service", "action"):
        each = min(each, params.max_samples)
    probed = 1 / flow.probe_every if flow.probe_every else 0.0
    return FlowCounts(flow, speed, each, probed, rows_of)


def _goal_s(params: Parameters) -> float:
    """Return the time from one goal of a client to its next, in a closed loop."""
    return ((params.goal_time_s or 0.0) + PING_S) / (params.goals or 1)


def counts(params: Parameters, *, usual: bool = True) -> Iterator[FlowCounts]:
    """Yield the counts of each flow that is measured; `usual` as of `of_flow`."""
    case = flows(params)
    # Readers time every sample where all have one clock, which is known once a round begins.
    every = record_every(case, params) if params.duration_s else None
    for flow in case.flows:
        if not flow.background:
            timed = 1 / every if every and is_timed(flow, params) else 0.0
            yield of_flow(flow, params, usual=usual, rows_of=timed)


def samples_for(quantity: Quantity, params: Parameters, *, usual: bool = True) -> float:
    """Return how many samples of a round show a quantity of single samples, or the loss."""
    pings = params.test in EXCHANGES
    found = [*counts(params, usual=usual)]
    if quantity.name == LOSS.key:
        return sum(one.written if pings else one.read for one in found)
    if pings or quantity.name in ("round_trip", "half_round_trip"):
        return sum(one.trips for one in found)
    return sum(one.one_way for one in found)


def counted_per_s(params: Parameters) -> float | None:
    """Return how many samples `criteria.min_samples` counts in a second, if none is lost: round
    trips of pings, or samples received. None where no rate says so."""
    found = [*counts(params)]
    if not all(one.flow.rate_hz for one in found):
        return None
    exchanges = params.test in EXCHANGES
    return sum(one.written_per_s if exchanges else one.read_per_s for one in found)


def counted(params: Parameters) -> float | None:
    """Return how many samples of a round `criteria.min_samples` counts, if none is lost; None where
    no rate says so."""
    found = [*counts(params)]
    if not all(one.flow.rate_hz for one in found):
        return None
    return sum(one.trips if params.test in EXCHANGES else one.read for one in found)


class SampleLoad(NamedTuple):
    """Samples that all flows of a case write and read in a second, its background included."""

    written_per_s: float
    read_per_s: float
    """Samples read, if none is lost."""
    mbit_per_s: float
    """Bodies of the samples that are written, Mbit per second."""


def load_of(params: Parameters) -> SampleLoad | None:
    """Return what a case writes and reads in a second; None where a flow has no rate, so that
    nobody knows before."""
    found = [of_flow(flow, params) for flow in flows(params).flows if flow.kind != "existing"]
    if params.test in ("discovery", "action") or not all(one.flow.rate_hz for one in found):
        return None
    return SampleLoad(
        sum(one.written_per_s for one in found),
        sum(one.read_per_s for one in found),
        sum(one.written_per_s * _mean_bytes(one.flow) for one in found) * 8 / 1e6,
    )


def _mean_bytes(flow: PlannedFlow) -> float:
    if not flow.size_distribution:
        return flow.size
    return fmean(parse_sizes(flow.size_distribution).values(ELEMENT_BYTES[flow.payload]))


def record_every(case: Flows, params: Parameters) -> int | None:
    """Return n where one in n samples has a row at each of its readers: 1 as long as a round has
    room for all. None: the case has no stream at a rate."""
    due = sum(rows_due(flow, params) for flow in case.flows if is_timed(flow, params))
    return ceil(due / max(ROWS, params.max_samples)) or None


def is_timed(flow: PlannedFlow, params: Parameters) -> bool:
    """Return whether its readers time every sample, given one clock."""
    measured = flow.own or (params.test == "throughput" and not flow.background)
    return measured and flow.kind == "stream" and flow.rate_hz > 0


def rows_due(flow: PlannedFlow, params: Parameters) -> float:
    """Return how many samples all readers of a stream at a rate should receive in a round, at its
    highest rate."""
    highest = highest_rate_hz(flow, params)
    return of_flow(flow, params, params.length_s, rate_hz=highest).read
