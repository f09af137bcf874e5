"""Which samples of a round are late, and which are not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from busmark.store.columns import WARM_UP

QUANTILE = 0.99
"""Latencies above this quantile of the round are late."""
FACTOR = 3.0
"""So are those above this many medians: where many are late, the quantile is among them."""
MOST_EXAMINED = 500
"""Late samples of a round that are looked at, the latest first."""
ORDINARY = 100
"""Samples that are not late and are looked at beside them, spread over the round."""
PATIENCE_NS = 1_000_000_000
"""How long after its sending packets of a lost sample are looked for."""
ASKING = ("pinger", "transmitter")
"""Who records round trips."""
COLUMNS = (
    "role", "participant", "writer", "reader", "seq", "intended_ns", "sent_ns", "written_ns",
    "echo_delivered_ns", "echo_read_ns", "echo_sent_ns", "delivered_ns", "read_ns", "flags",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Sample:
    """One sample with its stamps, ns by CLOCK_MONOTONIC."""

    round: int
    round_trip: bool
    participant: str
    writer: int
    reader: int | None
    seq: int
    intended_ns: int
    sent_ns: int
    written_ns: int | None
    echo_delivered_ns: int | None
    echo_read_ns: int | None
    echo_sent_ns: int | None
    delivered_ns: int | None
    read_ns: int | None
    excess_ns: int | None
    """What a cause has to explain: of a late sample its latency less the round's median, of an
    ordinary one its latency; None for a lost sample."""

    @property
    def latency_ns(self) -> int | None:
        """From the intended time to the reading; None for a lost sample."""
        return None if self.read_ns is None else self.read_ns - self.intended_ns


@dataclass(frozen=True, slots=True)
class Chosen:
    """The samples of a round that are looked at."""

    samples: int
    """All that were measured."""
    lost: int
    late: int
    """Late ones, without the lost."""
    median_ns: int | None
    limit_ns: int | None
    """Greatest latency that is not late."""
    examined: Sequence[Sample]
    """Lost and late ones: the lost first, then the latest."""
    ordinary: Sequence[Sample]


def choose(
    round_number: int, table: pl.DataFrame, *, one_clock: bool = True, echoed: bool = True
) -> Chosen:
    """Late and other samples of a round: round trips where there are such, else one-way times.
    `echoed`: whether something answers; a writer does not know then what was read."""
    measured = _measured(table, one_clock, echoed)
    known = measured.drop_nulls("latency")
    latencies = known["latency"].to_numpy()
    median = limit = None
    late = known.clear()
    if len(latencies):
        median = int(np.median(latencies))
        limit = int(min(np.quantile(latencies, QUANTILE), FACTOR * median))
        late = known.filter(pl.col("latency") > limit).sort("latency", descending=True)
    lost = measured.filter(pl.col("latency").is_null())
    rest = known if limit is None else known.filter(pl.col("latency") <= limit)
    step = max(1, rest.height // ORDINARY)
    # Both kinds have a share of the room, so that neither hides the other.
    room = MOST_EXAMINED if not late.height else MOST_EXAMINED // 2
    picked = pl.concat([lost.head(room), late.head(MOST_EXAMINED - min(room, lost.height))])
    return Chosen(
        measured.height, lost.height, late.height, median, limit,
        [_sample(round_number, row, median) for row in picked.iter_rows(named=True)],
        [_sample(round_number, row, 0)
         for row in rest.gather_every(step).head(ORDINARY).iter_rows(named=True)],
    )  # fmt: skip


def _measured(table: pl.DataFrame, one_clock: bool, echoed: bool) -> pl.DataFrame:
    own = table.select(COLUMNS).filter(
        (pl.col("flags").fill_null(0) & WARM_UP == 0)
        & pl.col("sent_ns").is_not_null() & pl.col("writer").is_not_null()
        & pl.col("seq").is_not_null()
    )  # fmt: skip
    round_trips = own.filter(pl.col("role").is_in(ASKING))
    if not echoed:
        read = own.filter(pl.col("role") == "receiver")
        lost = round_trips.join(read, on=("writer", "seq"), how="anti")
        own = pl.concat([read if one_clock else read.clear(), lost]).with_columns(
            role=pl.lit("receiver")
        )
    elif round_trips.height or not one_clock:
        own = round_trips
    else:
        own = own.filter(pl.col("role") == "receiver")
    start = pl.coalesce("intended_ns", "sent_ns")
    echoes = [c for c in COLUMNS if c.startswith("echo_")]
    if not one_clock:
        own = own.with_columns(pl.lit(None, pl.Int64).alias(c) for c in echoes)
    return own.with_columns(
        start.alias("intended_ns"), (pl.col("read_ns") - start).alias("latency")
    )


def _sample(number: int, row: dict[str, object], median: int | None) -> Sample:
    latency = row.pop("latency")
    row.pop("flags")
    excess = None if latency is None or median is None else int(str(latency)) - median
    role = row.pop("role")
    return Sample(round=number, round_trip=role in ASKING, excess_ns=excess, **row)  # type: ignore[arg-type]
