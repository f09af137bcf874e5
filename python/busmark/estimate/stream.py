"""Parts of a stream: its batches, and its pairs of a writer and a reader."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import polars as pl

from busmark import stats
from busmark.model.figure import over_rounds
from busmark.model.parameters import Parameters
from busmark.model.stream import Batch, Batches, EndpointPair, Pairs

MOST = 500
"""Single batches in the analysed campaign; all are in the table `batches` of the result."""

NS = 1e9


def batches(
    params: Parameters, rows: Sequence[dict[str, Any]], tables: Sequence[pl.DataFrame]
) -> Batches | None:
    """Return the batches of the counted rounds; None if the stream runs free, and for results from
    before batches were recorded one by one."""
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


PERCENTS = (99.0, 90.0)
"""The first that all pairs have the samples for ranks them, else the median does."""


def pairs(
    timed: Sequence[pl.DataFrame], flows: Sequence[pl.DataFrame], recorded_every: int
) -> Pairs | None:
    """Compare pairs of writer and reader over all counted rounds, by `writer`, `reader` and
    `latency_ns` of every sample, and by their tables `flows`. Return None for a single pair."""
    if not timed or not flows:
        return None
    rows = pl.concat(timed)
    groups = rows.group_by("writer", "reader")
    counts = groups.agg(n=pl.len())
    if counts.height < 2:
        return None
    fewest = int(counts["n"].min())  # type: ignore[arg-type]
    percent = next((p for p in PERCENTS if stats.supported(p, fewest)), 50.0)
    # A lost sample is later than any; half way between two samples neither may be lost.
    sent = pl.col("latency_ns").sort(nulls_last=True)
    median = (sent.get((pl.len() - 1) // 2) + sent.get(pl.len() // 2)) / 2
    ranked = sent.get(((pl.len() * percent / 100).ceil() - 1).cast(pl.Int64))
    found = groups.agg(
        median_ns=median, ranked_ns=(median if percent == 50.0 else ranked).cast(pl.Float64)
    )
    each = _counts(flows).join(found, on=["writer", "reader"], maintain_order="left", how="inner")
    share = pl.col("lost") / pl.col("expected")
    slow = each.sort(pl.col("ranked_ns").is_null(), pl.col("ranked_ns"), share, maintain_order=True)
    lossy = each.filter(pl.col("lost") > 0).sort(share, maintain_order=True)
    middle = each["ranked_ns"].fill_null(float("inf")).median()
    return Pairs(
        count=each.height,
        recorded_every=recorded_every,
        percent=percent,
        median_ns=middle if isinstance(middle, float) and middle != float("inf") else None,
        slowest=_pair(slow.row(-1, named=True)),
        most_lost=_pair(lossy.row(-1, named=True)) if lossy.height else None,
    )


def _counts(flows: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """Return each pair with its names, and the samples that it lost in all rounds."""
    rows = pl.concat(flows).filter(pl.col("timed").is_not_null())
    names = [
        _named(rows, *of) for of in (("writer", "participant"), ("reader", "reader_participant"))
    ]
    keys = ("flow", "writer", "reader")
    each = rows.group_by(keys, maintain_order=True).agg(pl.col("expected", "lost").sum())
    for table, key in zip(names, keys[1:], strict=True):
        each = each.join(table, on=key, how="left", maintain_order="left")
    return each


def _named(rows: pl.DataFrame, end: str, participant: str) -> pl.DataFrame:
    """Name each writer, or reader, by its participant; number it if that has several in a flow."""
    ends = rows.unique(["flow", end], maintain_order=True).select("flow", end, participant)
    of = ["flow", participant]
    number = pl.int_range(1, pl.len() + 1).over(of).cast(pl.String)
    name = pl.col(participant) + pl.when(pl.len().over(of) > 1).then(
        pl.format(f", {end} {{}}", number)
    ).otherwise(pl.lit(""))
    return ends.select(end, name.alias(f"{end}_name"))


def _pair(row: dict[str, Any]) -> EndpointPair:
    return EndpointPair(
        flow=row["flow"],
        writer=row["writer_name"],
        reader=row["reader_name"],
        expected=row["expected"],
        lost=row["lost"],
        median_ns=row["median_ns"],
        ranked_ns=row["ranked_ns"],
    )
