"""When the write of each pong returned: what pongers recorded, in the rows of the pings."""

from __future__ import annotations

import polars as pl

KEYS = ("writer", "seq", "echo_sent_ns")
"""Keys of a ping's row: who pinged, which ping, and T1 of the pong that completed it. With several
pongers the last has its own T1, and a ping that came twice has two."""

NAME = "echo_written_ns"


def with_echo_source(pings: pl.DataFrame, pongs: list[pl.DataFrame]) -> pl.DataFrame:
    """Rows of a pinger with T2 of their pongs; `pongs` are rows of pongers, whose `writer` is the
    writer of the ping they answer."""
    if not pongs:
        return pings
    told = pl.concat(
        [each.select("writer", "seq", echo_sent_ns="sent_ns", **{NAME: "written_ns"})
         for each in pongs]
    )  # fmt: skip
    once = told.unique(KEYS, keep="first")
    return pings.drop(NAME, strict=False).join(once, on=KEYS, how="left", maintain_order="left")
