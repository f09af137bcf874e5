"""Which samples of a round are late, and the way of one sample through the packets of its round."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from busmark.plugins.capture.late.wire import RELIABLE, Packet, Stream, Wire, Writer
from busmark.store.columns import ASKING
from busmark.store.samples import latency_ns, measured, start_ns

QUANTILE = 0.99
"""Latencies above this quantile of the round are late."""
FACTOR = 3.0
"""So are those above this many medians: where many are late, the quantile is among them."""
LATEST = 0.95
"""But never more than the latest 5 %: what is usual in a round is not late."""
MOST_EXAMINED = 500
"""Late samples of a round that are looked at, the latest first."""
ORDINARY = 100
"""Samples that are not late and are looked at beside them, spread over the round."""
PATIENCE_NS = 1_000_000_000
"""How long after its sending packets of a lost sample are looked for."""
COLUMNS = (
    "role",
    "participant",
    "writer",
    "reader",
    "seq",
    "intended_ns",
    "sent_ns",
    "written_ns",
    "echo_delivered_ns",
    "echo_read_ns",
    "echo_sent_ns",
    "delivered_ns",
    "read_ns",
    "flags",
)


@dataclass(frozen=True, slots=True)
class Sample:
    """One sample with its stamps, ns by CLOCK_MONOTONIC."""

    round: int
    round_trip: bool
    participant: str
    writer: int
    reader: int | None
    seq: int
    intended_ns: int
    sent_ns: int
    written_ns: int | None
    echo_delivered_ns: int | None
    echo_read_ns: int | None
    echo_sent_ns: int | None
    delivered_ns: int | None
    read_ns: int | None
    latency_ns: int | None
    """Time from the intended time to the reading; None for a lost sample."""
    excess_ns: int | None
    """Time that a cause has to explain: for a late sample its latency less the round's median, for
    an ordinary one its latency; None for a lost sample."""


@dataclass(frozen=True, slots=True)
class ChosenSamples:
    """The samples of a round that are looked at."""

    samples: int
    """Number of samples that were measured."""
    lost: int
    late: int
    """Number of late samples, without the lost."""
    median_ns: int | None
    limit_ns: int | None
    """Greatest latency that is not late."""
    limit_by: str | None
    """Name of the limit, in words."""
    examined: Sequence[Sample]
    """Lost and late ones: the lost first, then the latest."""
    ordinary: Sequence[Sample]
    slower: Sequence[Sample] = ()
    """Above three medians, and not among the latest 5 %: late if packets show that they were sent
    again."""


def choose(
    round_number: int, table: pl.DataFrame, *, one_clock: bool = True, echoed: bool = True
) -> ChosenSamples:
    """Choose late and other samples of a round: round trips where there are such, else one-way
    times. Where nothing is `echoed`, a writer does not know what was read: one-way times count."""
    measured = _measured(table, one_clock, echoed)
    known = measured.drop_nulls("latency_ns")
    latencies = known["latency_ns"].to_numpy()
    median = limit = limit_by = None
    late = slower = known.clear()
    if len(latencies):
        median = int(np.median(latencies))
        limit, limit_by = _limit(latencies, median)
        slower = known.filter(pl.col("latency_ns") > FACTOR * median)
        slower = slower.sort("latency_ns", descending=True)
        late = known.filter(pl.col("latency_ns") > limit).sort("latency_ns", descending=True)
        slower = slower[late.height : late.height + MOST_EXAMINED]
    lost = measured.filter(pl.col("latency_ns").is_null())
    rest = known if limit is None else known.filter(pl.col("latency_ns") <= limit)
    step = max(1, rest.height // ORDINARY)
    # Both kinds have a share of the room, so that neither hides the other.
    room = MOST_EXAMINED if not late.height else MOST_EXAMINED // 2
    picked = pl.concat([lost.head(room), late.head(MOST_EXAMINED - min(room, lost.height))])
    return ChosenSamples(
        measured.height,
        lost.height,
        late.height,
        median,
        limit,
        limit_by,
        [_sample(round_number, row, median) for row in picked.iter_rows(named=True)],
        [
            _sample(round_number, row, 0)
            for row in rest.gather_every(step).head(ORDINARY).iter_rows(named=True)
        ],
        [_sample(round_number, row, median) for row in slower.iter_rows(named=True)],
    )


def _limit(latencies: NDArray[np.int64], median: int) -> tuple[int, str]:
    """Return the greatest latency that is not late, and what it is."""
    most = np.quantile(latencies, QUANTILE)
    if most < FACTOR * median:
        return int(most), "the 99th percentile"
    return capped(latencies, int(FACTOR * median), "three times the median")


def capped(latencies: NDArray[np.int64], limit_ns: int, by: str) -> tuple[int, str]:
    """Return a limit, and what it is; the 95th percentile where more were late."""
    latest = int(np.quantile(latencies, LATEST))
    return (latest, "the 95th percentile") if latest > limit_ns else (limit_ns, by)


def _measured(table: pl.DataFrame, one_clock: bool, echoed: bool) -> pl.DataFrame:
    own = measured(table.select(COLUMNS)).filter(
        pl.col("sent_ns").is_not_null()
        & pl.col("writer").is_not_null()
        & pl.col("seq").is_not_null()
    )
    round_trips = own.filter(pl.col("role").is_in(ASKING))
    if not echoed:
        read = own.filter(pl.col("role") == "receiver")
        lost = round_trips.join(read, on=("writer", "seq"), how="anti")
        own = pl.concat([read if one_clock else read.clear(), lost]).with_columns(
            role=pl.lit("receiver")
        )
    elif round_trips.height or not one_clock:
        own = round_trips
    else:
        own = own.filter(pl.col("role") == "receiver")
    echoes = [c for c in COLUMNS if c.startswith("echo_")]
    if not one_clock:
        own = own.with_columns(pl.lit(None, pl.Int64).alias(c) for c in echoes)
    return own.with_columns(intended_ns=start_ns(own), latency_ns=latency_ns(own))


def _sample(number: int, row: dict[str, object], median: int | None) -> Sample:
    latency = row["latency_ns"]
    row.pop("flags")
    excess = None if latency is None or median is None else int(str(latency)) - median
    role = row.pop("role")
    return Sample(round=number, round_trip=role in ASKING, excess_ns=excess, **row)  # type: ignore[arg-type]


Direction = Literal["there", "back"]
Seen = Mapping[tuple[int, int, int], Sequence[int]]


CLOCK_NS = 1000
"""How exactly packets and samples are on one axis, at least."""


@dataclass(frozen=True, slots=True)
class Counters:
    """Counters of the kernel in the round."""

    socket_drops: int = 0
    """Datagrams dropped at sockets."""
    link_loss: str | None = None
    """Share of packets that the lab's links lose behind the capture, as asked for."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """A packet, and what it shows."""

    packet: Packet
    what: str


@dataclass(frozen=True, slots=True)
class Proof:
    """A cause of the delay of one sample, proved by packets."""

    cause: str
    wait_ns: int | None
    """How long the sample waited for it; None: it explains why a sample was never read."""
    said: str
    """What the packets show, as a sentence without its end."""
    evidence: tuple[Evidence, ...]
    of_another: bool = False
    """Whether it is about a message before the sample, for which it waits."""


@dataclass(frozen=True)
class Path:
    """The way of samples in a capture alone, by its hops."""

    flows: Sequence[int]
    whole: Sequence[bool]
    """Whether the capture has each message of the hop."""
    missing: Sequence[Mapping[int, int]]
    """Numbers of the hop that no packet has, by the sample to which each was given."""
    around: Sequence[Callable[[int], tuple[int | None, int | None]]]
    """Packets of the hop with the sample before one and with the sample after it."""
    patience_ns: int
    """How long before the end of the capture a sample may have been under way."""


@dataclass(frozen=True)
class Segment:
    """One direction: from a write to the reading of what was written."""

    direction: Direction
    writer: int
    begin_ns: int
    """Time at which the sample was written, ns."""
    end_ns: int
    """When it was read; of a sample that was not, how long it is looked for."""
    is_read: bool
    packets: list[Packet]
    """Packets that carry the sample, in the order of time; fragments without the header are not
    among them."""

    @cached_property
    def first(self) -> Packet | None:
        """The packet that was on the wire first."""
        return min(self.packets, key=lambda each: each.first_ns, default=None)

    @cached_property
    def last(self) -> Packet | None:
        """The last copy on the wire before it was read."""
        within = [each for each in self.packets if each.time_ns <= self.end_ns]
        return max(within, key=lambda each: each.time_ns, default=None)

    @cached_property
    def identities(self) -> list[tuple[Writer, int]]:
        """Return the sample's identities in RTPS: writer and number."""
        found = {
            ((each.source, each.writer), each.last_seq): None
            for each in self.packets
            if each.protocol == "rtps"
            and each.source is not None
            and each.writer is not None
            and each.last_seq is not None
        }
        return list(found)

    @cached_property
    def streams(self) -> list[tuple[Stream, tuple[int, int]]]:
        """Reliable streams of DDS-XRCE that carry the sample, each with the numbers of the first
        and the last message of it."""
        found: dict[Stream, tuple[int, int]] = {}
        for each in self.packets:
            if each.protocol != "xrce" or (each.stream or 0) < RELIABLE:
                continue
            if None in (each.flow, each.session, each.first_seq, each.last_seq):
                continue
            stream = (each.flow or 0, each.session or 0, each.stream or 0)
            found.setdefault(stream, (each.first_seq or 0, each.last_seq or 0))
        return list(found.items())


@dataclass(frozen=True)
class Trace:
    """A sample, its packets, and all others of the round."""

    sample: Sample
    wire: Wire
    segments: tuple[Segment, ...]
    counters: Counters = field(default_factory=Counters)
    path: Path | None = None
    """Hops of the sample in a capture without a result; None: the result has more."""

    @cached_property
    def several_ways(self) -> bool:
        """Return whether it went to several ends at once: packets for one end and packets for
        another are not distinguished."""
        return any(_several(self.wire, segment) for segment in self.segments)

    @cached_property
    def last(self) -> Packet | None:
        """The last packet that carries the sample, or the answer to it, until it was read."""
        found = (segment.last for segment in self.segments if segment.last)
        return max(found, key=lambda each: each.time_ns, default=None)

    def enough(self, wait_ns: int | None) -> bool:
        """Return whether a wait is at least half of what the sample is late by; of a lost sample,
        whether it explains the loss."""
        excess = self.sample.excess_ns
        if excess is None or wait_ns is None:
            return excess is None and wait_ns is None
        return 2 * wait_ns >= excess


def trace(
    sample: Sample,
    wire: Wire,
    seen: Seen,
    counters: Counters | None = None,
    path: Path | None = None,
) -> Trace:
    """Put the packets of a sample together."""
    segments = (
        _round_trip(sample, wire, seen) if sample.round_trip else [_one_way(sample, wire, seen)]
    )
    return Trace(sample, wire, tuple(segments), counters or Counters(), path)


def _packets(sample: Sample, wire: Wire, rows: Sequence[int]) -> list[Packet]:
    """Return packets, none before it was written: a warm-up's samples have the same numbers."""
    found = [each for each in wire.packets(rows) if each.first_ns >= sample.sent_ns - CLOCK_NS]
    return sorted(found, key=lambda each: (each.time_ns, each.packet, each.part))


def _one_way(sample: Sample, wire: Wire, seen: Seen) -> Segment:
    own = _packets(sample, wire, seen.get((sample.writer, sample.seq, 0), ()))
    end = sample.sent_ns + PATIENCE_NS if sample.read_ns is None else sample.read_ns
    return Segment("there", sample.writer, sample.sent_ns, end, sample.read_ns is not None, own)


def _round_trip(sample: Sample, wire: Wire, seen: Seen) -> list[Segment]:
    own = _packets(sample, wire, seen.get((sample.writer, sample.seq, 0), ()))
    answers = [
        row
        for (writer, seq, answered), rows in seen.items()
        if seq == sample.seq and answered == sample.writer and writer != sample.writer
        for row in rows
    ]
    back = _packets(sample, wire, answers)
    over = sample.sent_ns + PATIENCE_NS if sample.read_ns is None else sample.read_ns
    arrived = sample.echo_delivered_ns or sample.echo_read_ns
    answered = sample.echo_sent_ns
    first_back = min((each.first_ns for each in back), default=None)
    there_end = arrived or answered or first_back or over
    there_read = arrived is not None or first_back is not None or sample.read_ns is not None
    segments = [
        Segment(
            "there", sample.writer, sample.sent_ns, max(there_end, sample.sent_ns), there_read, own
        )
    ]
    begin = answered or first_back
    if begin is not None:
        writer = back[0].sample_writer if back else None
        segments.append(
            Segment("back", writer or 0, begin, max(over, begin), sample.read_ns is not None, back)
        )
    return segments


def _several(wire: Wire, segment: Segment) -> bool:
    """Return whether flows of one protocol and file lead from one address to different ends, and
    none of them continues another. In DDS-XRCE, what goes to an agent (WRITE_DATA) and what comes
    from one (DATA) are two parts of one way, also where there are two agents."""
    flows = list(
        dict.fromkeys(
            (each.protocol, each.kind == "WRITE_DATA", each.flow)
            for each in segment.packets
            if each.flow is not None
        )
    )
    for number, (*stage, one) in enumerate(flows):
        for *other_stage, other in flows[number + 1 :]:
            a, b = wire.flows[one], wire.flows[other]
            same = stage == other_stage and a.file == b.file
            apart = a.destination != b.destination
            chained = a.destination == b.source or b.destination == a.source
            if same and apart and not chained and a.source_address == b.source_address:
                return True
    return False
