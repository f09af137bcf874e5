"""Figures of a latency case: the segments of a ping's way, round trips, and their halves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from math import ceil

import numpy as np
import polars as pl
from numpy.typing import NDArray

from busmark import stats
from busmark.estimate.curves import (
    Thinning,
    autocorrelation,
    distributed,
    middle_round,
    of_rounds,
    timeline,
)
from busmark.estimate.distribution import RowsOfLatency, best, distribution, without
from busmark.estimate.samples import Pools, Timed, aligned, having, in_time_order, timed, unstamped
from busmark.estimate.series import signed
from busmark.model.case import Curve
from busmark.model.distribution import CLOCK_BOUND, POOL, halves
from busmark.model.figure import JITTER, FloatArray, Quantity, over_rounds, unknown
from busmark.model.figures import Estimated, Found, estimated, row_of
from busmark.model.latency import (
    ECHO,
    ECHO_SOURCE,
    INTER_ARRIVAL,
    MEANINGS,
    ONE_IN,
    SEGMENT,
    SEGMENTS,
    STAMPS,
)
from busmark.model.quantities import latency as latencies
from busmark.model.quantities.service import PARTS
from busmark.model.quantities.stream import LOSS_OF_ALL, LOST, SENT
from busmark.store.samples import measured

Times = NDArray[np.int64]
"""ns"""

MOST_PINGS = 1_000_000
"""Most pings of a case from which its tables are made: beyond that, every n-th. A deviation is then
known to a thousandth of itself or better."""

BETWEEN_HOSTS = ("send", "echo")
"""Segments whose stamps are by the clocks of both sides."""


def every_for(pings: int) -> int:
    """Return n where tables are to be made of every n-th ping."""
    return max(1, ceil(pings / MOST_PINGS))


def segments_of(back: pl.DataFrame, every: int, *, one_clock: bool) -> dict[str, Times]:
    """Return the times (ns) of each segment in a round for which there are stamps by one clock.

    Args:
        back: rows of the pings that came back, in time order.
        every: one in this many is taken.
    """
    kept = back.gather_every(every) if every > 1 else back
    found = {
        name: differences(kept[late], kept[early])
        for name, _, late, early in STAMPS
        if (one_clock or name not in BETWEEN_HOSTS)
        and {late, early} <= {*kept.columns}
        and kept[late].null_count() < kept.height
    }
    if ECHO_SOURCE in found and ECHO in found:
        found[ECHO] = differences(kept["delivered_ns"], kept["echo_written_ns"])
    found[INTER_ARRIVAL] = _inter_arrival(back)[::every]
    return {name: times for name, times in found.items() if times.size}


def differences(late: pl.Series, early: pl.Series) -> Times:
    """Subtract early stamps from late ones, where both are known."""
    if late.null_count() or early.null_count():
        known: Times = (late - early).drop_nulls().to_numpy()
    else:
        known = late.to_numpy() - early.to_numpy()
    return known


def _inter_arrival(back: pl.DataFrame) -> Times:
    """Return times from pong to pong of each pinger. A lost one makes one long time of two."""
    writers = back["writer"]
    alone = writers.min() == writers.max() and writers.null_count() in (0, writers.len())
    gaps = []
    for own in [back] if alone else back.partition_by("writer"):
        gap = np.diff(own["read_ns"].to_numpy())
        # Pongs of pings that were under way together may have changed places.
        if gap.size and gap.min() < 0:
            gap = np.diff(np.sort(own["read_ns"].to_numpy()))
        gaps.append(gap)
    return np.concatenate(gaps)


def segment_tables(rounds: Sequence[dict[str, Times]], every: int) -> Iterator[Estimated]:
    """Yield the best shares of each segment over all rounds together; segments without stamps have
    none."""
    alone = any(ECHO_SOURCE in segments for segments in rounds)
    for name in MEANINGS:
        # Where some rounds have the echo source, what contains it in the others is another segment.
        needed = {name, ECHO_SOURCE} if alone and name == ECHO else {name}
        times = [segments[name] for segments in rounds if needed <= segments.keys()]
        if times:
            like = Estimated(SEGMENT, "", None, "ns", SEGMENT, name, over=POOL)
            yield from best(stats.best(np.concatenate(times)), like)
            if every > 1:
                yield replace(like, statistic=ONE_IN, value=every, unit="")


OWN = tuple(segment for segment in SEGMENTS if segment[0] in ("write", "read", "turn-round"))
"""Segments within one host."""

THERE = ("there", "", "echo_read_ns", "sent_ns")

BACK = ("back", "", "read_ns", "echo_sent_ns")

AT_SERVER = tuple(part for part in PARTS if part[0] in ("waiting", "work"))
"""Parts of a response time by the server's clock alone."""


@dataclass(slots=True)
class PingRound:
    """Pings of one round, without its warm-up; times in ns, arrays in order of intended sending."""

    number: int
    back: Timed
    """The pings that came back."""
    lost_start: FloatArray
    """Intended sending of those that did not."""
    medians: dict[str, float] = field(default_factory=dict)
    """Median of each segment for which there are stamps."""
    bound_ns: float = 0.0
    """How far segments between hosts may be off, ns."""
    segments: dict[str, Times] = field(default_factory=dict)
    """Times of each segment for which there are stamps by one clock, if they were asked for."""

    @property
    def sent(self) -> int:
        """Pings sent."""
        return int(self.back.latency.size + self.lost_start.size) + self.back.negative


def ping_round(
    number: int, samples: pl.DataFrame, *, one_clock: bool, segments_every: int | None = None
) -> PingRound:
    """Reduce the raw samples of a round; segments between hosts are as good as their clocks agree.

    Args:
        segments_every: keep the segments of one in this many pings; None: of none.
    """
    by_one = aligned(samples, one_clock=one_clock)
    pings = measured(by_one.samples, "pinger", "client")
    if "round_trip_ns" in pings.columns and pings["round_trip_ns"].null_count() < pings.height:
        return PingRound(number, unstamped(pings), lost_start=np.empty(0))
    rows = in_time_order(pings)
    back = having(rows, "read_ns")
    gone = rows.clear() if back is rows else rows.filter(pl.col("read_ns").is_null())
    if "client" in pings["role"]:
        segments = PARTS if by_one.bound_ns is not None else AT_SERVER
    else:
        segments = (*SEGMENTS, THERE, BACK) if by_one.bound_ns is not None else OWN
    timed_back = timed(back)
    # What is no latency has no segments either.
    whole = back.filter(pl.col("read_ns") >= pl.col("start")) if timed_back.negative else back
    return PingRound(
        number=number,
        back=timed_back,
        lost_start=gone["start"].to_numpy().astype(np.float64),
        medians=_medians(back, segments),
        bound_ns=by_one.bound_ns or 0.0,
        segments=segments_of(whole, segments_every, one_clock=one_clock) if segments_every else {},
    )


def _medians(rows: pl.DataFrame, segments: Sequence[tuple[str, str, str, str]]) -> dict[str, float]:
    """Return the median of each segment that has both stamps."""
    parts = {name: differences(rows[late], rows[early]) for name, _, late, early in segments}
    return {name: float(stats.medians(times)) for name, times in parts.items() if times.size}


def latency(
    rounds: list[PingRound],
    pools: Pools,
    quantity: Quantity = "half_round_trip",
    *,
    segments_every: int = 1,
) -> Iterator[Estimated]:
    """Yield the latencies over the counted rounds; `pools` are of the samples that came back in
    them, `segments_every` is the value with which the rounds were made. `quantity`: half round
    trips of pings, or response times of a service."""
    halved = quantity == "half_round_trip"
    each = [(r.number, r.back, r.lost_start) for r in rounds]
    found = RowsOfLatency.from_rounds(quantity, pools.latency, each)
    if not found.by_round:
        why = "no sample came back in any round" if rounds else "no round could be read"
        found = without(quantity, why)
    yield from (*found.round_trip, *found.whole)
    for change, pool in (("jitter", pools.jitter), ("ipdv", pools.ipdv)):
        changes = distribution(pool, change, is_change=True)
        yield from halves(changes, change) if halved else changes
    yield from found.by_round
    bound = max((r.bound_ns for r in rounds), default=0.0)
    count = next((row.count for row in found.whole if row.over == POOL), 0)
    for name, *_ in (*SEGMENTS, THERE, BACK) if halved else PARTS:
        way = name in WAYS
        off = 0.0 if name in (one for one, *_ in (*OWN, *AT_SERVER)) else bound
        medians = [r.medians.get(name) for r in rounds]
        within = stats.POSITIVE if way else stats.SIGNED
        if median := over_rounds(medians, "ns", count, within=within, off=off):
            row = row_of(median, SEGMENT, "median", SEGMENT, name)
            if reason := unknown(median.value, off):
                most = median.value + off if median.high is None else median.high
                row = replace(row, value=most, low=None, high=None, bound="upper", reason=reason)
            yield row
            if way and not reason:
                yield replace(row, quantity=WAYS[name], scope="case", of=None)
            if off:
                yield Estimated(SEGMENT, CLOCK_BOUND, off, "ns", SEGMENT, name)
    if bound and any(name in r.medians for r in rounds for name in WAYS):
        yield from estimated([(latencies.CLOCK_BOUND, bound)])
    yield from segment_tables([r.segments for r in rounds], segments_every)


WAYS = {
    "there": "one_way_there",
    "back": "one_way_back",
    **{name: f"{name}_time" for name, *_ in PARTS},
}
"""Quantities of the case that are segments, too."""


def counts(sent: int | None, lost: int | None) -> Found:
    """Yield the pings of the counted rounds, and the share of them that was lost."""
    yield SENT, sent
    yield LOST, lost
    yield LOSS_OF_ALL, lost / sent if sent and lost is not None else None


def _round_medians(rounds: list[PingRound], factor: float) -> dict[int, float]:
    """Return this part of the median round trip of each round in which it is not among the lost."""
    known: dict[int, float] = {}
    for each in rounds:
        if each.back.latency.size + each.lost_start.size:
            median = stats.of_sent(each.back.latency, int(each.lost_start.size), "median")
            known |= {each.number: median * factor} if median != "lost" else {}
    return known


def series(
    rounds: list[PingRound], pools: Pools, half: Quantity, thinning: Thinning
) -> Iterator[Curve]:
    """Return the curves of the case, all in RTT/2, or response times."""
    if pools.latency is None:
        return
    factor = 0.5 if half == "half_round_trip" else 1.0
    halves = [one.ordered.median * factor for one in pools.latency.rounds]
    middle = middle_round(dict(zip(pools.numbers, halves, strict=True)))
    shown = next(r for r in rounds if r.number == middle)
    lost = {each.number: int(each.lost_start.size) for each in rounds}
    yield from distributed(pools, half, factor, thinning, lost)
    yield from timeline(
        shown.number,
        shown.back.start,
        shown.back.latency * factor,
        shown.lost_start,
        half,
        thinning,
    )
    yield from timeline(
        shown.number,
        shown.back.jitter_start,
        shown.back.jitter * factor,
        shown.lost_start[:0],
        signed(JITTER[half]),
        thinning.halved(),
    )
    yield from autocorrelation(shown.number, shown.back.latency, half)
    yield from of_rounds(_round_medians(rounds, factor), half, "ns")
