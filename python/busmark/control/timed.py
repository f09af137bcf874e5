"""Streams at a rate, of which every reader times every sample: which samples have a row, and rows
of those that a reader did not receive."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from busmark.model.parameters import Parameters
from busmark.plan.flows import Flow, Flows
from busmark.plan.timeline import highest_rate_hz

ROWS = 1_000_000
"""Rows for these samples in a round, all readers together, unless `measure.max_samples` is more."""
PROBE = 2
"""Bit of `flags`."""

Integers = NDArray[np.int64]


def record_every(case: Flows, params: Parameters) -> int | None:
    """One in this many samples has a row at each of its readers: 1 as long as a round has room for
    all. None: the case has no stream at a rate."""
    due = sum(
        rows_due(flow, params) * len(flow.readers) for flow in case.flows if is_timed(flow, params)
    )
    return ceil(due / max(ROWS, params.max_samples)) or None


def is_timed(flow: Flow, params: Parameters) -> bool:
    """Whether its readers time every sample, given one clock."""
    measured = flow.own or (params.test == "throughput" and not flow.background)
    return measured and flow.kind == "stream" and flow.rate_hz > 0


def rows_due(flow: Flow, params: Parameters) -> float:
    """Samples that one reader should receive in a round."""
    each: float = highest_rate_hz(params, flow.rate_hz) * params.length_s
    if params.samples and not flow.background:
        each = min(each, params.samples)
    return each * len(flow.writers) * flow.admitted_share


def capacity(flow: Flow, params: Parameters, every: int) -> int:
    """Rows of one reader. Gaps at random, and the choice of one in several, may give more than
    expected: not by six standard deviations."""
    due = rows_due(flow, params)
    rows = sum(
        share * due + 6 * (share * due) ** 0.5
        for share in (1 / every, 1 / flow.probe_every if flow.probe_every else 0)
    )
    return int(rows * 1.01) + 100


def with_lost(
    raws: Mapping[int, pl.DataFrame], case: Flows, run: Sequence[Mapping[str, Any]], every: int
) -> dict[int, pl.DataFrame]:
    """Rows by reader, one for each sample that was to be recorded: what `raws` have, and for a
    sample that was lost a row without times of reception. It has the times of sending that another
    reader has of it; if none has, the intended one lies between its neighbours'."""
    found: dict[int, pl.DataFrame] = {}
    reports = {report["writer"]: report for report in run}
    for flow in case.flows:
        own = {end.number: raws[end.number] for end in flow.readers if end.number in raws}
        if not own:
            continue
        read = {number: _recorded(raw, every) for number, raw in own.items()}
        due = {
            end.number: _due(flow, end.number, reports[end.number]["sent"], every)
            for end in flow.writers
            if end.number in reports
        }
        total = sum(numbers.size for numbers in due.values())
        if any(rows.height < total for rows in read.values()):
            sent = _sent(pl.concat(read.values()), due, reports)
            read = {number: _completed(rows, sent) for number, rows in read.items()}
        found |= read
    return found


def _recorded(raw: pl.DataFrame, every: int) -> pl.DataFrame:
    """Without probes that have a row for being probes alone."""
    if every > 1:
        writer, seq = (raw[name].to_numpy() for name in ("writer", "seq"))
        raw = raw.filter(pl.Series(is_recorded(writer, seq, every), dtype=pl.Boolean))
    return raw.with_columns(pl.col("flags") & ~PROBE)


def _due(flow: Flow, writer: int, sent: int, every: int) -> Integers:
    """Numbers of a writer's samples that each reader should have a row of."""
    seq = np.arange(sent, dtype=np.int64)
    below, instances = flow.filter_below, flow.instances
    if below and below < instances:
        seq = seq[seq % instances < below]
    return seq[is_recorded(writer, seq, every)]


def is_recorded(writer: int | Integers, seq: Integers, every: int) -> NDArray[np.bool_]:
    """Which samples are among the one in `every`: what the worker computes
    (`busmark_measure::is_recorded`), the output function of SplitMix64."""
    z = (np.asarray(writer, dtype=np.uint64) << np.uint64(40)) ^ seq.astype(np.uint64)
    z = z * np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    found: NDArray[np.bool_] = (z ^ (z >> np.uint64(31))) % np.uint64(every) == 0
    return found


def _sent(
    read: pl.DataFrame, due: Mapping[int, Integers], reports: Mapping[int, Mapping[str, Any]]
) -> pl.DataFrame:
    """When each sample was sent, as far as a reader knows it, and when it should have been."""
    times = ("intended_ns", "sent_ns")
    known = read.unique(["writer", "seq"]).select("writer", "seq", *times)
    found = []
    for writer, numbers in due.items():
        own = known.filter(pl.col("writer") == writer).sort("seq")
        begin, end, sent = (reports[writer][name] for name in ("begin_ns", "end_ns", "sent"))
        ends = [0, max(sent - 1, 0)], [begin, end]
        # Relative to the begin, for the sake of precision.
        at = np.concatenate((ends[0], own["seq"].to_numpy()))
        when = np.concatenate((ends[1], own["intended_ns"].to_numpy())) - begin
        order = np.argsort(at, kind="stable")
        between = begin + np.interp(numbers, at[order], when[order]).astype(np.int64)
        rows = pl.DataFrame({"writer": writer, "seq": numbers, "between": between})
        rows = rows.with_columns(pl.col("writer", "seq", "between").cast(pl.Int64))
        rows = rows.join(own, on=["writer", "seq"], how="left", maintain_order="left")
        found.append(rows.with_columns(pl.coalesce("intended_ns", "between").alias("intended_ns")))
    return pl.concat(found).drop("between")


def _completed(rows: pl.DataFrame, sent: pl.DataFrame) -> pl.DataFrame:
    """With rows of what was sent and is not among them."""
    lost = sent.join(rows, on=["writer", "seq"], how="anti")
    return pl.concat([rows, lost.with_columns(flags=pl.lit(0, dtype=pl.Int64))], how="diagonal")
