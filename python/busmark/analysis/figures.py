"""Figures of the analysis: a number never leaves without its unit, count and interval."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict

from busmark import stats

Quantity = Literal["round_trip", "half_round_trip", "one_way"]
"""What a latency is: half a round trip is never called one-way."""

CONFIDENCE = 0.95
"""Of every interval."""

FloatArray = NDArray[np.float64]


class Frozen(BaseModel):
    """A value of the view model: complete when made, never changed."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Figure(Frozen):
    """An estimate. `low` and `high` are absent when the data give no interval."""

    value: float
    low: float | None = None
    high: float | None = None
    confidence: float | None = None
    """Nominal coverage of the interval."""
    count: int
    """Samples it rests on."""
    rounds: int
    """Rounds it rests on."""
    unit: str
    """ns, ns/B, 1/s, Mbit/s, or 1 for a share."""


class Percentile(Frozen):
    """One rung of the ladder: an observed value, absent where the count does not support it."""

    percent: float
    value_ns: float | None


class Distribution(Frozen):
    """Latencies of one case; every time is in nanoseconds.

    `median`, `mean`, `p99` and `p999` are means over rounds of the figure of a round, with an
    interval by the two-level bootstrap. The other figures describe all samples together.
    """

    quantity: Quantity
    count: int
    median: Figure
    mean: Figure
    p99: Figure | None
    """Absent unless every round has the samples to support it."""
    p999: Figure | None
    mad_ns: float
    """Median absolute deviation from the median, not scaled."""
    std_ns: float | None
    min_ns: float
    max_ns: float
    skewness: float | None
    kurtosis: float | None
    percentiles: list[Percentile]
    """Of all samples together."""


def figure(
    estimate: stats.Estimate, unit: str, count: int | None = None, *, signed: bool = False
) -> Figure:
    """An estimate with its unit; `count` replaces its count where more samples are behind it.

    Unless `signed`, it is of something that cannot be negative: a lower limit below 0, as a
    symmetric interval of very few rounds has it, is 0, which takes nothing from its coverage.
    """
    low = estimate.low
    if low is not None and not signed:
        low = max(low, min(0.0, estimate.value))
    return Figure(
        value=estimate.value,
        low=low,
        high=estimate.high,
        confidence=estimate.confidence,
        count=estimate.count if count is None else count,
        rounds=estimate.rounds,
        unit=unit,
    )


def distribution(
    rounds: Sequence[FloatArray], quantity: Quantity, seed: int
) -> Distribution | None:
    """Describe latencies (ns), one array in time order per round; None when there are none."""
    rounds = [r for r in rounds if r.size]
    if not rounds:
        return None
    fewest = min(r.size for r in rounds)

    def estimate(statistic: stats.Statistic) -> Figure:
        return figure(stats.two_level(rounds, statistic, confidence=CONFIDENCE, seed=seed), "ns")

    pooled = np.concatenate(rounds)
    whole = stats.describe(pooled)
    ladder = stats.percentiles(pooled)
    return Distribution(
        quantity=quantity,
        count=whole.count,
        median=estimate("median"),
        mean=estimate("mean"),
        p99=estimate(99.0) if stats.supported(99.0, fewest) else None,
        p999=estimate(99.9) if stats.supported(99.9, fewest) else None,
        mad_ns=whole.mad,
        std_ns=whole.std,
        min_ns=whole.minimum,
        max_ns=whole.maximum,
        skewness=whole.skewness,
        kurtosis=whole.kurtosis,
        percentiles=[Percentile(percent=p, value_ns=v) for p, v in ladder.items()],
    )


def halved(whole: Distribution | None) -> Distribution | None:
    """The same round trips, halved: every time divided by two."""
    if whole is None:
        return None

    def half(value: float | None) -> float | None:
        return None if value is None else value / 2

    def half_figure(f: Figure | None) -> Figure | None:
        if f is None:
            return None
        limits = {"value": f.value / 2, "low": half(f.low), "high": half(f.high)}
        return f.model_copy(update=limits)

    changes: dict[str, Any] = {"quantity": "half_round_trip"}
    changes |= {name: half_figure(getattr(whole, name)) for name in _FIGURES}
    changes |= {name: half(getattr(whole, name)) for name in _TIMES}
    changes["percentiles"] = [
        Percentile(percent=p.percent, value_ns=half(p.value_ns)) for p in whole.percentiles
    ]
    return whole.model_copy(update=changes)


_FIGURES = ("median", "mean", "p99", "p999")
_TIMES = ("mad_ns", "std_ns", "min_ns", "max_ns")


def over_rounds(
    values: Sequence[float | None], unit: str, count: int, *, signed: bool = False
) -> Figure | None:
    """The mean of one value per round with Student's interval; None when no round has one."""
    known = [v for v in values if v is not None and np.isfinite(v)]
    if not known:
        return None
    return figure(stats.t_interval(known, CONFIDENCE), unit, count, signed=signed)
