"""Single latencies of one case in order of time, as the figures rest on them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from busmark.analysis.clocks import Aligned, aligned
from busmark.analysis.figures import Quantity
from busmark.analysis.latency import measured

DEFAULTS: dict[str, Quantity] = {"latency": "half_round_trip", "throughput": "one_way"}
"""What reports show of a test; of any other test round trips."""

OF_PINGS: tuple[Quantity, ...] = ("half_round_trip", "round_trip")
OF_PROBES: tuple[Quantity, ...] = ("one_way", "round_trip", "half_round_trip")

COLUMNS = ("role", "flags", "intended_ns", "sent_ns", "read_ns", "delivered_ns",
           "echo_delivered_ns", "echo_read_ns", "echo_sent_ns")  # fmt: skip
"""Of the table `samples`, those that latencies are made of."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which latencies: of which test, what quantity, with or without those that were lost."""

    test: str
    quantity: Quantity
    lost: bool = False

    @property
    def role(self) -> str:
        """Who recorded them."""
        if self.test == "latency":
            return "pinger"
        return "receiver" if self.quantity == "one_way" else "transmitter"


def quantities(test: str) -> tuple[Quantity, ...]:
    """What can be asked for of a case of this test."""
    return OF_PINGS if test == "latency" else OF_PROBES


def latencies(samples: pl.DataFrame, wanted: Wanted, *, one_clock: bool) -> pl.DataFrame:
    """`t_s` and `latency_ns` of one round, in order of time, without warm-up.

    One-way latencies between hosts are by aligned clocks; they are absent where the bound on the
    clocks' offset is greater than their median.
    """
    by_one = aligned(samples, one_clock=one_clock)
    rows = measured(by_one.samples if wanted.quantity == "one_way" else samples, wanted.role)
    start = pl.coalesce("intended_ns", "sent_ns")
    rows = rows.select(
        start.alias("start"), (pl.col("read_ns") - start).cast(pl.Float64).alias("latency_ns")
    ).drop_nulls("start")
    if wanted.quantity == "one_way" and not _known(by_one, rows["latency_ns"]):
        rows = rows.clear()
    if wanted.quantity == "half_round_trip":
        rows = rows.with_columns(pl.col("latency_ns") / 2)
    rows = rows.sort("start", maintain_order=True)
    rows = rows.select(((pl.col("start") - pl.col("start").min()) / 1e9).alias("t_s"), "latency_ns")
    return rows if wanted.lost else rows.drop_nulls("latency_ns")


def _known(by_one: Aligned, one_way: pl.Series) -> bool:
    """Whether the clocks agree better than it is long."""
    if by_one.bound_ns is None:
        return False
    values = one_way.drop_nulls().to_numpy()
    return not (by_one.bound_ns and values.size and float(np.median(values)) < by_one.bound_ns)
