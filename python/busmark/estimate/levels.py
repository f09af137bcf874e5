"""Throughput of streams by level: what was to be read and was, by each reader, participant and
node, and by all together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import polars as pl

from busmark.model.figure import Figure, over_rounds
from busmark.model.figures import Estimated, estimated
from busmark.model.quantities import parts

ENOUGH = 0.98
"""Share of what was to be read that a reader, participant or node keeps up with at least."""

MEMBERS = {
    "reader": "reader",
    "participant": "reader_participant",
    "node": "node",
    "system": "flow_of",
}
"""Column of the rows by which the members of a level are distinguished."""


def levels(
    flows: Sequence[pl.DataFrame],
    participants: Sequence[pl.DataFrame],
    size: int,
    background: Sequence[str] = (),
) -> list[Estimated]:
    """Return figures of the levels from the reader to the whole, with nodes where there are any.
    Rates are the mean of a level's members; a writer of which a reader got too few samples for a
    rate counts with their share of the writer's own.

    Args:
        flows: the table `flows` of each counted round.
        participants: the table `participants` of the same.
        size: bytes of a body on the average.
        background: flows that are not what the case measures.
    """
    if not flows:
        return []
    rows = pl.concat(flows).filter(~pl.col("flow").is_in(background))
    rows = rows.drop_nulls("reader")
    if rows.is_empty():
        return []
    nodes: dict[str, str | None] = {}
    for table in participants:
        nodes |= dict(table.select("participant", "node").iter_rows())
    rows = rows.with_columns(
        node=pl.col("reader_participant").replace_strict(
            nodes, default=None, return_dtype=pl.String
        ),
        flow_of=pl.lit("all"),
        read_per_s=pl.coalesce(
            "read_per_s",
            pl.when(pl.col("sent") > 0).then(
                pl.col("written_per_s") * pl.col("received") / pl.col("sent")
            ),
        ),
    ).with_columns(
        # Sizes may vary: what was read has the mean of what came.
        read_bytes_per_s=pl.when(pl.col("received") > 0)
        .then(pl.col("read_per_s") * pl.col("bytes") / pl.col("received"))
        .otherwise(pl.col("read_per_s") * size),
        theoretical_bytes_per_s=pl.col("theoretical_per_s") * size,
    )
    scopes = [scope for scope in MEMBERS if scope != "node" or any(nodes.values())]
    return [row for scope in scopes for row in _level(scope, rows)]


RATES = ("theoretical_per_s", "read_per_s", "theoretical_bytes_per_s", "read_bytes_per_s")

COUNTS = ("expected", "received", "lost")


def _level(scope: str, rows: pl.DataFrame) -> Iterator[Estimated]:
    key = MEMBERS[scope]
    members = (
        rows.group_by("round", key)
        .agg(
            *(_whole(name) for name in RATES),
            pl.col("writer").n_unique().alias("writers"),
            pl.col("flow").first().alias("of_flow"),
            pl.col("node").first().alias("on"),
            pl.col("reader_participant").first().alias("of"),
        )
        .sort("round", key)
    )
    each = members.group_by("round").agg(*(_mean(name) for name in RATES)).sort("round")
    known = members.drop_nulls(["theoretical_per_s", "read_per_s"]).with_columns(
        share=pl.col("read_per_s") / pl.col("theoretical_per_s")
    )
    asked = each["theoretical_per_s"].null_count() == 0
    share = each["read_per_s"] / each["theoretical_per_s"]
    counts = {name: int(rows[name].sum()) for name in COUNTS}
    received = counts["received"]
    found = (
        (parts.MEMBERS, members[key].n_unique()),
        (parts.WRITERS, int(members["writers"].max())),  # type: ignore[arg-type]
        (parts.THEORETICAL_RATE, _alike(each, "theoretical_per_s")),
        (parts.READ_RATE, _figure(each["read_per_s"], "1/s", received)),
        (parts.THEORETICAL_BYTES, _alike(each, "theoretical_bytes_per_s")),
        (parts.READ_BYTES, _figure(each["read_bytes_per_s"], "B/s", received)),
        (parts.READ_SHARE, _figure(share, "1", received) if asked else None),
        (parts.SHORT, known.filter(pl.col("share") < ENOUGH)[key].n_unique() if asked else None),
        (parts.EXPECTED, counts["expected"]),
        (parts.RECEIVED, received),
        (parts.LOST, counts["lost"]),
    )
    yield from estimated(found, "level", scope)
    if asked and known.height:
        row = known.sort("share", "round", key).row(0, named=True)
        name = str(row[key])
        if scope == "reader":
            name = f"reader {name} of {row['of_flow']} in {row['of']}"
        node = row["on"] if scope != "system" else None
        which = f"{scope}: {name}"
        least = [(parts.LEAST_SHARE, row["share"])]
        yield from estimated(least, "level", which, node, round=row["round"])


def _whole(name: str) -> pl.Expr:
    """Sum the column; the sum is null where a part is."""
    return pl.when(pl.col(name).null_count() == 0).then(pl.col(name).sum()).alias(name)


def _mean(name: str) -> pl.Expr:
    return pl.when(pl.col(name).null_count() == 0).then(pl.col(name).mean()).alias(name)


def _alike(each: pl.DataFrame, name: str) -> float | None:
    """Return what is asked for, which is the same in all rounds."""
    value = each[name].max()
    return None if each[name].null_count() else float(value)  # type: ignore[arg-type]


def _figure(values: pl.Series, unit: str, count: int) -> Figure | None:
    return over_rounds(values.to_list(), unit, count)
