"""Times of discovery: endpoints that are made again and again, and the endpoints of a stream."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from busmark.model.case import Curve
from busmark.model.entry import RowKey
from busmark.model.figure import Figure, mean_over_rounds, over_rounds
from busmark.model.figures import Found
from busmark.model.quantities import discovery as quantities
from busmark.model.quantities import parts
from busmark.stats import POSITIVE, SIGNED

TIMES: dict[str, RowKey] = {
    "creation": quantities.CREATION_TIME,
    "attach": quantities.ATTACH,
    "own_match": quantities.OWN_MATCH,
    "peer_match": quantities.PEER_MATCH,
    "first_sample": quantities.FIRST_SAMPLE,
    "own_match_after": quantities.OWN_MATCH_AFTER,
    "peer_match_after": quantities.PEER_MATCH_AFTER,
    "first_sample_after": quantities.FIRST_SAMPLE_AFTER,
}
"""Quantities by the column of the table `cases`, without its unit."""


def discovery(rows: Sequence[Mapping[str, Any]]) -> Found:
    """Yield the times of discovery of the rounds that count; none where they record none. They are
    of a typical round: the median over rounds of the median over a round's repetitions. They begin
    with the first call that creates something, or with the return of the last: what is below 0 came
    before that."""
    known = [row for row in rows if row.get("repetitions") is not None]
    if not known:
        return
    repetitions = sum(row["repetitions"] for row in known)
    undiscovered = sum(row.get("undiscovered") or 0 for row in known)
    heard = repetitions - undiscovered
    for name, quantity in TIMES.items():
        count = heard if name.startswith("first_sample") else repetitions
        values = [row.get(f"{name}_ns") for row in known]
        within = SIGNED if name.endswith("_after") else POSITIVE
        yield quantity, over_rounds(values, "ns", count, within=within)
    lost = [row.get("lost_before") for row in known]
    yield quantities.LOST_BEFORE, mean_over_rounds(lost, "", heard)
    yield quantities.REPETITIONS, repetitions
    yield quantities.UNDISCOVERED, undiscovered


POINTS = 200
"""Points of the series."""


class Meeting(NamedTuple):
    """How the endpoints of a stream found each other, in a typical round."""

    figures: Found
    curve: Curve
    """How many endpoints had found all of their own, over the time since the last was created."""


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

    figures = (
        (parts.MATCHED_ENDPOINTS, endpoints),
        (parts.MATCHED_UNKNOWN, whole.filter(~known).height),
        (parts.MATCHED_LIMITS, whole.filter(known & pl.col("matched_least_ns").is_null()).height),
        (parts.MATCHED_FIRST, figure(0)),
        (parts.MATCHED_HALF, figure((endpoints - 1) // 2)),
        (parts.MATCHED_LAST, figure(endpoints - 1)),
    )
    at_ns = [round(float(value)) for value in typical[shown]]
    found = [int(rank) + 1 for rank in shown]
    return Meeting(
        figures,
        Curve("matched_endpoints", "matches", at_ns, found, "ns", "", count=endpoints),
    )
