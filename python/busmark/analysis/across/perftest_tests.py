"""Makes Perftest's tables: cases by middleware, mode and campaign."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

import numpy as np

from busmark import stats
from busmark.analysis.across.perftest import (
    PERCENTS,
    Mode,
    PerftestTest,
    PublisherRow,
    SubscriberRow,
)
from busmark.analysis.figures import FloatArray
from busmark.analysis.model import CaseSummary, RoundSummary


def halves(rounds: Sequence[int]) -> tuple[list[int], list[int]]:
    """The earlier and the later half of the rounds of a case; of an odd number the first has one
    more."""
    in_order = sorted(rounds)
    middle = (len(in_order) + 1) // 2
    return in_order[:middle], in_order[middle:]


def perftest(found: Sequence[tuple[CaseSummary, Mapping[int, FloatArray]]]) -> list[PerftestTest]:
    """The tests of all middleware, from half the round trips (ns) of each case's rounds."""
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
        lost_share=lost / expected if lost is not None and expected else None,
    )


def arrivals_per_s(attempt: RoundSummary) -> float | None:
    """Samples that arrived per second in one round: goodput where it was counted, else what was
    received over the time."""
    if attempt.samples_per_s is not None:
        return attempt.samples_per_s
    if attempt.received is None or not attempt.measured_s:
        return None
    return attempt.received / attempt.measured_s
