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
    """Signed: the latency of a sample minus that of the one before it of the same writer. Pairs
    across a lost sample are left out."""
    jitter_start: FloatArray
    """Intended sending of the later of each two."""
    later: stats.Indices
    """Which sample that is, counted in `latency`."""
    negative: int
    """Rows left out because they were read before they were sent."""


def in_time_order(rows: pl.DataFrame) -> pl.DataFrame:
    """`rows` by intended sending, in a column `start`. Those of several writers were recorded one
    after the other; statistics of a series need them as they happened."""
    rows = rows.with_columns(pl.coalesce("intended_ns", "sent_ns").alias("start"))
    rows = rows.drop_nulls("start")
    return rows if rows["start"].is_sorted() else rows.sort("start", maintain_order=True)


def unstamped(rows: pl.DataFrame) -> Timed:
    """Of rows of a pinger whose source tells a round trip, and neither begin nor end; in the order
    in which they were sent."""
    rows = rows.drop_nulls("round_trip_ns").sort("seq", maintain_order=True)
    latency = rows["round_trip_ns"].to_numpy().astype(np.float64)
    first, second = _neighbours(rows)
    return Timed(
        start=np.full(latency.size, np.nan),
        latency=latency,
        jitter=latency[second] - latency[first],
        jitter_start=np.full(second.size, np.nan),
        later=second,
        negative=0,
    )


def timed(rows: pl.DataFrame, *, signed: bool = False) -> Timed:
    """Of `rows` in time order. Unless `signed`, for stamps of two clocks, a negative latency is no
    latency: its row is left out and counted."""
    rows = rows.drop_nulls("read_ns")
    start = rows["start"].to_numpy().astype(np.float64)
    latency = (rows["read_ns"] - rows["start"]).to_numpy().astype(np.float64)
    negative = 0
    if not signed and latency.size and latency.min() < 0.0:
        negative = int((latency < 0.0).sum())
        kept = latency >= 0.0
        rows, start, latency = rows.filter(pl.Series(kept)), start[kept], latency[kept]
    first, second = _neighbours(rows)
    return Timed(
        start=start,
        latency=latency,
        jitter=latency[second] - latency[first],
        jitter_start=start[second],
        later=second,
        negative=negative,
    )


def _neighbours(rows: pl.DataFrame) -> tuple[stats.Indices, stats.Indices]:
    """Indices of the earlier and the later of each two samples that follow each other."""
    seq = rows["seq"].to_numpy()
    writers = rows["writer"].fill_null(0).to_numpy()
    if not seq.size or (writers == writers[0]).all():
        return stats.consecutive(seq, _step(seq))
    pairs = []
    for writer in np.unique(writers):
        own = np.flatnonzero(writers == writer)
        first, second = stats.consecutive(seq[own], _step(seq[own]))
        pairs.append((own[first], own[second]))
    first, second = (np.concatenate(side) for side in zip(*pairs, strict=True))
    order = np.argsort(second, kind="stable")
    return first[order], second[order]


def _step(seq: stats.Indices) -> int:
    """From one sample of the series to the next: more than 1 where one in so many is a probe."""
    gaps = np.diff(seq)
    gaps = gaps[gaps > 0]
    return int(gaps.min()) if gaps.size else 1
