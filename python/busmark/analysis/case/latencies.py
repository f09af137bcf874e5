"""Single latencies of one case in order of time, as the figures rest on them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from busmark.analysis.case.latency import ping_round
from busmark.analysis.case.throughput import probe_round
from busmark.analysis.case.variation import Timed
from busmark.analysis.figures import FloatArray, Quantity
from busmark.analysis.read.rounds import Row

DEFAULTS: dict[str, Quantity] = {"latency": "half_round_trip", "throughput": "one_way"}
"""What reports show of a test; of any other test round trips."""

OF_PINGS: tuple[Quantity, ...] = ("half_round_trip", "round_trip")
OF_PROBES: tuple[Quantity, ...] = ("one_way", "round_trip", "half_round_trip")


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which latencies: of which test, what quantity, with or without those that were lost."""

    test: str
    quantity: Quantity
    lost: bool = False


def quantities(test: str) -> tuple[Quantity, ...]:
    """What can be asked for of a case of this test."""
    return OF_PINGS if test == "latency" else OF_PROBES


def latencies(row: Row, samples: pl.DataFrame, wanted: Wanted) -> pl.DataFrame:
    """`round`, `t_s` and `latency_ns` of the round of this row of `cases`, in order of time,
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
    """What came back, and when that was to be sent which did not, as far as that is known."""
    number, one_clock = row["round"], row["one_clock"] is not False
    if wanted.test == "latency":
        pings = ping_round(number, samples, one_clock=one_clock)
        return pings.back, pings.lost_start
    probes = probe_round(number, samples, one_clock=one_clock, row=row)
    found, gone = probes.round_trip, probes.unanswered
    if wanted.quantity == "one_way":
        found, gone = probes.one_way, probes.lost
    return found, np.empty(0) if gone is None else gone
