"""Figures of the analysis: a number never leaves without its unit, count and interval."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict

from busmark import stats
from busmark.model.text import time_text

Quantity = Literal[
    "round_trip",
    "half_round_trip",
    "one_way",
    "response_time",
    "round_trip_jitter",
    "half_round_trip_jitter",
    "one_way_jitter",
    "response_time_jitter",
    "round_trip_ipdv",
    "half_round_trip_ipdv",
    "one_way_ipdv",
    "response_time_ipdv",
]
"""Kind of a latency: half a round trip is never called one-way. The ipdv is the change of that
latency from a sample to the next, with its sign (RFC 3393); jitter is its magnitude."""

JITTER: dict[Quantity, Quantity] = {
    "round_trip": "round_trip_jitter",
    "half_round_trip": "half_round_trip_jitter",
    "one_way": "one_way_jitter",
    "response_time": "response_time_jitter",
}
"""The variation of each latency."""

IPDV: dict[Quantity, Quantity] = {
    "round_trip": "round_trip_ipdv",
    "half_round_trip": "half_round_trip_ipdv",
    "one_way": "one_way_ipdv",
    "response_time": "response_time_ipdv",
}
"""The ipdv of each latency."""

LATENCY_OF: dict[str, Quantity] = {
    "latency": "half_round_trip",
    "throughput": "one_way",
    "service": "response_time",
    "service-capacity": "response_time",
}
"""Quantity that reports show of a test; for any other test it is the round trip."""

CONFIDENCE = 0.95
"""Confidence of every interval."""

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
    count: int | None
    """Samples it rests on; null where the source of an imported result does not say."""
    rounds: int
    """Rounds it rests on."""
    unit: str
    """ns, ns/B, 1/s, Mbit/s, 1 for a share, or empty for a number of samples."""


class Bounds(Frozen):
    """Bounds between which a value lies that was not measured."""

    low_ns: float
    high_ns: float


def figure(
    estimate: stats.Estimate,
    unit: str,
    count: int | None = None,
    *,
    within: stats.Range = stats.POSITIVE,
    off: float = 0.0,
) -> Figure:
    """Return an estimate with its unit; `count` replaces its count if more samples are behind it.

    It is of something that lies `within` a range, and so do its limits. `off`: how far it may be
    off besides, either way, as a time between two clocks is; the limits hold that, too.
    """
    found = within.limited(estimate.widened(off))
    return Figure(
        value=found.value,
        low=found.low,
        high=found.high,
        confidence=found.confidence,
        count=found.count if count is None else count,
        rounds=found.rounds,
        unit=unit,
    )


def unknown(value_ns: float, bound_ns: float) -> str | None:
    """Return why a time between two clocks is not known: their offset is not known any better than
    it is long; None where it is known."""
    if not bound_ns or abs(value_ns) > bound_ns:
        return None
    return (
        f"the offset of the two clocks is known to ±{time_text(bound_ns)}, "
        "no better than the time between them"
    )


def over_rounds(
    values: Sequence[float | None],
    unit: str,
    count: int | None,
    *,
    within: stats.Range = stats.POSITIVE,
    off: float = 0.0,
) -> Figure | None:
    """Return the figure of a typical round from one value per round in the order of time: their
    median and its interval (`stats.typical`); None when no round has one."""
    return _of_rounds(stats.typical, values, unit, count, within, off)


def change_over_rounds(
    values: Sequence[float | None], unit: str, count: int | None
) -> Figure | None:
    """Return `over_rounds` for changes of something positive, each as a share of what it was."""
    return _of_rounds(stats.typical_change, values, unit, count, stats.CHANGE)


def mean_over_rounds(
    values: Sequence[float | None],
    unit: str,
    count: int | None,
    *,
    within: stats.Range = stats.POSITIVE,
) -> Figure | None:
    """Return the mean of one value per round with Student's interval; None when no round has one.
    It is for shares of lost samples: a few rounds' losses must not vanish behind the others."""
    return _of_rounds(stats.t_interval, values, unit, count, within)


def _of_rounds(
    estimate: Callable[[Sequence[float], float], stats.Estimate],
    values: Sequence[float | None],
    unit: str,
    count: int | None,
    within: stats.Range,
    off: float = 0.0,
) -> Figure | None:
    known = [v for v in values if v is not None and np.isfinite(v)]
    if not known:
        return None
    found = figure(estimate(known, CONFIDENCE), unit, count, within=within, off=off)
    return found if count is not None else found.model_copy(update={"count": None})
