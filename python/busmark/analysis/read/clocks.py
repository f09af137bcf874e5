"""Stamps of two hosts by one clock, as far as exchanges between them tell."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from busmark.stats import clock_offset
from busmark.store.columns import ASKING, EXCHANGE

ANSWERING = ("echo_delivered_ns", "echo_read_ns", "echo_sent_ns", "echo_written_ns")
"""Stamps of the other host in rows of pings and of probes."""

RECEIVING = ("delivered_ns", "read_ns")
"""Stamps of the other host in rows of a receiver."""


@dataclass(frozen=True, slots=True)
class Aligned:
    """Samples of a round whose stamps may be compared."""

    samples: pl.DataFrame
    bound_ns: float | None
    """How far a difference of stamps of two hosts may be off; 0: one clock. None: not known."""


def aligned(samples: pl.DataFrame, *, one_clock: bool) -> Aligned:
    """The samples of a round with all stamps by the clock of the publisher's host."""
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
    return Aligned(shifted, found.bound)
