"""All samples of a case in time order, one round in memory at a time."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass

import numpy as np
import polars as pl

from busmark.analysis.case.latency import ping_round
from busmark.analysis.case.throughput import probe_round
from busmark.analysis.figures import FloatArray
from busmark.analysis.model import CaseSummary
from busmark.analysis.read import rounds
from busmark.errors import UserError
from busmark.store import Result

COLUMNS = (
    "role", "flags", "writer", "reader", "seq", "intended_ns", "sent_ns", "written_ns",
    "echo_delivered_ns", "echo_read_ns", "echo_sent_ns", "delivered_ns", "read_ns", "round_trip_ns",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class RoundSamples:
    """Samples of one counted round that came back, in order of intended sending; same lengths."""

    round: int
    t_s: FloatArray
    """From the first of them; NaN where an imported source tells no times."""
    latency_ns: FloatArray
    """RTT/2 of a latency test, one-way latency under load."""
    jitter_ns: FloatArray
    """Its change from the sample before, of the same writer; NaN where that was lost, and where
    samples of several readers cannot be told apart."""


def round_samples(result: Result, case: CaseSummary) -> Iterator[RoundSamples]:
    """Samples of the rounds that count, as the case's figures have them. A round without samples,
    or whose file cannot be read, is left out: `Campaign.problems` reports the latter."""
    rows = rounds.rows_of(result.cases.filter(pl.col("case") == case.id)).get(case.id, [])
    for row in rounds.last_attempts(rows):
        if row["status"] != "ok":
            continue
        with suppress(UserError):
            table = result.samples(case.id, row["round"], COLUMNS)
            found = _round(case, row, table)
            if found:
                yield found


def _round(case: CaseSummary, row: rounds.Row, table: pl.DataFrame) -> RoundSamples | None:
    number, one_clock = row["round"], row["one_clock"] is not False
    if case.test == "throughput":
        timed, factor = probe_round(number, table, one_clock=one_clock, row=row).one_way, 1.0
    else:
        timed, factor = ping_round(number, table, one_clock=one_clock).back, 0.5
    if not timed.latency.size:
        return None
    jitter = np.full(timed.latency.size, np.nan)
    jitter[timed.later] = timed.jitter * factor
    return RoundSamples(
        round=number,
        t_s=(timed.start - timed.start[0]) / 1e9,
        latency_ns=timed.latency * factor,
        jitter_ns=jitter,
    )
