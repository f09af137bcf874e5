"""What a newcomer of a discovery test recorded: the table `discoveries`, and figures of a round."""

from __future__ import annotations

from typing import Any

import polars as pl

from busmark.control.round import RoundData
from busmark.store import Case
from busmark.store.columns import polars_schema

TEST = "discovery"

FIGURES = (
    "creation_ns", "attach_ns", "own_match_ns", "peer_match_ns", "first_sample_ns",
)  # fmt: skip
"""Columns of `cases` that are the median of the column of that name in `discoveries`."""
LEAST = {"own_match_ns": "own_match_least_ns", "peer_match_ns": "peer_match_least_ns"}
"""Lower limits: without one a match was there at the first question, and its time is not known."""


def table(case: Case, number: int, data: RoundData) -> pl.DataFrame | None:
    """One row for each repetition; None where no discovery is measured."""
    if case.params.test != TEST:
        return None
    found = [role["discoveries"] for role in data.roles if role["discoveries"] is not None]
    schema = polars_schema("discoveries")
    if not found:
        return pl.DataFrame(schema=schema)
    raw: pl.DataFrame = found[0]
    begin = pl.col("begin_ns")
    own, none = data.one_clock, pl.lit(None, pl.Int64())
    new_writer = case.params.new == "writer"
    first_known, lost_known = own or not new_writer, own or new_writer
    whole = raw.with_row_index("repetition").select(
        pl.lit(case.id).alias("case"),
        pl.lit(number).alias("round"),
        pl.col("repetition"),
        (begin - begin.first()).alias("start_ns"),
        (pl.col("created_ns") - begin).alias("creation_ns"),
        (pl.col("attached_ns") - begin).alias("attach_ns"),
        (pl.col("own_at_ns") - begin).alias("own_match_ns"),
        (pl.col("own_after_ns") - begin).alias("own_match_least_ns"),
        ((pl.col("peer_at_ns") - begin) if own else none).alias("peer_match_ns"),
        ((pl.col("peer_after_ns") - begin) if own else none).alias("peer_match_least_ns"),
        ((pl.col("first_ns") - begin) if first_known else none).alias("first_sample_ns"),
        pl.col("first_ns").is_not_null().alias("received"),
        (pl.col("sent") if new_writer else none).alias("sent"),
        (pl.col("lost") if lost_known else none).alias("lost"),
        (pl.col("closed_ns") - begin).alias("duration_ns"),
    )
    return whole.select(pl.col(name).cast(kind) for name, kind in schema.items())


def figures(seen: pl.DataFrame) -> dict[str, Any]:
    """Columns of `cases` about the repetitions of a round."""
    known = {name: _median(_known(seen, name)) for name in FIGURES}
    after = {
        f"{name}_after_ns": _median(_known(seen, f"{name}_ns") - seen["creation_ns"])
        for name in ("own_match", "peer_match", "first_sample")
    }
    lost = seen["lost"].drop_nulls()
    return {
        "repetitions": seen.height,
        "undiscovered": int((~seen["received"]).sum()),
        **known,
        **after,
        "lost_before": None if lost.is_empty() else float(lost.to_numpy().mean()),
    }


def first_samples_ns(seen: pl.DataFrame) -> pl.Series:
    """When the first sample was received, of the repetitions in which one was: in their order."""
    return seen["first_sample_ns"].drop_nulls().cast(pl.Float64())


def _known(seen: pl.DataFrame, name: str) -> pl.Series:
    """A column, null where only an upper limit is known."""
    if name not in LEAST:
        return seen[name]
    return seen.select(pl.when(pl.col(LEAST[name]).is_not_null()).then(pl.col(name))).to_series()


def _median(values: pl.Series) -> float | None:
    known = values.drop_nulls()
    return None if known.is_empty() else float(known.cast(pl.Float64()).median())  # type: ignore[arg-type]
