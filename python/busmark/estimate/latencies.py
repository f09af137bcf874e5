"""Single latencies of a case, one round in memory at a time."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass

import numpy as np
import polars as pl

from busmark.errors import UserError
from busmark.estimate import rounds
from busmark.estimate.latency import ping_round
from busmark.estimate.rounds import Row
from busmark.estimate.samples import Timed
from busmark.estimate.throughput import probe_round
from busmark.model.case import CaseSummary
from busmark.model.entry import EXCHANGES, SERVICES
from busmark.model.figure import FloatArray, Quantity
from busmark.store import Result

COLUMNS = (
    "role",
    "flags",
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
    "round_trip_ns",
)


@dataclass(frozen=True, slots=True)
class RoundSamples:
    """Samples of one counted round that came back, in order of intended sending; same lengths."""

    round: int
    t_s: FloatArray
    """Time since the first sample; NaN where an imported source states no times."""
    latency_ns: FloatArray
    """RTT/2 of a latency test, response time of a service, one-way latency under load."""
    jitter_ns: FloatArray
    """Change of the latency from the sample before, of the same writer; NaN where that was lost,
    and where samples of several readers cannot be distinguished."""


def round_samples(result: Result, case: CaseSummary) -> Iterator[RoundSamples]:
    """Yield the samples of the rounds that count, as the case's figures have them. A round without
    samples, or whose file cannot be read, is left out: `Campaign.problems` reports the latter."""
    rows = rounds.rows_of(result.cases.filter(pl.col("case") == case.id)).get(case.id, [])
    for row in rounds.last_attempts(rows):
        if row["status"] != "ok":
            continue
        with suppress(UserError):
            table = result.samples(case.id, row["round"], COLUMNS)
            found = _round(case, row, table)
            if found:
                yield found


def _round(case: CaseSummary, row: rounds.Row, table: pl.DataFrame) -> RoundSamples | None:
    number, one_clock = row["round"], row["one_clock"] is not False
    if case.test == "throughput":
        timed, factor = probe_round(number, table, one_clock=one_clock, row=row).one_way, 1.0
    else:
        timed = ping_round(number, table, one_clock=one_clock).back
        factor = 1.0 if case.test in SERVICES else 0.5
    if not timed.latency.size:
        return None
    jitter = np.full(timed.latency.size, np.nan)
    jitter[timed.later] = timed.jitter * factor
    return RoundSamples(
        round=number,
        t_s=(timed.start - timed.start[0]) / 1e9,
        latency_ns=timed.latency * factor,
        jitter_ns=jitter,
    )


OF_PINGS: tuple[Quantity, ...] = ("half_round_trip", "round_trip")

OF_PROBES: tuple[Quantity, ...] = ("one_way", "round_trip", "half_round_trip")


@dataclass(frozen=True, slots=True)
class Wanted:
    """The latencies that are asked for: of a test and a quantity, with or without samples that were
    lost."""

    test: str
    quantity: Quantity
    lost: bool = False


def quantities(test: str) -> tuple[Quantity, ...]:
    """Return what can be asked for of a case of this test."""
    if test in SERVICES:
        return ("response_time",)
    return OF_PINGS if test == "latency" else OF_PROBES


def latencies(row: Row, samples: pl.DataFrame, wanted: Wanted) -> pl.DataFrame:
    """Return `round`, `t_s` and `latency_ns` of the round of this row of `cases`, in order of time,
    without warm-up.

    `t_s` is null if an imported source gives no times; the order is the order of sending.
    """
    number = row["round"]
    found, lost = _found(row, samples, wanted)
    factor = 0.5 if wanted.quantity == "half_round_trip" else 1.0
    rows = pl.DataFrame({"start": found.start, "latency_ns": found.latency * factor})
    begin = min((float(each.min()) for each in (found.start, lost) if each.size), default=0.0)
    if wanted.lost:
        gone = pl.DataFrame({"start": lost}, schema={"start": pl.Float64})
        rows = pl.concat([rows, gone], how="diagonal").sort("start", maintain_order=True)
    return rows.select(
        pl.lit(number, dtype=pl.Int64).alias("round"),
        ((pl.col("start").fill_nan(None) - begin) / 1e9).alias("t_s"),
        "latency_ns",
    )


def _found(row: Row, samples: pl.DataFrame, wanted: Wanted) -> tuple[Timed, FloatArray]:
    """Return what came back, and when that was to be sent which did not, as far as that is
    known."""
    number, one_clock = row["round"], row["one_clock"] is not False
    if wanted.test in EXCHANGES:
        pings = ping_round(number, samples, one_clock=one_clock)
        return pings.back, pings.lost_start
    probes = probe_round(number, samples, one_clock=one_clock, row=row)
    found, gone = probes.round_trip, probes.unanswered
    if wanted.quantity == "one_way":
        found, gone = probes.one_way, probes.lost
    return found, np.empty(0) if gone is None else gone
