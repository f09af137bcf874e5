"""Samples of a round, as all take them from the raw table.

The warm-up is left out. A latency begins when the sample was to be sent, so that a sender that was
held up is charged with the delay (coordinated omission).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from busmark.store.columns import WARM_UP

if TYPE_CHECKING:
    import numpy as np
    import polars as pl
    from numpy.typing import NDArray


def measured(samples: pl.DataFrame, *roles: str) -> pl.DataFrame:
    """Return the samples of these roles, of all roles if none is named, without the warm-up."""
    flags = samples["flags"]
    # Filling makes a plan, which costs as much as reading a column.
    flags = flags.fill_null(0) if flags.null_count() else flags
    kept = flags & WARM_UP == 0
    if len(roles) == 1:
        kept &= samples["role"] == roles[0]
    elif roles:
        kept &= samples["role"].is_in(roles)
    return samples if kept.all(ignore_nulls=False) else samples.filter(kept)


def start_ns(rows: pl.DataFrame) -> pl.Series:
    """Return when each sample was to be sent, ns; of a source without intended times, when it was
    sent."""
    intended = rows["intended_ns"]
    if not intended.null_count():
        return intended
    return intended.zip_with(intended.is_not_null(), rows["sent_ns"])


def latency_ns(rows: pl.DataFrame) -> pl.Series:
    """Return the latency of each sample, ns: null where it was lost."""
    return rows["read_ns"] - start_ns(rows)


def latencies(rows: pl.DataFrame) -> NDArray[np.float64]:
    """Return the latencies of the samples that came back, ns, in order of their intended sending:
    rows of several writers come one after the other."""
    known = rows.select(start=start_ns(rows), latency=latency_ns(rows)).drop_nulls("latency")
    ordered = known.sort("start", maintain_order=True)["latency"]
    return ordered.to_numpy().astype("float64")
