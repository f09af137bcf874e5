"""Figures for campaigns that repeat a document: of single rounds, and in its own columns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import polars as pl

from busmark import stats
from busmark.analysis.across.perftest import PerftestTest
from busmark.analysis.across.perftest_tests import perftest
from busmark.analysis.case.latency import measured
from busmark.analysis.case.legs import STAMPS, legs_of
from busmark.analysis.case.round_latency import LegOfRound, RoundLatency
from busmark.analysis.figures import FloatArray
from busmark.analysis.model import CaseSummary
from busmark.errors import UserError
from busmark.store import Result

PERFTEST = "perftest-2023"
"""The document whose tables are Perftest's."""

OF_LEGS = ("pother-2008",)
"""Documents with statements on parts of a ping's way."""

OF_ROUNDS = (PERFTEST, "openddsbench-2010", "secured-2023", *OF_LEGS)
"""Documents with statements on more of a round's latency than its median."""

ASKING = {"latency": "pinger", "throughput": "transmitter"}
"""Whose rows hold round trips, by test."""

COLUMNS = ("role", "flags", "seq", "intended_ns", "sent_ns", "echo_read_ns", "read_ns")

STAMPED = tuple(dict.fromkeys([*COLUMNS, "writer", *(name for leg in STAMPS for name in leg[2:])]))
"""The columns of which legs are made, too."""


def repeated(
    result: Result, cases: list[CaseSummary], document: str | None
) -> tuple[list[CaseSummary], list[PerftestTest]]:
    """The cases with the latency of their rounds, and Perftest's tables where that is the document.

    What cannot be read is left out: the analysis has listed it.
    """
    if document not in OF_ROUNDS:
        return cases, []
    clocks = {(row["case"], row["round"]): row["one_clock"] is not False
              for row in result.cases.iter_rows(named=True)}  # fmt: skip
    done, found = [], []
    for case in cases:
        latencies: dict[int, RoundLatency] = {}
        trips: dict[int, FloatArray] = {}
        for number, latency, half in _rounds(result, case, clocks, legs=document in OF_LEGS):
            trips[number] = half
            if latency is not None:
                latencies[number] = latency
        done.append(_with_latency(case, latencies))
        if document == PERFTEST and trips:
            found.append((done[-1], trips))
    return done, perftest(found)


def _rounds(
    result: Result,
    case: CaseSummary,
    one_clock: Mapping[tuple[str, int], bool],
    *,
    legs: bool,
) -> Iterator[tuple[int, RoundLatency | None, FloatArray]]:
    """The counted rounds of a case: number, figures, and half the round trips (ns)."""
    if case.test not in ASKING:
        return
    of_legs = legs and case.test == "latency"
    for number in result.rounds(case.id):
        try:
            samples = result.samples(case.id, number, STAMPED if of_legs else COLUMNS)
        except UserError:
            continue
        rows = round_trips(samples, case.test)
        one_way = case.test == "latency" and one_clock[case.id, number]
        latency = round_latency(rows, one_way=one_way)
        if of_legs and latency is not None:
            latency = latency.model_copy(update={"legs": _legs(rows, one_clock=one_way)})
        yield number, latency, rows["half"].to_numpy()


def _with_latency(case: CaseSummary, latencies: dict[int, RoundLatency]) -> CaseSummary:
    attempts = [
        attempt.model_copy(update={"latency": latencies[attempt.round]})
        if attempt.status == "ok" and attempt.round in latencies
        else attempt
        for attempt in case.attempts
    ]
    return case.model_copy(update={"attempts": attempts})


def round_trips(samples: pl.DataFrame, test: str) -> pl.DataFrame:
    """Rows that came back, after warm-up, with half the round trip in `half` (ns): from the
    intended time, so that a sender that was held up is charged with the delay."""
    start = pl.coalesce("intended_ns", "sent_ns")
    rows = measured(samples, ASKING[test]).filter(pl.col("read_ns").is_not_null())
    return rows.with_columns(((pl.col("read_ns") - start).cast(pl.Float64) / 2).alias("half"))


def round_latency(rows: pl.DataFrame, *, one_way: bool) -> RoundLatency | None:
    """Reduce the round trips of a round; None where there are none. `one_way`: pings whose stamps
    are by one clock."""
    if rows.is_empty():
        return None
    half = rows["half"].to_numpy()
    whole = stats.describe(half)
    edges = stats.percentiles(half, (2.0, 98.0))
    return RoundLatency(
        count=whole.count,
        mean_ns=whole.mean,
        std_ns=whole.std,
        min_ns=whole.minimum,
        max_ns=whole.maximum,
        p2_ns=edges[2.0],
        median_ns=whole.median,
        p98_ns=edges[98.0],
        **_jitter(half, rows["seq"].to_numpy()),
        **(_there(rows) if one_way else {}),
    )


def _jitter(half: FloatArray, seq: FloatArray) -> Mapping[str, Any]:
    variation = stats.ipdv(half, seq)
    if not variation.size:
        return {}
    edges = stats.percentiles(variation, (2.0, 98.0))
    mean = float(np.abs(variation).mean())
    return {"jitter_ns": mean, "jitter_p2_ns": edges[2.0], "jitter_p98_ns": edges[98.0]}


def _legs(rows: pl.DataFrame, *, one_clock: bool) -> dict[str, LegOfRound]:
    """Each part of the way, of all pings that came back."""
    found = {}
    for name, times in legs_of(rows, 1, one_clock=one_clock).items():
        whole = stats.describe(times.astype(np.float64))
        found[name] = LegOfRound(
            count=whole.count, mean_ns=whole.mean, std_ns=whole.std, max_ns=whole.maximum
        )
    return found


def _there(rows: pl.DataFrame) -> Mapping[str, Any]:
    way = rows.select((pl.col("echo_read_ns") - pl.col("sent_ns")).cast(pl.Float64)).to_series()
    known = way.drop_nulls().to_numpy()
    if not known.size:
        return {}
    whole = stats.describe(known)
    return {
        "there_mean_ns": whole.mean, "there_std_ns": whole.std, "there_max_ns": whole.maximum,
    }  # fmt: skip
