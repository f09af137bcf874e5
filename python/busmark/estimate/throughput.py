"""Figures of a throughput case: what was written and read, and the latency of its probes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl

from busmark.estimate.curves import Thinning, distributed, of_rounds
from busmark.estimate.distribution import RowsOfLatency, distribution, jitter_share, without
from busmark.estimate.samples import Pools, Timed, aligned, by_place, in_time_order, step, timed
from busmark.model.case import Curve
from busmark.model.figure import (
    Figure,
    FloatArray,
    Quantity,
    mean_over_rounds,
    over_rounds,
    unknown,
)
from busmark.model.figures import Estimated, Found
from busmark.model.quantities import stream
from busmark.model.quantities.latency import (
    CLOCK_BOUND,
    JITTER_SHARE,
    PROBES_LOST,
    PROBES_SENT,
)
from busmark.store.columns import TIMED
from busmark.store.samples import latency_ns, measured


@dataclass(slots=True)
class ProbeRound:
    """The probes of one round, in order of intended sending. In a stream at a rate with one clock
    every sample is one, at each of its readers; of them the first writer's probes are echoed."""

    number: int
    one_way: Timed
    """One-way latencies; empty where `unknown` says why."""
    round_trip: Timed
    sent: int | None
    """Probes; None where an imported source does not say."""
    never_arrived: int | None
    """Probes that never arrived; None: samples of the stream were lost, and no record says whether
    probes were among them."""
    lost: FloatArray | None
    """Intended sending of those that never arrived; empty where what arrived has no one-way
    latency."""
    unanswered: FloatArray | None
    """Intended sending of those whose echo never came back."""
    unknown: str | None = None
    """Why what arrived has no one-way latency; None where it has one."""
    pairs: pl.DataFrame | None = None
    """`writer`, `reader` and `latency_ns`, null if lost, where each reader timed every sample."""


def probe_round(
    number: int, samples: pl.DataFrame, *, one_clock: bool, row: Mapping[str, Any] | None = None
) -> ProbeRound:
    """Reduce the raw samples of a round. Latency is from the intended time: a writer that was held
    up is charged with the delay. `row` is the round's of the table `cases`."""
    row = row or {}
    by_one = aligned(samples, one_clock=one_clock)
    sent = _admitted(measured(samples, "transmitter"), row)
    received = measured(by_one.samples, "receiver")
    lost, unanswered = _gone(sent, received, row)
    never_arrived = None if lost is None else int(lost.size)
    number_sent = None if sent.is_empty() else sent.height
    between = 1
    if sent.is_empty():
        # An imported source, which has no rows for lost samples.
        between = step(received)
    else:
        received, sent = by_place(received, sent), by_place(sent, sent)
    receiver, transmitter = in_time_order(received), in_time_order(sent)
    bound = by_one.bound_ns
    one_way = timed(
        receiver if bound is not None else receiver.clear(), step=between, bound_ns=bound or 0.0
    )
    found = ProbeRound(
        number,
        one_way=one_way,
        round_trip=timed(transmitter, step=between),
        sent=number_sent,
        never_arrived=never_arrived,
        lost=lost,
        unanswered=unanswered,
    )
    if not received.is_empty():
        why = NO_OFFSET if bound is None else None
        if bound and one_way.latency.size:
            why = unknown(float(np.median(one_way.latency)), bound)
        if why or not one_way.latency.size:
            found = without_one_way(found, why)
    every = measured(samples, TIMED)
    return found if every.is_empty() else _timed(found, in_time_order(every))


NO_OFFSET = "the offset of the two clocks is not known: no probe came back, or a clock stepped"


def without_one_way(found: ProbeRound, why: str | None) -> ProbeRound:
    """Leave out one-way latencies that are not known, and what was lost, which has no place among
    them."""
    none = found.one_way.without_samples()
    return replace(found, one_way=none, lost=np.empty(0), unknown=why)


def _timed(found: ProbeRound, every: pl.DataFrame) -> ProbeRound:
    """Take one-way latencies of all samples at all readers instead of the probes' at one."""
    lost = every.filter(pl.col("read_ns").is_null())["start"].cast(pl.Float64).to_numpy()
    return replace(
        found,
        one_way=timed(every),
        sent=every.height,
        never_arrived=int(lost.size),
        lost=lost,
        pairs=every.select("writer", "reader", latency_ns=latency_ns(every)),
    )


def _admitted(sent: pl.DataFrame, row: Mapping[str, Any]) -> pl.DataFrame:
    """Return the probes that the readers' filter admits."""
    below, instances = row.get("filter_below"), row.get("instances")
    if not below or not instances or below >= instances:
        return sent
    return sent.filter(pl.col("seq") % instances < below)


def _gone(
    sent: pl.DataFrame, received: pl.DataFrame, row: Mapping[str, Any]
) -> tuple[FloatArray | None, FloatArray | None]:
    """Return the intended sending of probes that never arrived, and of probes without an echo; None
    if unknown. Writers record each probe, and the one reader of probes each that arrives."""
    if sent.is_empty():
        unknown = None if row.get("lost") else np.empty(0)
        return unknown, unknown
    unanswered = in_time_order(sent.filter(pl.col("read_ns").is_null()))
    # What was answered has arrived, whatever the reader recorded.
    arrived = received.select("writer", "seq").unique()
    gone = unanswered.join(arrived, on=["writer", "seq"], how="anti", nulls_equal=True)
    lost, open_ = (
        frame["start"].sort().cast(pl.Float64).to_numpy() for frame in (gone, unanswered)
    )
    return lost, open_


@dataclass(frozen=True)
class Probes:
    """Probes of all rounds, sorted."""

    one_way: Pools
    round_trip: Pools
    rounds: Sequence[ProbeRound]

    unknown: str | None = None
    """Why there are no one-way latencies."""

    @classmethod
    def from_rounds(cls, rounds: Sequence[ProbeRound], *, phased: bool = False) -> Probes:
        """Collect the probes of these rounds; `phased`: something changes in the middle of each.

        Where one of them does not have the offset of two clocks, none has one-way latencies: the
        others would be those whose latency is long."""
        why = next((r.unknown for r in rounds if r.unknown), None)
        timed = [r.one_way for r in rounds if r.one_way.latency.size]
        bound = max((each.bound_ns for each in timed), default=0.0)
        if bound and not why:
            middle = np.median([np.median(each.latency) for each in timed])
            why = unknown(float(middle), bound)
        if why:
            rounds = [without_one_way(r, why) for r in rounds]
        return cls(
            Pools.from_rounds([(r.number, r.one_way) for r in rounds], phased=phased),
            Pools.from_rounds([(r.number, r.round_trip) for r in rounds], phased=phased),
            rounds,
            why,
        )

    @property
    def lost(self) -> dict[int, int] | None:
        """Probes that never arrived, by round; None where that is not known of one."""
        return _counts({r.number: r.lost for r in self.rounds})

    @property
    def unanswered(self) -> dict[int, int] | None:
        """Probes whose echo never came back, by round; None where that is not known of one."""
        return _counts({r.number: r.unanswered for r in self.rounds})

    @property
    def sent(self) -> int | None:
        """Probes that were sent; None where that is not known of a round."""
        return _sum([r.sent for r in self.rounds])

    @property
    def never_arrived(self) -> int | None:
        """Return how many never arrived; None if that is not known of a round."""
        return _sum([r.never_arrived for r in self.rounds])

    @cached_property
    def of_one_way(self) -> RowsOfLatency:
        """Rows of one-way latencies, the lost later than any."""
        if self.unknown:
            return without("one_way", self.unknown)
        each = [(r.number, r.one_way, r.lost) for r in self.rounds]
        return RowsOfLatency.from_rounds("one_way", self.one_way.latency, each)

    @cached_property
    def of_round_trip(self) -> RowsOfLatency:
        """Rows of round trips; probes without an echo are later than any."""
        each = [(r.number, r.round_trip, r.unanswered) for r in self.rounds]
        return RowsOfLatency.from_rounds("round_trip", self.round_trip.latency, each)

    @property
    def latencies(self) -> tuple[Quantity, Pools]:
        """The one-way latencies where there are any, else the round trips."""
        if self.one_way.latency or not self.round_trip.latency:
            return "one_way", self.one_way
        return "round_trip", self.round_trip


def _sum(counts: Sequence[int | None]) -> int | None:
    known = [count for count in counts if count is not None]
    return sum(known) if known and len(known) == len(counts) else None


def _counts(gone: Mapping[int, FloatArray | None]) -> dict[int, int] | None:
    known = {number: int(each.size) for number, each in gone.items() if each is not None}
    return known if len(known) == len(gone) else None


def latencies(probes: Probes) -> Iterator[Estimated]:
    """Yield the latencies of the probes of the counted rounds."""
    one_way, round_trip = probes.of_one_way, probes.of_round_trip
    _, known = probes.latencies
    yield from (*one_way.whole, *round_trip.whole)
    yield from distribution(known.jitter, "jitter", is_change=True)
    yield from distribution(known.ipdv, "ipdv", is_change=True)
    yield from (*one_way.by_round, *round_trip.by_round)


def figures(rows: Sequence[dict[str, Any]], probes: Probes) -> Found:
    """Yield what was written, read and lost in the counted rounds; `rows` are their rows of the
    table `cases`."""
    received, sent = total(rows, "received"), total(rows, "sent")

    def estimate(column: str, unit: str, count: int | None) -> Figure | None:
        return over_rounds([row.get(column) for row in rows], unit, count)

    yield stream.GOODPUT, estimate("mbit_per_s", "Mbit/s", received)
    theoretical = {row.get("theoretical_per_s") for row in rows}
    yield stream.THEORETICAL, theoretical.pop() if len(theoretical) == 1 else None
    yield stream.NUMBERED, over_rounds([_numbered(row) for row in rows], "1/s", received)
    yield stream.WRITTEN, estimate("written_per_s", "1/s", sent)
    yield stream.READ, estimate("samples_per_s", "1/s", received)
    yield stream.DRAIN, estimate("drain_ns", "ns", received)
    for quantity in COUNTS:
        yield quantity, total(rows, quantity.key)
    # What an imported source says was to come may be known where what was sent is not.
    shares = [
        row["lost"] / due
        for row in rows
        if (due := row.get("expected") or row["sent"]) and row["lost"] is not None
    ]
    due = total(rows, "expected") if sent is None else sent
    loss = mean_over_rounds(shares, "1", due, within=stream.LOSS.within)
    yield stream.LOSS_OF_ALL, loss and loss.value
    yield stream.LOSS, loss
    quantity_of, known = probes.latencies
    timed = probes.of_one_way if quantity_of == "one_way" else probes.of_round_trip
    yield JITTER_SHARE, jitter_share(known.latency, known.jitter) if timed.whole else None
    yield PROBES_SENT, probes.sent
    yield PROBES_LOST, probes.never_arrived
    bound = probes.one_way.latency.bound_ns if probes.one_way.latency else 0.0
    yield CLOCK_BOUND, bound if bound and probes.of_one_way.whole else None


COUNTS = (
    stream.SENT,
    stream.RECEIVED,
    stream.LOST,
    stream.DUPLICATED,
    stream.OUT_OF_ORDER,
    stream.FOREIGN,
    stream.CORRUPTED,
)
"""Sums of a column of the table `cases`, each by its key."""


def _numbered(row: Mapping[str, Any]) -> float | None:
    """Return the rate of reading, had nothing been lost, by the sequence numbers."""
    read, received, expected = row["samples_per_s"], row["received"], row.get("expected")
    return None if read is None or not received or not expected else read * expected / received


def total(rows: Sequence[Mapping[str, Any]], column: str) -> int | None:
    """Sum a column over all rounds; return None if one lacks it: the others are not all."""
    known = [int(row[column]) for row in rows if row.get(column) is not None]
    return sum(known) if known and len(known) == len(rows) else None


def series(rows: Sequence[dict[str, Any]], probes: Probes, thinning: Thinning) -> Iterator[Curve]:
    """Return the curves of the case, but for what changes over the time of a round."""
    yield from distributed(probes.one_way, "one_way", 1.0, thinning, probes.lost)
    rates = {row["round"]: row["mbit_per_s"] for row in rows if row["mbit_per_s"] is not None}
    yield from of_rounds(rates, "goodput", "Mbit/s")
