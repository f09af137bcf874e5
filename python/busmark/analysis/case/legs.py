"""The parts of a ping's way and back, each with its figures of the best samples."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil

import numpy as np
import polars as pl
from numpy.typing import NDArray

from busmark import stats
from busmark.analysis.figures import Best, Frozen, best_parts

Times = NDArray[np.int64]
"""ns"""

MOST_PINGS = 1_000_000
"""Most pings of a case from which its tables are made: beyond that, every n-th. A deviation is then
known to a thousandth of itself or better."""

STAMPS = (
    ("send source", "T1→T2 at the pinger: the call of write", "written_ns", "sent_ns"),
    ("send", "T2→T3: from write's return to the announcement at the ponger",
     "echo_delivered_ns", "written_ns"),
    ("send arrival", "T3→T4 at the ponger: from the announcement to its hands",
     "echo_read_ns", "echo_delivered_ns"),
    ("turn-round", "T4→T1 at the ponger: from its hands to just before the pong's write",
     "echo_sent_ns", "echo_read_ns"),
    ("echo source", "T1→T2 of the pong at the ponger: the call of write",
     "echo_written_ns", "echo_sent_ns"),
    ("echo", "T1→T3 of the pong: from just before its write to the announcement at the pinger; "
     "the echo source, T1→T2, is not recorded and is contained in it",
     "delivered_ns", "echo_sent_ns"),
    ("echo arrival", "T3→T4 at the pinger: from the announcement to its hands",
     "read_ns", "delivered_ns"),
    ("trip", "T1→T4: from just before the ping's write to the pong in the pinger's hands",
     "read_ns", "sent_ns"),
)  # fmt: skip
"""Name, meaning, later and earlier stamp."""

ECHO, ECHO_SOURCE = "echo", "echo source"
"""The latter is recorded where `measure.echo_source` asks for it; the former then begins at its
end, as send does at the pinger."""

ECHO_ALONE = "T2→T3: from the return of the pong's write to the announcement at the pinger"

INTER_ARRIVAL = "inter-arrival"

MEANINGS = {name: meaning for name, meaning, *_ in STAMPS} | {
    INTER_ARRIVAL: "T4→T4 at the pinger: from a pong in its hands to the next"
}
"""By name, in the order of the tables."""

BETWEEN_HOSTS = ("send", "echo")
"""Those whose stamps are by the clocks of both sides."""


class LegTable(Frozen):
    """A part of a ping's way; negative where the later stamp was taken first."""

    name: str
    meaning: str
    every: int
    """One in this many pings is included; 1: all that came back."""
    best: list[Best]
    """The smallest 100, 99.9, 99 and 90 % of all rounds together."""


def every_for(pings: int) -> int:
    """One in how many pings tables are made of."""
    return max(1, ceil(pings / MOST_PINGS))


def legs_of(back: pl.DataFrame, every: int, *, one_clock: bool) -> dict[str, Times]:
    """Times of each leg in a round (ns), for which there are stamps by one clock.

    Args:
        back: rows of the pings that came back, in time order.
        every: one in this many is taken.
    """
    kept = back.gather_every(every) if every > 1 else back
    found = {
        name: differences(kept[late], kept[early])
        for name, _, late, early in STAMPS
        if (one_clock or name not in BETWEEN_HOSTS)
        and {late, early} <= {*kept.columns}
        and kept[late].null_count() < kept.height
    }
    if ECHO_SOURCE in found and ECHO in found:
        found[ECHO] = differences(kept["delivered_ns"], kept["echo_written_ns"])
    found[INTER_ARRIVAL] = _inter_arrival(back)[::every]
    return {name: times for name, times in found.items() if times.size}


def differences(late: pl.Series, early: pl.Series) -> Times:
    """Where both are known."""
    if late.null_count() or early.null_count():
        known: Times = (late - early).drop_nulls().to_numpy()
    else:
        known = late.to_numpy() - early.to_numpy()
    return known


def _inter_arrival(back: pl.DataFrame) -> Times:
    """Between consecutive pongs of each pinger. A lost one makes one long time of two."""
    writers = back["writer"]
    alone = writers.min() == writers.max() and writers.null_count() in (0, writers.len())
    gaps = []
    for own in [back] if alone else back.partition_by("writer"):
        gap = np.diff(own["read_ns"].to_numpy())
        # Pongs of pings that were under way together may have changed places.
        if gap.size and gap.min() < 0:
            gap = np.diff(np.sort(own["read_ns"].to_numpy()))
        gaps.append(gap)
    return np.concatenate(gaps)


def leg_tables(rounds: Sequence[dict[str, Times]], every: int) -> list[LegTable]:
    """Tables over all rounds together; legs without stamps have none."""
    tables = []
    alone = any(ECHO_SOURCE in legs for legs in rounds)
    meanings = MEANINGS | ({ECHO: ECHO_ALONE} if alone else {})
    for name, meaning in meanings.items():
        # Where some rounds have the echo source, what contains it in the others is another leg.
        needed = {name, ECHO_SOURCE} if alone and name == ECHO else {name}
        times = [legs[name] for legs in rounds if needed <= legs.keys()]
        if times:
            parts = best_parts(
                stats.best(np.concatenate(times, dtype=np.float64, casting="unsafe"))
            )
            tables.append(LegTable(name=name, meaning=meaning, every=every, best=parts))
    return tables
