"""Numbers in CSV files, with the digits that say something.

Times are whole nanoseconds, which is what clocks count; below a microsecond four digits. All other
numbers except counts have nine significant digits: more than any was measured to, and enough to
keep a ratio of two of them the same. Counts are written in full.
"""

from __future__ import annotations

import re

import polars as pl

DIGITS = 9
FEW_DIGITS, FEW_NS = 4, 1000
"""Digits of times below this many nanoseconds: half a round trip of the floor is a few dozen."""

TIME = re.compile(r"(^|_)ns(_low|_high)?$")
"""Names of columns of nanoseconds."""

OF_ANY_UNIT = ("value", "low", "high")
"""Columns whose unit is in the column `unit`."""


def with_few_digits(frame: pl.DataFrame) -> pl.DataFrame:
    """The frame with every number that is no count as text."""
    floats = [name for name, kind in frame.schema.items() if kind.is_float()]
    mixed = set(OF_ANY_UNIT) if "unit" in frame.columns else set()
    return frame.with_columns(_shown(name, mixed=name in mixed) for name in floats)


def _shown(name: str, *, mixed: bool) -> pl.Expr:
    value = pl.col(name)
    other, time = value.round_sig_figs(DIGITS), _whole(value)
    is_time = pl.col("unit") == "ns" if mixed else pl.lit(TIME.search(name) is not None)
    chosen = pl.when(is_time).then(time).otherwise(other)
    return chosen.cast(pl.String).str.strip_suffix(".0").alias(name)


def _whole(value: pl.Expr) -> pl.Expr:
    few = value.round_sig_figs(FEW_DIGITS)
    return pl.when(value.abs() < FEW_NS).then(few).otherwise(value.round(0))
