"""What an older Busmark wrote, as this one has it."""

from __future__ import annotations

from typing import Any

import polars as pl

from busmark.store.columns import LOAD_UNITS

ONE_LOAD = ("load_asked", "load_achieved")
"""Columns of the table `cases` from when one background load ran at a time, of whichever kind."""


def older_columns(rows: list[dict[str, Any]]) -> dict[str, pl.DataType]:
    """Those which these rows have."""
    return {name: pl.Float64() for name in ONE_LOAD if any(name in row for row in rows)}


def loads_by_kind(frame: pl.DataFrame) -> pl.DataFrame:
    """The table `cases` with the levels of loads in the columns of their kinds."""
    found = [name for name in ONE_LOAD if name in frame.columns]
    levels = []
    for name in found:
        level = pl.col(name).cast(pl.Float64, strict=False)
        for kind in LOAD_UNITS:
            now = name.replace("load", f"load_{kind}")
            own = pl.col("load").str.strip_chars().str.to_lowercase().str.starts_with(kind)
            levels.append(pl.when(own).then(pl.coalesce(now, level)).otherwise(now).alias(now))
    return frame.with_columns(levels).drop(found) if found else frame
