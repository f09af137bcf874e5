"""Samples of rounds in time order, by one clock, what was lost in its place, sorted once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from busmark import stats
from busmark.model.figure import FloatArray
from busmark.stats import clock_offset
from busmark.store.columns import ASKING, EXCHANGE
from busmark.store.samples import latency_ns, start_ns


@dataclass(slots=True)
class Timed:
    """Samples of a round that came back, in order of intended sending; times in ns."""

    start: FloatArray
    """Intended sending; NaN where an imported source states latencies in their order, and no
    stamps."""
    latency: FloatArray
    """Latency from the intended sending."""
    jitter: FloatArray
    """Signed: the latency of a sample minus the latency of the one before it, of the same writer at
    the same reader. Pairs across a lost sample are left out, and so are a writer's pairs if its
    rows do not identify the reader."""
    jitter_start: FloatArray
    """Intended sending of the later of each two."""
    later: stats.Indices
    """Index in `latency` of the later sample of each two."""
    negative: int
    """Rows left out because they were read before they were sent."""
    bound_ns: float = 0.0
    """How far all latencies may be off together, either way, because their ends were stamped by two
    clocks; 0: by one."""

    def without_samples(self) -> Timed:
        """Return the same without any latency."""
        return Timed(*(np.empty(0),) * 4, self.later[:0], self.negative, self.bound_ns)


def in_time_order(rows: pl.DataFrame) -> pl.DataFrame:
    """Sort `rows` by intended sending, in a column `start`, with the series of each in a column
    `series`. Samples of several writers and readers were recorded one after the other; statistics
    need them as they happened."""
    # Not by expressions: a plan costs as much as what it would do with the rows of a short round.
    rows = having(rows.hstack([start_ns(rows).alias("start"), _series(rows)]), "start")
    return rows if rows["start"].is_sorted() else rows.sort("start", maintain_order=True)


def having(rows: pl.DataFrame, name: str) -> pl.DataFrame:
    """Return the rows that have a value in this column; mostly all do, and nothing is copied."""
    return rows.drop_nulls(name) if rows[name].null_count() else rows


def unstamped(rows: pl.DataFrame) -> Timed:
    """Return the samples of a pinger whose source gives a round trip, but neither begin nor end; in
    the order in which they were sent."""
    rows = rows.with_columns(_series(rows)).drop_nulls("round_trip_ns")
    rows = rows.sort("seq", maintain_order=True)
    latency = rows["round_trip_ns"].to_numpy().astype(np.float64)
    first, second = _neighbours(rows, 1)
    return Timed(
        start=np.full(latency.size, np.nan),
        latency=latency,
        jitter=latency[second] - latency[first],
        jitter_start=np.full(second.size, np.nan),
        later=second,
        negative=0,
    )


def timed(rows: pl.DataFrame, *, step: int = 1, bound_ns: float = 0.0) -> Timed:
    """Return latencies of rows from `in_time_order`, whose numbers are `step` apart where none was
    lost. By one clock a negative latency is not valid: its row is left out and counted. By two it
    may be off by `bound_ns`."""
    rows = having(rows, "read_ns")
    start = rows["start"].to_numpy().astype(np.float64)
    latency = latency_ns(rows).to_numpy().astype(np.float64)
    negative = 0
    if not bound_ns and latency.size and latency.min() < 0.0:
        negative = int((latency < 0.0).sum())
        kept = latency >= 0.0
        rows, start, latency = rows.filter(pl.Series(kept)), start[kept], latency[kept]
    first, second = _neighbours(rows, step)
    return Timed(
        start=start,
        latency=latency,
        jitter=latency[second] - latency[first],
        jitter_start=start[second],
        later=second,
        negative=negative,
        bound_ns=bound_ns,
    )


def step(rows: pl.DataFrame) -> int:
    """Return the smallest distance of numbers of one writer, more than 1 if only every n-th sample
    is recorded."""
    least = []
    for _, own in rows.group_by("writer"):
        gaps = np.diff(own["seq"].unique().sort().to_numpy())
        if gaps.size:
            least.append(int(gaps.min()))
    return min(least, default=1)


def by_place(rows: pl.DataFrame, sent: pl.DataFrame) -> pl.DataFrame:
    """Give each of `rows` its place among its writer's probes, 0, 1, 2 and so on. `sent` has a
    row for every probe, lost or not; a sample that is none of them gets a number that has no
    neighbour."""
    keys = ["writer", "seq"]
    places = sent.select(keys).unique().sort(keys)
    places = places.with_columns(pl.int_range(pl.len()).over("writer").alias("place"))
    found = rows.join(places, on=keys, how="left", nulls_equal=True, maintain_order="left")
    beyond = 2 * (pl.col("seq") + places.height + 1)
    return found.with_columns(pl.coalesce("place", beyond).alias("seq")).drop("place")


NO_SERIES = -1


def _series(rows: pl.DataFrame) -> pl.Series:
    """Return the series of `rows`, each of which is one reader's samples of one writer. If rows do
    not identify their reader, as in older and imported results, it is `NO_SERIES` for a writer that
    has a number twice: several readers may have recorded them."""
    keys = [name for name in ("writer", "reader") if name in rows.columns]
    if all(rows[name].n_unique() <= 1 for name in keys):
        series = pl.Series("series", np.zeros(rows.height, dtype=np.int64))
        seq = rows["seq"].to_numpy()
        if (seq[1:] > seq[:-1]).all():
            return series
    else:
        series = rows.select(pl.struct(keys).rank("dense").cast(pl.Int64) - 1).to_series()
    twice = pl.DataFrame({"series": series, "seq": rows["seq"]}).filter(
        pl.struct("series", "seq").is_duplicated()
    )
    lost = series.is_in(twice["series"].unique().implode())
    return series.zip_with(~lost, pl.Series([NO_SERIES])).alias("series")


def _neighbours(rows: pl.DataFrame, step: int) -> tuple[stats.Indices, stats.Indices]:
    """Return indices of the earlier and the later of each two samples that follow each other."""
    seq = rows["seq"].to_numpy()
    series = rows["series"].to_numpy()
    if not series.size or (series == 0).all():
        return stats.consecutive(seq, step)
    pairs = [(np.empty(0, dtype=np.int64),) * 2]
    for number in np.unique(series[series != NO_SERIES]):
        own = np.flatnonzero(series == number)
        first, second = stats.consecutive(seq[own], step)
        pairs.append((own[first], own[second]))
    first, second = (np.concatenate(side) for side in zip(*pairs, strict=True))
    order = np.argsort(second, kind="stable")
    return first[order], second[order]


ANSWERING = ("echo_delivered_ns", "echo_read_ns", "echo_sent_ns", "echo_written_ns")
"""Stamps of the other host in rows of pings and of probes."""

RECEIVING = ("delivered_ns", "read_ns")
"""Stamps of the other host in rows of a receiver."""


@dataclass(frozen=True, slots=True)
class Aligned:
    """Samples of a round whose stamps may be compared."""

    samples: pl.DataFrame
    bound_ns: float | None
    """How far a difference of stamps of two hosts may be off, at any time of the round; 0: one
    clock. None: not known."""


def aligned(samples: pl.DataFrame, *, one_clock: bool) -> Aligned:
    """Convert a round's stamps to the clock of the publisher's host, where the offset is known."""
    if one_clock:
        return Aligned(samples, 0.0)
    asking = pl.col("role").is_in(ASKING)
    exchanges = samples.filter(asking).drop_nulls(EXCHANGE)
    if exchanges.is_empty():
        return Aligned(samples, None)
    found = clock_offset(*(exchanges[name].to_numpy().astype(np.float64) for name in EXCHANGE))
    if found is None:
        return Aligned(samples, None)
    # The offset is a line in the asker's time, which every row has as the time of sending.
    shift = pl.Series(found.offset(samples["sent_ns"].to_numpy()).round()).cast(pl.Int64)
    shifted = samples.with_columns(
        *(
            pl.when(asking).then(pl.col(name) - shift).alias(name)
            for name in ANSWERING
            if name in samples.columns
        ),
        *(
            pl.when(asking).then(pl.col(name)).otherwise(pl.col(name) - shift).alias(name)
            for name in RECEIVING
        ),
    )
    return Aligned(shifted, found.widest)


@dataclass(frozen=True, slots=True)
class Sent:
    """Rounds in which something came back, and what of them did not."""

    rounds: list[stats.Round]
    """Latencies by round; in the place of each lost sample is the latest of all that came back."""
    back: list[int]
    """Samples that came back, of each round."""
    lost: list[int]

    @classmethod
    def from_rounds(cls, rounds: Sequence[tuple[Timed, FloatArray]]) -> Sent | None:
        """Return rounds and their loss, by the samples that came back and by when the others were
        to be sent; None if nothing was lost, or nothing came back at all."""
        sent = [(timed, gone) for timed, gone in rounds if timed.latency.size + gone.size]
        if not any(gone.size for _, gone in sent):
            return None
        if not any(timed.latency.size for timed, _ in sent):
            return None
        latest = max(float(timed.latency.max()) for timed, _ in sent if timed.latency.size)
        return cls(
            rounds=[
                stats.Round.from_values(stats.with_lost(timed.start, timed.latency, gone, latest))
                for timed, gone in sent
            ],
            back=[int(timed.latency.size) for timed, _ in sent],
            lost=[int(gone.size) for _, gone in sent],
        )

    @property
    def share(self) -> float:
        """Share of all samples sent that were lost."""
        return sum(self.lost) / (sum(self.back) + sum(self.lost))

    @property
    def most(self) -> float:
        """Share that was lost of the samples of the round that lost most."""
        both = zip(self.back, self.lost, strict=True)
        return max(lost / (back + lost) for back, lost in both if back + lost)

    def hides(self, statistic: stats.Statistic) -> bool:
        """Return whether in any round the statistic falls among the lost: then it has no mean
        either."""
        both = zip(self.back, self.lost, strict=True)
        return any(stats.among_lost(statistic, back, lost) for back, lost in both)

    def pooled(self) -> stats.Ordered:
        """Merge the samples of all rounds."""
        return stats.Ordered.merged([each.ordered for each in self.rounds])

    def pooled_hides(self, percent: float) -> bool:
        """Return whether a percentile of all rounds together falls among the lost."""
        return bool(stats.among_lost(percent, sum(self.back), sum(self.lost)))


@dataclass(frozen=True, slots=True)
class Pool:
    """Samples of one quantity, in ns: by round, without empty rounds, and of all together."""

    rounds: list[stats.Round]
    pooled: stats.Ordered
    bound_ns: float = 0.0
    """How far all samples may be off together, either way."""
    within: stats.Range = stats.POSITIVE
    phased: bool = False
    """Whether something changes in the middle of a round: then it has no drift."""

    @classmethod
    def from_rounds(cls, rounds: Sequence[FloatArray], **of_pool: Any) -> Pool | None:
        """Make a pool of one array in time order per round, with the other fields of a pool; return
        None when all are empty."""
        known = [stats.Round.from_values(r) for r in rounds if r.size]
        if not known:
            return None
        return cls(known, stats.Ordered.merged([r.ordered for r in known]), **of_pool)


@dataclass(frozen=True, slots=True)
class Pools:
    """Latencies of the rounds that have some, and their variation."""

    numbers: list[int]
    timed: list[Timed]
    latency: Pool | None
    ipdv: Pool | None
    """Their changes from sample to sample, of the rounds `jitter_numbers`."""
    jitter: Pool | None
    """Magnitudes of the same."""

    @classmethod
    def from_rounds(cls, rounds: Sequence[tuple[int, Timed]], *, phased: bool = False) -> Pools:
        """Make the pools of rounds, given by number. `phased`: something changes in the middle of
        each."""
        kept = [(number, timed) for number, timed in rounds if timed.latency.size]
        return cls(
            numbers=[number for number, _ in kept],
            timed=[timed for _, timed in kept],
            latency=Pool.from_rounds(
                [timed.latency for _, timed in kept],
                bound_ns=max((timed.bound_ns for _, timed in kept), default=0.0),
                phased=phased,
            ),
            ipdv=Pool.from_rounds([timed.jitter for _, timed in kept], within=stats.SIGNED),
            jitter=Pool.from_rounds([np.abs(timed.jitter) for _, timed in kept]),
        )

    @property
    def jitter_numbers(self) -> list[int]:
        """Rounds that have two consecutive samples."""
        both = zip(self.numbers, self.timed, strict=True)
        return [number for number, timed in both if timed.jitter.size]
