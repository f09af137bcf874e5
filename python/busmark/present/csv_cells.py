"""Text in CSV files that no spreadsheet takes for a formula.

Names and reasons may come from elsewhere: from an imported file, from a node, from what an adapter
says. A spreadsheet runs a cell that begins with one of these signs, so an apostrophe is put before
it (OWASP, "CSV Injection"). Text that is a number as a whole is not changed.
"""

from __future__ import annotations

import re
from typing import TypeVar

import polars as pl

Frame = TypeVar("Frame", pl.DataFrame, pl.LazyFrame)

GUARD = "'"
BEGIN = r"\A[=+\-@\t\r\n]"
NUMBER = r"\A[+-]?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?\z"


def guarded(text: str) -> str:
    """One cell."""
    number = re.fullmatch(NUMBER.removesuffix(r"\z"), text)
    return GUARD + text if re.match(BEGIN, text) and not number else text


def guarded_frame(frame: Frame) -> Frame:
    """All text of a frame, and the names of its columns."""
    text = pl.col(pl.String)
    risky = text.str.contains(BEGIN) & ~text.str.contains(NUMBER)
    safe = frame.with_columns(pl.when(risky).then(pl.lit(GUARD) + text).otherwise(text).name.keep())
    names = safe.collect_schema().names()
    return safe.rename({name: guarded(name) for name in names})
