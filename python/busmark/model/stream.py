"""Throughput of a case: goodput, batches, pairs of a writer and a reader, and its capacity."""

from __future__ import annotations

from pydantic import Field

from busmark.model.figure import Distribution, Figure, Frozen
from busmark.model.latency import LatencyByRound


class Batch(Frozen):
    """One batch as one reader saw it."""

    round: int
    writer: int
    reader: int
    number: int
    duration_ns: int | None
    """Time from the start of the batch to its end; null where the end was lost and nothing else
    shows it."""
    expected: int
    received: int
    samples_per_s: float | None
    acknowledged: bool | None


class Batches(Frozen):
    """Batches of a stream. `expected` and `received` count its samples."""

    samples: int
    """Samples in each batch."""
    acknowledged_samples: bool
    """Whether single samples were acknowledged as well."""
    count: int
    """Batches that were written."""
    unacknowledged: int
    """Batches whose end some reader did not acknowledge."""
    samples_acknowledged: int | None
    """Samples that every reader acknowledged; null if none is to be acknowledged."""
    time: Figure | None
    """Time of a batch at a reader, from its start to its end, ns: the mean of each round."""
    shortest_ns: int | None
    longest_ns: int | None
    single: list[Batch]
    """The first ones; null figures where that round's table cannot be read."""


class EndpointPair(Frozen):
    """One reader's samples of one writer, all counted rounds together."""

    flow: str
    writer: str
    """Participant of the writer; with a number if it has several writers of this flow."""
    reader: str
    expected: int
    lost: int
    median_ns: float | None
    """The one-way latencies' median; null if it falls among the lost, which are later than any."""
    ranked_ns: float | None
    """The percentile by which pairs are ranked; null if it falls among the lost."""


class Pairs(Frozen):
    """All pairs of a writer and a reader in a stream at a rate, whose readers time every sample."""

    count: int
    recorded_every: int
    """One in this many samples is recorded at each reader."""
    percent: float
    """The percentile by which they are ranked: the highest of 99, 90 and 50 for which each has the
    samples."""
    median_ns: float | None
    """Median of that percentile over the pairs; null if half of them have it among the lost."""
    slowest: EndpointPair
    most_lost: EndpointPair | None
    """The pair with the greatest share lost; null if none lost any."""


class Paced(Frozen):
    """What a case with a rate asks to leave each sending node, and what of it arrives; with several
    readers to all of them together. In a mesh both are of all nodes together."""

    specified_mbit_per_s: float
    carried: Figure
    rated_mbit_per_s: float | None
    """Rated capacity of the lab's links."""
    practical_mbit_per_s: float | None
    """Goodput of a plain TCP transfer over such links in this campaign."""


class Throughput(Frozen):
    """Latencies of a throughput case, its pairs, its batches, and the bandwidth that it asks
    for."""

    probes_hidden: bool = False
    """Whether the median one-way latency of the probes falls among the lost: then there is no
    `probe_one_way`."""
    probe_one_way: Distribution | None
    """One-way latency of samples sent under load, on one host."""
    probe_round_trip: Distribution | None
    pairs: Pairs | None = None
    """Pairs of a writer and a reader; null at full speed, without one clock, and for a single
    writer with a single reader."""
    jitter: Distribution | None = None
    """Magnitude of `ipdv`."""
    ipdv: Distribution | None = None
    """Change from a probe to the next, with its sign: one way, or of round trips where there is no
    one-way time."""
    batches: Batches | None = None
    """Batches; null where the stream runs free. With batches, goodput is measured within them."""
    paced: Paced | None = None
    """Bandwidth that a rate asks for, and what of it arrives; null at full speed."""
    rated_mbit_per_s: float | None = None
    """Rated capacity of the lab's links; null if there are none."""
    practical_mbit_per_s: float | None = None
    """Goodput of a plain TCP transfer over such links in this campaign."""
    by_round: list[LatencyByRound] = Field(default=[])
    """Statistics of the latencies of probes, round by round: what comparisons are made of."""


class Trial(Frozen):
    """One round of the test capacity."""

    round: int
    rate_hz: float | None
    """Rate of each writer; null: full speed."""
    offered_mbit_per_s: float
    """Offered load, to all readers together."""
    mbit_per_s: float | None
    """Goodput at the readers."""
    loss: float | None
    p99_ns: float | None
    """99th percentile of the round trip of probes."""
    shortfall: str | None
    """Why it did not sustain its rate; null: it did."""


class CapacitySearch(Frozen):
    """The search for the greatest rate that meets the scenario's criterion."""

    confirmed: int
    confirm: int
    """Trials at that rate that passed, and that were asked for."""
    reached: bool
    limited_by: str | None
    """writers, readers, loss or p99: what trials beyond it fell short in."""
    trials: list[Trial]
    rated_mbit_per_s: float | None = None
    """Rated capacity of the lab's links."""
    practical_mbit_per_s: float | None = None
    """Goodput of a plain TCP transfer over the same links in this campaign."""
