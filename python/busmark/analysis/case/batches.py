"""Batches of a case: how many, whether they were acknowledged, and how long each took."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import polars as pl

from busmark.analysis.figures import Figure, Frozen, over_rounds
from busmark.model.parameters import Parameters

MOST = 500
"""Single batches in the analysed campaign; all are in the table `batches` of the result."""

NS = 1e9


class Batch(Frozen):
    """One batch as one reader saw it."""

    round: int
    writer: int
    reader: int
    number: int
    duration_ns: int | None
    """From its start to its end; null where the end was lost and nothing else tells."""
    expected: int
    received: int
    samples_per_s: float | None
    acknowledged: bool | None


class Batches(Frozen):
    """Batches of a stream. `expected` and `received` count its samples."""

    samples: int
    """Samples in each batch."""
    acknowledged_samples: bool
    """Whether single samples were acknowledged too."""
    count: int
    """Batches that were written."""
    unacknowledged: int
    """Batches whose end some reader did not acknowledge."""
    samples_acknowledged: int | None
    """Samples that every reader acknowledged; null if none is to be acknowledged."""
    time: Figure | None
    """Time of a batch at a reader, from its start to its end, ns: the mean of each round."""
    shortest_ns: int | None
    longest_ns: int | None
    single: list[Batch]
    """The first ones; null figures where that round's table cannot be read."""


def batches(
    params: Parameters, rows: Sequence[dict[str, Any]], tables: Sequence[pl.DataFrame]
) -> Batches | None:
    """Batches of the counted rounds; None if the stream runs free, and for results from before
    batches were recorded one by one."""
    size = params.batch
    if not isinstance(size, int) or not size or any(row.get("batches") is None for row in rows):
        return None
    acknowledged = sum(row["batches"] for row in rows)
    unacknowledged = sum(row.get("batches_unacknowledged") or 0 for row in rows)
    answered = [n for row in rows if (n := row.get("batch_samples_acknowledged")) is not None]
    lengths = [t["duration_ns"].drop_nulls() for t in tables]
    lengths = [own for own in lengths if own.len()]
    return Batches(
        samples=size,
        acknowledged_samples=params.batch_ack == "each",
        count=acknowledged + unacknowledged,
        unacknowledged=unacknowledged,
        samples_acknowledged=sum(answered) if len(answered) == len(rows) else None,
        time=over_rounds([row.get("batch_ns") for row in rows], "ns", acknowledged),
        shortest_ns=min((int(own.to_numpy().min()) for own in lengths), default=None),
        longest_ns=max((int(own.to_numpy().max()) for own in lengths), default=None),
        single=_single(tables),
    )


def _single(tables: Sequence[pl.DataFrame]) -> list[Batch]:
    found: list[Batch] = []
    for table in tables:
        for row in table.head(MOST - len(found)).iter_rows(named=True):
            took = row["duration_ns"]
            rate = row["received"] / (took / NS) if took else None
            known = {name: row[name] for name in Batch.model_fields if name in row}
            found.append(Batch(**known, samples_per_s=rate))
    return found
