"""When samples were confirmed: by ACKNACK of RTPS and DDS-XRCE, and by TCP."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl

from busmark.wire.flows import reverse_flows

ROW = "row"


def confirmed(
    rows: pl.DataFrame, answers: pl.DataFrame, summary: Mapping[str, Any]
) -> pl.DataFrame:
    """The rows of samples with `confirmed_ns` and `acknowledged_ns`; `answers` are rows with an
    ACKNACK, or with what TCP acknowledges.

    Where RTPS has several readers, the confirmation of the last one counts.
    """
    back = pl.DataFrame(
        list(reverse_flows(summary["flows"]).items()),
        schema={"flow": rows.schema["flow"], "back": rows.schema["flow"]}, orient="row",
    )  # fmt: skip
    numbered = rows.with_row_index(ROW).join(back, on="flow", how="left", maintain_order="left")
    by_number = numbered.with_columns(wanted=pl.col("last_seq") + 1)
    kinds = {
        (number // 256, kind): int(number)
        for number, kind in ((int(text), kind) for text, kind in summary["kinds"].items())
    }
    rtps, xrce = kinds.get((0, "ACKNACK")), kinds.get((1, "ACKNACK"))
    ends = by_number.filter(pl.col("stream_end").is_not_null()).with_columns(wanted="stream_end")
    found = {
        "confirmed_ns": pl.concat([
            _by_readers(by_number, answers.filter(pl.col("kind") == rtps)),
            _first(
                by_number.with_columns(flow="back"),
                answers.filter(pl.col("kind") == xrce).with_columns(reached="first_seq"),
                ("flow", "stream"),
            ),
        ]),
        "acknowledged_ns": _first(
            ends.with_columns(flow="back"), answers.with_columns(reached="acked"), ("flow",)
        ),
    }  # fmt: skip
    for name, times in found.items():
        last = times.group_by(ROW).agg(pl.col("confirmed").max().alias(name))
        numbered = numbered.join(last, on=ROW, how="left", maintain_order="left")
    return numbered.drop(ROW, "back")


def _by_readers(samples: pl.DataFrame, answers: pl.DataFrame) -> pl.DataFrame:
    """By each reader; what an ACKNACK is for is the writer's prefix and number."""
    own = answers.drop_nulls("destination").with_columns(
        reached="first_seq", from_reader=pl.struct("source", "reader").rank("dense"),
    ).with_columns(source="destination")  # fmt: skip
    of_rtps = samples.filter(pl.col("source").is_not_null())
    each = [
        _first(of_rtps, group, ("source", "writer")) for _, group in own.group_by("from_reader")
    ]
    return pl.concat(each) if each else _first(of_rtps.clear(), own.clear(), ("source", "writer"))


def _first(samples: pl.DataFrame, answers: pl.DataFrame, by: tuple[str, ...]) -> pl.DataFrame:
    """For each sample the first answer after it that has reached what the sample wants."""
    steps = (
        answers.drop_nulls([*by, "reached"])
        .sort("time_ns")
        .with_columns(pl.col("reached").cast(pl.Int64).cum_max().over(by))
        .unique([*by, "reached"], keep="first", maintain_order=True)
        .sort("reached")
        .select(*by, "reached", confirmed="time_ns")
    )
    wanting = (
        samples.drop_nulls([*by, "wanted"])
        .with_columns(pl.col("wanted").cast(pl.Int64))
        .sort("wanted")
        .select(ROW, *by, "wanted", sent_ns=pl.coalesce("begun_ns", "time_ns"))
    )
    joined = wanting.join_asof(
        steps, left_on="wanted", right_on="reached", by=list(by), strategy="forward",
        check_sortedness=False,
    )  # fmt: skip
    # What was confirmed before it was sent belongs to a clock that was set, or to another session.
    return joined.filter(pl.col("confirmed") >= pl.col("sent_ns")).select(ROW, "confirmed")
