"""Times of discovery: endpoints that are made again and again, and the endpoints of a stream."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl

from busmark.model.discovery import Discovery, Meeting
from busmark.model.figure import Figure, mean_over_rounds, over_rounds
from busmark.model.parameters import Parameters
from busmark.stats import POSITIVE, SIGNED

TIMES = (
    "creation",
    "attach",
    "own_match",
    "peer_match",
    "first_sample",
    "own_match_after",
    "peer_match_after",
    "first_sample_after",
)


def discovery(params: Parameters, rows: Sequence[Mapping[str, Any]]) -> Discovery | None:
    """Estimate the times of discovery from the rounds that count; None where they record none."""
    known = [row for row in rows if row.get("repetitions") is not None]
    if not known:
        return None
    repetitions = sum(row["repetitions"] for row in known)
    undiscovered = sum(row.get("undiscovered") or 0 for row in known)

    def time(name: str) -> Figure | None:
        heard = name.startswith("first_sample")
        count = repetitions - undiscovered if heard else repetitions
        values = [row.get(f"{name}_ns") for row in known]
        return over_rounds(
            values, "ns", count, within=SIGNED if name.endswith("_after") else POSITIVE
        )

    return Discovery(
        new=str(params.new),
        creates=str(params.creates),
        existing=int(params.existing or 0),
        repetitions=repetitions,
        undiscovered=undiscovered,
        lost_before=mean_over_rounds(
            [row.get("lost_before") for row in known], "", repetitions - undiscovered
        ),
        **{name: time(name) for name in TIMES},
    )


POINTS = 200
"""Points of the series."""


def meeting(tables: Sequence[pl.DataFrame]) -> Meeting | None:
    """Estimate times of matching from `matches` of each counted round; None where none is known.

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
        return over_rounds(values, "ns", sum(own.size for own in times), within=SIGNED)

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
