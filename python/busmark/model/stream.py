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


class Pair(Frozen):
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
    slowest: Pair
    most_lost: Pair | None
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
    """Figures of a throughput case. They describe a typical round; the share lost is the mean over
    rounds."""

    theoretical_per_s: float | None = None
    """Samples per second that all readers together would receive if every writer kept its rate and
    nothing were lost; null at full speed."""
    numbered_per_s: Figure | None = None
    """Samples per second that they would have received had nothing been lost, by the sequence
    numbers."""
    samples_per_s: Figure | None
    """Goodput, counted at the reader."""
    mbit_per_s: Figure | None
    written_per_s: Figure | None
    """Rate of all writers together; each sample goes to each of its writer's readers."""
    drain_ns: Figure | None = None
    """Time from the end of writing to the arrival of the last sample; null with batches, and where
    clocks differ."""
    sent: int | None
    received: int | None
    lost: int | None
    loss: Figure | None
    """Lost over what was to be received, 0 to 1."""
    duplicated: int | None
    out_of_order: int | None
    foreign: int | None
    corrupted: int | None
    """Count of all bodies with `verify`, else of one in a thousand; null if none was seen."""
    probes_sent: int | None = None
    """Samples of the stream whose latency was to be measured; null where that is not known. In a
    stream at a rate with one clock these are all, at each of their readers."""
    probes_lost: int | None = None
    """Samples among `probes_sent` that never arrived; percentiles count them as later than any
    other. Null if samples were lost and no record says whether probes were among them."""
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
    jitter_share: Figure | None = None
    """Median jitter over median latency of the probes, of each round."""
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


class Capacity(Frozen):
    """The greatest rate that met the scenario's criterion, and the bracket of the limit."""

    rate: Figure | None
    """Rate of each writer; null while the search has not come to its end."""
    sustained: Figure | None
    """Goodput at the readers at that rate."""
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
