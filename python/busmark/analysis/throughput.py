"""Throughput of one case from the rows of its rounds, and latency under that load."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from busmark.analysis.clocks import aligned
from busmark.analysis.figures import FloatArray, distribution, over_rounds
from busmark.analysis.latency import measured
from busmark.analysis.model import Throughput
from busmark.analysis.series import CaseSeries, RateSeries, RoundValues, curve


@dataclass(slots=True)
class ProbeRound:
    """Latencies (ns) of the probes of one round, in order of recording."""

    number: int
    one_way: FloatArray
    """Empty between hosts whose clocks agree no better than it is long."""
    round_trip: FloatArray


def probe_round(number: int, samples: pl.DataFrame, *, one_clock: bool) -> ProbeRound:
    """Reduce the raw samples of a round."""
    by_one = aligned(samples, one_clock=one_clock)
    receiver = measured(by_one.samples, "receiver")
    known = by_one.bound_ns is not None
    one_way = _latency(receiver if known else receiver.clear())
    if by_one.bound_ns and one_way.size and float(np.median(one_way)) < by_one.bound_ns:
        one_way = one_way[:0]
    return ProbeRound(
        number,
        one_way=one_way,
        round_trip=_latency(measured(samples, "transmitter")),
    )


def _latency(rows: pl.DataFrame) -> FloatArray:
    # From the intended time: a writer that was held up is charged with the delay.
    start = pl.coalesce("intended_ns", "sent_ns")
    values = rows.select((pl.col("read_ns") - start).cast(pl.Float64)).to_series()
    result: FloatArray = values.drop_nulls().to_numpy()
    return result


def throughput(
    rows: Sequence[dict[str, Any]], probes: Sequence[ProbeRound], seed: int
) -> Throughput:
    """Estimates over the counted rounds; `rows` are their rows of the table `cases`."""
    received = _total(rows, "received")
    sent = _total(rows, "sent")

    def estimate(column: str, unit: str, count: int | None) -> Any:
        return over_rounds([row[column] for row in rows], unit, count or 0)

    shares = [
        row["lost"] / (row.get("expected") or row["sent"])
        for row in rows
        if row["sent"] and row["lost"] is not None
    ]
    loss = over_rounds(shares, "1", sent or 0)
    if loss is not None and loss.low is not None and loss.high is not None:
        limits = {"low": max(0.0, loss.low), "high": min(1.0, loss.high)}
        loss = loss.model_copy(update=limits)
    return Throughput(
        samples_per_s=estimate("samples_per_s", "1/s", received),
        mbit_per_s=estimate("mbit_per_s", "Mbit/s", received),
        written_per_s=estimate("written_per_s", "1/s", sent),
        sent=sent,
        received=received,
        lost=_total(rows, "lost"),
        loss_share=loss,
        duplicated=_total(rows, "duplicated"),
        out_of_order=_total(rows, "out_of_order"),
        foreign=_total(rows, "foreign"),
        corrupted=_total(rows, "corrupted"),
        probe_one_way=distribution([p.one_way for p in probes], "one_way", seed),
        probe_round_trip=distribution([p.round_trip for p in probes], "round_trip", seed),
    )


def _total(rows: Sequence[dict[str, Any]], column: str) -> int | None:
    known = [int(row[column]) for row in rows if row[column] is not None]
    return sum(known) if known else None


def series(
    rows: Sequence[dict[str, Any]], probes: Sequence[ProbeRound], rate: RateSeries | None
) -> CaseSeries:
    """Plots of the case."""
    rates = {row["round"]: row["mbit_per_s"] for row in rows if row["mbit_per_s"] is not None}
    return CaseSeries(
        curve=curve([p.one_way for p in probes], "one_way"),
        medians=RoundValues(rounds=list(rates), values=list(rates.values()), unit="Mbit/s")
        if rates
        else None,
        rate=rate,
    )
