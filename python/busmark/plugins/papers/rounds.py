"""What the documents need of single rounds: the part of a case's record that this plug-in makes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl
from pydantic import Field

from busmark import stats
from busmark.compare.campaign import Campaign
from busmark.errors import UserError
from busmark.estimate.latency import segments_of
from busmark.estimate.one_case import Analysis, tasks_of
from busmark.model.case import CaseSummary
from busmark.model.figure import FloatArray, Frozen
from busmark.model.latency import STAMPS
from busmark.model.rounds import RoundSummary
from busmark.present.blocks.tests import PERCENTS
from busmark.store import Result
from busmark.store.samples import latency_ns, measured


class SegmentOfRound(Frozen):
    """A part of a ping's way in one round; ns. Negative where the later stamp was taken first."""

    count: int
    mean_ns: float
    std_ns: float | None
    max_ns: float


class RoundLatency(Frozen):
    """Half the round trips of one round, of pings or of the probes in a stream; ns.

    A percentile that the count does not support is null; so are figures of one way where clocks
    differ.
    """

    count: int
    mean_ns: float
    std_ns: float | None
    min_ns: float
    max_ns: float
    p2_ns: float | None
    median_ns: float
    p98_ns: float | None
    jitter_ns: float | None = None
    """Mean absolute delay variation between consecutive samples (RFC 3393)."""
    jitter_p2_ns: float | None = None
    """Percentile of the signed variation: below 0."""
    jitter_p98_ns: float | None = None
    there_mean_ns: float | None = None
    """Mean one-way time from just before write to the responder's hands."""
    there_std_ns: float | None = None
    there_max_ns: float | None = None
    segments: dict[str, SegmentOfRound] = Field(default={})
    """Segments by name; only where the document states figures of segments."""


class PublisherRow(Frozen):
    """Half the round trips of one size, ns."""

    count: int
    ave_ns: float
    std_ns: float | None
    min_ns: float
    max_ns: float
    percentiles_ns: list[float | None]
    """Percentiles at `PERCENTS`."""


class SubscriberRow(Frozen):
    """Samples of one size that arrived; in latency mode the pings. Rates are of a typical round."""

    samples: int
    samples_per_s: float | None
    mbit_per_s: float | None
    lost: int | None
    loss: float | None
    """Share of the samples sent, 0 to 1."""


class Half(Frozen):
    """One campaign of the thesis of 2023, which is half of a case's rounds."""

    rounds: int
    publisher: PublisherRow | None
    subscriber: SubscriberRow


class PaperCase(Frozen):
    """What documents need of the single rounds of a case."""

    latencies: dict[int, RoundLatency] = Field(default={})
    """Half round trips, by round."""
    halves: list[Half] = Field(default=[])
    """Both campaigns, the earlier rounds first; only for the document of RTI Perftest."""


def halves(rounds: Sequence[int]) -> tuple[list[int], list[int]]:
    """Split the rounds of a case into the earlier and the later half; of an odd number the first
    has one more."""
    in_order = sorted(rounds)
    middle = (len(in_order) + 1) // 2
    return in_order[:middle], in_order[middle:]


def _publisher(half: FloatArray) -> PublisherRow:
    return PublisherRow(
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


def part(analysis: Analysis, case: CaseSummary, document: str) -> PaperCase | None:
    """Return what a document needs of a case; None where it needs nothing, or nothing came back.

    What cannot be read is left out: the analysis has listed it.
    """
    if document not in OF_ROUNDS or case.test not in ASKING:
        return None
    latencies: dict[int, RoundLatency] = {}
    trips: dict[int, FloatArray] = {}
    for number, latency, half in _rounds(analysis, case, segments=document in OF_SEGMENTS):
        trips[number] = half
        if latency is not None:
            latencies[number] = latency
    both = halves([*trips]) if document == PERFTEST else ()
    found = [_half(case, rounds, trips) for rounds in both if rounds]
    return PaperCase(latencies=latencies, halves=found) if latencies or found else None


def for_paper(result: Result, campaign: Campaign, document: str) -> Campaign:
    """Return the campaign with what another document than the scenario's needs of its rounds."""
    common, tasks = tasks_of(result, with_series=False)
    analyses = {task.case.id: Analysis(common, *task) for task in tasks}
    cases = [
        case.model_copy(update={"plugins": {"papers": part(analyses[case.id], case, document)}})
        for case in campaign.cases
    ]
    return campaign.model_copy(update={"cases": cases})


def _rounds(
    analysis: Analysis, case: CaseSummary, *, segments: bool
) -> Iterator[tuple[int, RoundLatency | None, FloatArray]]:
    """Yield the counted rounds of a case: number, figures, and half the round trips (ns)."""
    of_segments = segments and case.test == "latency"
    for number in analysis.numbers:
        try:
            columns = STAMPED if of_segments else COLUMNS
            samples = analysis.result.samples(case.id, number, columns)
        except UserError:
            continue
        rows = round_trips(samples, case.test)
        one_way = case.test == "latency" and analysis.one_clock[number]
        latency = round_latency(rows, one_way=one_way)
        if of_segments and latency is not None:
            latency = latency.model_copy(update={"segments": _segments(rows, one_clock=one_way)})
        yield number, latency, rows["half"].to_numpy()


def _half(case: CaseSummary, rounds: Sequence[int], trips: Mapping[int, FloatArray]) -> Half:
    pooled = np.concatenate([trips[number] for number in rounds])
    return Half(
        rounds=len(rounds),
        publisher=_publisher(pooled) if pooled.size else None,
        subscriber=_subscriber(case, rounds),
    )


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
        **(_one_way_there(rows) if one_way else {}),
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


def _one_way_there(rows: pl.DataFrame) -> Mapping[str, Any]:
    way = rows.select((pl.col("echo_read_ns") - pl.col("sent_ns")).cast(pl.Float64)).to_series()
    known = way.drop_nulls().to_numpy()
    if not known.size:
        return {}
    whole = stats.describe(known)
    return {"there_mean_ns": whole.mean, "there_std_ns": whole.std, "there_max_ns": whole.maximum}
