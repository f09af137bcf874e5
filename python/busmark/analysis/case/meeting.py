"""How the endpoints of a case found each other over time."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl
from pydantic import Field

from busmark.analysis.figures import Figure, Frozen, over_rounds

POINTS = 200
"""Points of the series."""


class Meeting(Frozen):
    """Times of a typical round, from the moment when its last endpoint was there; below 0: before.
    An endpoint counts once it has matched all that there are to match for it."""

    endpoints: int
    """In one round, those whose time is known."""
    unknown: int
    """Those of all counted rounds that the adapter cannot count."""
    limits: int
    """Those of all counted rounds of which only an upper limit is known."""
    first: Figure | None
    """Until the first endpoint had found all of its own."""
    half: Figure | None
    last: Figure | None
    t_ns: list[float] = Field(description="When so many had: the median over rounds.")
    found: list[int]
    """How many; at most 200 of them are listed, the first and the last always."""


def meeting(tables: Sequence[pl.DataFrame]) -> Meeting | None:
    """From the table `matches` of each counted round; None where nothing is known.

    A round that knows the times of fewer endpoints than another does not count: its last is not the
    last of all.
    """
    known_each = [own["matched_ns"].drop_nulls().sort().to_numpy().astype(float) for own in tables]
    endpoints = max((own.size for own in known_each), default=0)
    if not endpoints:
        return None
    times = [own for own in known_each if own.size == endpoints]
    whole = pl.concat(tables)
    known = pl.col("matched_ns").is_not_null()
    typical = np.median(np.array(times), axis=0)
    # Ranks rise with their times in every round, and so do their medians.
    shown = np.unique(np.linspace(0, endpoints - 1, min(POINTS, endpoints)).round().astype(int))

    def figure(rank: int) -> Figure | None:
        values = [float(own[rank]) for own in times]
        return over_rounds(values, "ns", sum(own.size for own in times), signed=True)

    return Meeting(
        endpoints=endpoints,
        unknown=whole.filter(~known).height,
        limits=whole.filter(known & pl.col("matched_least_ns").is_null()).height,
        first=figure(0),
        half=figure((endpoints - 1) // 2),
        last=figure(endpoints - 1),
        t_ns=[round(float(value)) for value in typical[shown]],
        found=[int(rank) + 1 for rank in shown],
    )
