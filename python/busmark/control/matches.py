"""When each endpoint of a round had matched its counterparts: the table `matches`."""

from __future__ import annotations

import polars as pl

from busmark.control.round import RoundData
from busmark.store import Case
from busmark.store.columns import polars_schema

FEWEST = 3
"""Endpoints for which there is a table: of one writer and one reader `cases` has the time."""


def table(case: Case, number: int, data: RoundData) -> pl.DataFrame | None:
    """One row for each endpoint, in the order of time; None where there are few or none is counted,
    where participants have different clocks, and but for streams."""
    rows = [
        {
            "participant": name, "topic": one["topic"],
            "endpoint": "writer" if one["writes"] else "reader",
            "counterparts": one["counterparts"],
            "matched_ns": _since(one["matched_ns"], data.ready_ns),
            "matched_least_ns": _since(one["after_ns"], data.ready_ns),
        }
        for name, found in data.matched.items()
        for one in found["endpoints"]
    ]  # fmt: skip
    if case.params.test != "throughput" or not data.one_clock or len(rows) < FEWEST:
        return None
    if all(row["matched_ns"] is None for row in rows):
        return None
    schema = polars_schema("matches")
    whole = [{"case": case.id, "round": number, **row} for row in rows]
    return pl.DataFrame(whole, schema=schema).sort("matched_ns", nulls_last=True)


def _since(at_ns: int | None, ready_ns: int) -> int | None:
    return None if at_ns is None else at_ns - ready_ns
