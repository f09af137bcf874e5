"""The rows of one participant in time order, and how latency varies from each to the next."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from busmark import stats
from busmark.analysis.figures import FloatArray


@dataclass(slots=True)
class Timed:
    """Samples of a round that came back, in order of intended sending; times in ns."""

    start: FloatArray
    """NaN where an imported source tells latencies in their order, and no stamps."""
    latency: FloatArray
    """From the intended sending."""
    jitter: FloatArray
    """Signed: the latency of a sample minus that of the one before it, of the same writer at the
    same reader. Pairs across a lost sample are left out, and a writer's pairs where its rows do
    not tell several readers apart."""
    jitter_start: FloatArray
    """Intended sending of the later of each two."""
    later: stats.Indices
    """Which sample that is, counted in `latency`."""
    negative: int
    """Rows left out because they were read before they were sent."""


def in_time_order(rows: pl.DataFrame) -> pl.DataFrame:
    """`rows` by intended sending, in a column `start`, with the series of each in a column
    `series`. Those of several writers and readers were recorded one after the other; statistics
    need them as they happened."""
    rows = rows.with_columns(pl.coalesce("intended_ns", "sent_ns").alias("start"), _series(rows))
    rows = known(rows, "start")
    return rows if rows["start"].is_sorted() else rows.sort("start", maintain_order=True)


def known(rows: pl.DataFrame, name: str) -> pl.DataFrame:
    """The rows that have a value in this column; mostly all do, and nothing is copied."""
    return rows.drop_nulls(name) if rows[name].null_count() else rows


def unstamped(rows: pl.DataFrame) -> Timed:
    """Of rows of a pinger whose source tells a round trip, and neither begin nor end; in the order
    in which they were sent."""
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


def timed(rows: pl.DataFrame, *, step: int = 1, signed: bool = False) -> Timed:
    """Of rows from `in_time_order`, whose numbers are `step` apart where none was lost. Unless
    `signed`, for stamps of two clocks, a negative latency is no latency: its row is left out and
    counted."""
    rows = known(rows, "read_ns")
    start = rows["start"].to_numpy().astype(np.float64)
    latency = (rows["read_ns"] - rows["start"]).to_numpy().astype(np.float64)
    negative = 0
    if not signed and latency.size and latency.min() < 0.0:
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
    )


def step(rows: pl.DataFrame) -> int:
    """The least distance of numbers of one writer, more than 1 where one sample in so many is a
    probe. `rows` should have those that were lost; else a loss of every second goes unseen."""
    least = []
    for _, own in rows.group_by("writer"):
        gaps = np.diff(own["seq"].unique().sort().to_numpy())
        if gaps.size:
            least.append(int(gaps.min()))
    return min(least, default=1)


NO_SERIES = -1


def _series(rows: pl.DataFrame) -> pl.Series:
    """Numbers the series of `rows` in recorded order: what one reader had of one writer. Where that
    cannot be told it is `NO_SERIES`."""
    seq = rows["seq"].to_numpy()
    writers = rows["writer"].fill_null(0)
    found = np.zeros(seq.size, dtype=np.int64)
    begin = 0
    different = writers.unique().sort()
    for writer in different:
        alone = different.len() == 1
        own = slice(None) if alone else np.flatnonzero((writers == writer).to_numpy())
        readers = _readers(seq[own])
        if readers is None:
            found[own] = NO_SERIES
        else:
            found[own] = begin + readers
            begin += int(readers[-1]) + 1
    return pl.Series("series", found)


def _readers(seq: stats.Indices) -> stats.Indices | None:
    """Which of its readers recorded each sample of a writer. Their rows are one after the other: a
    new reader begins where numbers fall by more than half of their range, which samples that
    overtook each other hardly do. None where a reader would still have a number twice."""
    one = np.zeros(seq.size, dtype=np.int64)
    if (seq[1:] > seq[:-1]).all() or np.unique(seq).size == seq.size:
        return one
    one[1:] = np.cumsum(seq[:-1] - seq[1:] > (seq.max() - seq.min()) / 2)
    twice = pl.DataFrame({"reader": one, "seq": seq}).is_duplicated().any()
    return None if twice else one


def _neighbours(rows: pl.DataFrame, step: int) -> tuple[stats.Indices, stats.Indices]:
    """Indices of the earlier and the later of each two samples that follow each other."""
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
