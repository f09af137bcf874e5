"""Latencies of rounds as repeated documents state them, and Perftest's tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal

import numpy as np
import polars as pl

from busmark import stats
from busmark.errors import UserError
from busmark.estimate.latency import STAMPS, segments_of
from busmark.model.case import CaseSummary
from busmark.model.figure import FloatArray
from busmark.model.perftest import PERCENTS, Mode, PerftestTest, PublisherRow, SubscriberRow
from busmark.model.rounds import RoundLatency, RoundSummary, SegmentOfRound
from busmark.store import Result
from busmark.store.samples import latency_ns, measured


def halves(rounds: Sequence[int]) -> tuple[list[int], list[int]]:
    """Split the rounds of a case into the earlier and the later half; of an odd number the first
    has one more."""
    in_order = sorted(rounds)
    middle = (len(in_order) + 1) // 2
    return in_order[:middle], in_order[middle:]


def perftest(found: Sequence[tuple[CaseSummary, Mapping[int, FloatArray]]]) -> list[PerftestTest]:
    """Return the tests of all middleware, from half the round trips (ns) of each case's rounds."""
    tests: dict[tuple[str, Mode, Literal[1, 2]], list[tuple[CaseSummary, list[int]]]] = {}
    trips = {case.id: by_round for case, by_round in found}
    for case, by_round in found:
        mode: Mode = "throughput" if case.test == "throughput" else "latency"
        first, second = halves([*by_round])
        tests.setdefault((case.label, mode, 1), []).append((case, first))
        tests.setdefault((case.label, mode, 2), []).append((case, second))
    return [
        _test(label, mode, campaign, sorted(each, key=lambda entry: entry[0].size or 0), trips)
        for (label, mode, campaign), each in tests.items()
        if any(rounds for _, rounds in each)
    ]


def _test(
    label: str,
    mode: Mode,
    campaign: Literal[1, 2],
    cases: Sequence[tuple[CaseSummary, list[int]]],
    trips: Mapping[str, Mapping[int, FloatArray]],
) -> PerftestTest:
    pooled = [
        (case, np.concatenate([trips[case.id][number] for number in rounds]))
        for case, rounds in cases
        if rounds
    ]
    return PerftestTest(
        label=label,
        mode=mode,
        campaign=campaign,
        rounds=max(len(rounds) for _, rounds in cases),
        publisher=[_publisher(case, values) for case, values in pooled if values.size],
        subscriber=[_subscriber(case, rounds) for case, rounds in cases if rounds],
    )


def _publisher(case: CaseSummary, half: FloatArray) -> PublisherRow:
    return PublisherRow(
        case=case.id,
        length=case.size or 0,
        count=int(half.size),
        ave_ns=float(half.mean()),
        std_ns=float(half.std(ddof=1)) if half.size > 1 else None,
        min_ns=float(half.min()),
        max_ns=float(half.max()),
        percentiles_ns=[*stats.percentiles(half, PERCENTS).values()],
    )


def _subscriber(case: CaseSummary, rounds: Sequence[int]) -> SubscriberRow:
    counted = [a for a in case.attempts if a.status == "ok" and a.round in rounds]
    rates = [rate for a in counted if (rate := arrivals_per_s(a)) is not None]
    rate = sum(rates) / len(rates) if rates else None
    expected = sum(a.expected or 0 for a in counted)
    known = [a.lost for a in counted if a.lost is not None]
    lost = sum(known) if known else None
    return SubscriberRow(
        case=case.id,
        length=case.size or 0,
        samples=sum(a.received or 0 for a in counted),
        samples_per_s=rate,
        mbit_per_s=None if rate is None else rate * (case.size or 0) * 8e-6,
        lost=lost,
        loss=lost / expected if lost is not None and expected else None,
    )


def arrivals_per_s(attempt: RoundSummary) -> float | None:
    """Return the samples that arrived per second in one round: the read rate where it was counted,
    else the samples received over the time; None if neither is known."""
    if attempt.samples_per_s is not None:
        return attempt.samples_per_s
    if attempt.received is None or not attempt.measured_s:
        return None
    return attempt.received / attempt.measured_s


PERFTEST = "perftest-2023"
"""The document whose tables are Perftest's."""

OF_SEGMENTS = ("pother-2008",)
"""Documents with statements on parts of a ping's way."""

OF_ROUNDS = (PERFTEST, "openddsbench-2010", "secured-2023", *OF_SEGMENTS)
"""Documents with statements on more of a round's latency than its median."""

ASKING = {"latency": "pinger", "throughput": "transmitter"}
"""Roles whose rows hold round trips, by test."""

COLUMNS = ("role", "flags", "seq", "intended_ns", "sent_ns", "echo_read_ns", "read_ns")

STAMPED = tuple(
    dict.fromkeys([*COLUMNS, "writer", *(name for segment in STAMPS for name in segment[2:])])
)
"""The columns of which segments are made, too."""


def repeated(
    result: Result, cases: list[CaseSummary], document: str | None
) -> tuple[list[CaseSummary], list[PerftestTest]]:
    """Return the cases with their rounds' latency, and Perftest's tables where `document` has them.

    What cannot be read is left out: the analysis has listed it.
    """
    if document not in OF_ROUNDS:
        return cases, []
    clocks = {
        (row["case"], row["round"]): row["one_clock"] is not False
        for row in result.cases.iter_rows(named=True)
    }
    done, found = [], []
    for case in cases:
        latencies: dict[int, RoundLatency] = {}
        trips: dict[int, FloatArray] = {}
        for number, latency, half in _rounds(
            result, case, clocks, segments=document in OF_SEGMENTS
        ):
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
    segments: bool,
) -> Iterator[tuple[int, RoundLatency | None, FloatArray]]:
    """Yield the counted rounds of a case: number, figures, and half the round trips (ns)."""
    if case.test not in ASKING:
        return
    of_segments = segments and case.test == "latency"
    for number in result.rounds(case.id):
        try:
            samples = result.samples(case.id, number, STAMPED if of_segments else COLUMNS)
        except UserError:
            continue
        rows = round_trips(samples, case.test)
        one_way = case.test == "latency" and one_clock[case.id, number]
        latency = round_latency(rows, one_way=one_way)
        if of_segments and latency is not None:
            latency = latency.model_copy(update={"segments": _segments(rows, one_clock=one_way)})
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
    """Return rows that came back, after warm-up, with half the round trip in `half` (ns): from the
    intended time, so that a sender that was held up is charged with the delay."""
    rows = measured(samples, ASKING[test]).filter(pl.col("read_ns").is_not_null())
    return rows.with_columns((latency_ns(rows).cast(pl.Float64) / 2).alias("half"))


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


def _segments(rows: pl.DataFrame, *, one_clock: bool) -> dict[str, SegmentOfRound]:
    """Describe each segment of the way, of all pings that came back."""
    found = {}
    for name, times in segments_of(rows, 1, one_clock=one_clock).items():
        whole = stats.describe(times.astype(np.float64))
        found[name] = SegmentOfRound(
            count=whole.count, mean_ns=whole.mean, std_ns=whole.std, max_ns=whole.maximum
        )
    return found


def _there(rows: pl.DataFrame) -> Mapping[str, Any]:
    way = rows.select((pl.col("echo_read_ns") - pl.col("sent_ns")).cast(pl.Float64)).to_series()
    known = way.drop_nulls().to_numpy()
    if not known.size:
        return {}
    whole = stats.describe(known)
    return {"there_mean_ns": whole.mean, "there_std_ns": whole.std, "there_max_ns": whole.maximum}
