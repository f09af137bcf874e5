"""Parts of a stream: its batches, and its pairs of a writer and a reader."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

import polars as pl

from busmark import stats
from busmark.model.distribution import AMONG_LOST, POOL
from busmark.model.figure import over_rounds
from busmark.model.figures import Estimated, estimated
from busmark.model.latency import ONE_IN
from busmark.model.parameters import Parameters
from busmark.model.quantities import parts
from busmark.model.quantities.stream import (
    BATCH_TIME,
    BATCHES,
    SAMPLES_ACKNOWLEDGED,
    UNACKNOWLEDGED,
)
from busmark.model.stream import BATCH, PAIR, PAIRS

MOST = 100
"""Single batches that have rows; all are in the table `batches` of the result."""

NS = 1e9


def batches(
    params: Parameters, rows: Sequence[dict[str, Any]], tables: Sequence[pl.DataFrame]
) -> Iterator[Estimated]:
    """Yield the figures of the batches of the counted rounds; none if the stream runs free, and for
    results from before batches were recorded one by one."""
    if not params.batch or any(row.get("batches") is None for row in rows):
        return
    acknowledged = sum(row["batches"] for row in rows)
    unacknowledged = sum(row.get("batches_unacknowledged") or 0 for row in rows)
    answered = [n for row in rows if (n := row.get("batch_samples_acknowledged")) is not None]
    time = over_rounds([row.get("batch_ns") for row in rows], "ns", acknowledged)
    found = (
        (BATCHES, acknowledged + unacknowledged),
        (UNACKNOWLEDGED, unacknowledged),
        (SAMPLES_ACKNOWLEDGED, sum(answered) if len(answered) == len(rows) else None),
        (BATCH_TIME, time),
    )
    yield from estimated(found)
    known = [own for t in tables if (own := t["duration_ns"].drop_nulls()).len()]
    if known:
        lengths = pl.concat(known)
        like = Estimated(BATCH_TIME.name, "", None, "ns", over=POOL, count=lengths.len())
        yield replace(like, statistic="min", value=float(lengths.to_numpy().min()))
        yield replace(like, statistic="max", value=float(lengths.to_numpy().max()))


def single_batches(tables: Sequence[pl.DataFrame]) -> Iterator[Estimated]:
    """Yield the figures of the first batches as readers saw them."""
    rows = (row for table in tables for row in table.head(MOST).iter_rows(named=True))
    for row in islice(rows, MOST):
        took = row["duration_ns"]
        name = f"writer {row['writer']} reader {row['reader']} batch {row['number']}"
        own = (
            (BATCH_TIME.name, "value", took, "ns"),
            ("expected", "count", row["expected"], ""),
            ("received", "count", row["received"], ""),
            ("read_rate", "value", row["received"] / (took / NS) if took else None, "1/s"),
            ("acknowledged", "value", row["acknowledged"], ""),
        )
        for quantity, statistic, value, unit in own:
            if value is not None:
                yield Estimated(
                    quantity,
                    statistic,
                    float(value),
                    unit,
                    BATCH,
                    name,
                    round=row["round"],
                    rounds=1,
                )


PERCENTS = (99.0, 90.0)
"""The first that all pairs have the samples for ranks them, else the median does."""


def pairs(
    timed: Sequence[pl.DataFrame],
    flows: Sequence[pl.DataFrame],
    recorded_every: int,
    flow: str | None = None,
) -> Iterator[Estimated]:
    """Compare pairs of writer and reader over all counted rounds, by `writer`, `reader` and
    `latency_ns` of every sample, and by their tables `flows`: yield their number, the slowest pair,
    and the one that lost most; nothing for a single pair. `flow`: the scenario's own of which they
    are."""
    if not timed or not flows:
        return
    rows = pl.concat(timed)
    groups = rows.group_by("writer", "reader")
    counts = groups.agg(n=pl.len())
    if counts.height < 2:
        return
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
    scope = "flow" if flow else "case"
    whole = Estimated(PAIRS, "count", each.height, "", scope, flow, over=POOL)
    yield whole
    yield replace(whole, statistic=ONE_IN, value=recorded_every)
    found_middle = middle if isinstance(middle, float) and middle != float("inf") else None
    ranked_by = "median" if percent == 50.0 else f"p{percent:g}"
    lost = AMONG_LOST if found_middle is None else None
    yield replace(whole, statistic=ranked_by, value=found_middle, unit="ns", reason=lost)
    shown = [slow.row(-1, named=True), *([lossy.row(-1, named=True)] if lossy.height else [])]
    for row in shown[:1] if shown[0] == shown[-1] else shown:
        yield from _pair(row, ranked_by)


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


def _pair(row: Mapping[str, Any], ranked_by: str) -> Iterator[Estimated]:
    """Yield the figures of one pair: its statistic by which pairs are ranked, and its median."""
    name = f"{row['flow']}: {row['writer_name']} → {row['reader_name']}"
    one = Estimated("one_way", "median", None, "ns", PAIR, name, over=POOL)
    values = {"median": row["median_ns"], ranked_by: row["ranked_ns"]}
    for statistic, value in values.items():
        reason = AMONG_LOST if value is None else None
        yield replace(one, statistic=statistic, value=value, reason=reason)
    for quantity in (parts.EXPECTED, parts.LOST):
        yield replace(
            one, quantity=quantity.name, statistic="count", value=row[quantity.name], unit=""
        )
