"""Figures of the analysis: a number never leaves without its unit, count and interval."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field, create_model

from busmark import stats
from busmark.model.statistics import POOLED, REPORTED
from busmark.model.text import time_text

Quantity = Literal[
    "round_trip",
    "half_round_trip",
    "one_way",
    "round_trip_jitter",
    "half_round_trip_jitter",
    "one_way_jitter",
    "round_trip_ipdv",
    "half_round_trip_ipdv",
    "one_way_ipdv",
]
"""Kind of a latency: half a round trip is never called one-way. The ipdv is the change of that
latency from a sample to the next, with its sign (RFC 3393); jitter is its magnitude."""

JITTER: dict[Quantity, Quantity] = {
    "round_trip": "round_trip_jitter",
    "half_round_trip": "half_round_trip_jitter",
    "one_way": "one_way_jitter",
}
"""The variation of each latency."""

IPDV: dict[Quantity, Quantity] = {
    "round_trip": "round_trip_ipdv",
    "half_round_trip": "half_round_trip_ipdv",
    "one_way": "one_way_ipdv",
}
"""The ipdv of each latency."""

CONFIDENCE = 0.95
"""Confidence of every interval."""

F = TypeVar("F", bound=BaseModel)

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


class Percentile(Frozen):
    """One rung of the ladder: an observed value, absent where the count does not support it."""

    percent: float
    value_ns: float | None
    low_ns: float | None = None
    """95 % interval over rounds; null where rounds or samples are too few for one."""
    high_ns: float | None = None
    lost: bool = False
    """Whether the percentile falls among the samples that were lost, which are later than any; then
    it has no value."""


class BestShare(Frozen):
    """The smallest `percent` per cent of all samples."""

    percent: float
    count: int
    min_ns: float
    mean_ns: float
    max_ns: float
    std_ns: float | None
    """Standard deviation; null for a single sample."""


def best_parts(parts: Sequence[stats.BestPart]) -> list[BestShare]:
    """Return each part of values in nanoseconds as a `BestShare`."""
    return [
        BestShare(
            percent=part.percent,
            count=part.count,
            min_ns=part.minimum,
            mean_ns=part.mean,
            max_ns=part.maximum,
            std_ns=part.std,
        )
        for part in parts
    ]


class Bounds(Frozen):
    """Bounds between which a value lies that was not measured."""

    low_ns: float
    high_ns: float


class Mode(Frozen):
    """A peak of the density, and the share of the samples from `low_ns` to `high_ns`: the valleys
    on both sides of it, or the smallest and the largest sample."""

    at_ns: float
    share: float
    low_ns: float
    high_ns: float


class Modality(Frozen):
    """Well separated modes of all samples."""

    count: int
    largest: list[Mode]
    """The largest modes, at most two, the larger first."""
    valley_ratio: float | None
    """Lowest density between the two peaks over the density of the lower peak; null if there is
    one."""


class Drift(Frozen):
    """Change over the length of a round."""

    change: Figure | None
    """Median of the last third over the first third's, minus 1; of a typical round."""
    trending: int
    """Rounds whose trend has p < 0.01 (Mann-Kendall on block medians)."""
    tested: int
    """Rounds long enough for the test."""


class _Latencies(Frozen):
    quantity: Quantity
    count: int | None
    """Number of samples, as in `Figure`."""
    median: Figure
    mean: Figure


TAILS = {one.key: one.percent for one in REPORTED if one.percent is not None}
"""Percentiles of a round that reports have."""

UNLESS = "absent unless every round has the samples to support it"


if TYPE_CHECKING:

    class _Ranked(_Latencies):
        """A latency with percentiles of `model.statistics`: `Distribution.figure` returns them."""
else:
    # Required: what has no such figure says so.
    _Ranked = create_model(
        "_Ranked",
        __base__=_Latencies,
        **{
            one.key: (Figure | None, Field(description=f"{one.meaning} of a round; {UNLESS}"))
            for one in REPORTED
            if one.percent is not None
        },
    )


class _Lost(_Ranked):
    bound_ns: float = 0.0
    """How far every time may be off, either way, because its ends are stamped by two clocks;
    intervals include it. 0: both ends are stamped by one clock."""
    loss: float | None = 0.0
    """Share of the samples sent that never came back; null if samples of a stream were lost and no
    record says whether these were among them."""


if TYPE_CHECKING:

    class _Pooled(_Lost):
        """A latency with figures of all samples together: the ones that code refers to by name."""

        mad_ns: float | None = None
        std_ns: float | None = None
        min_ns: float | None = None
        max_ns: float | None = None
else:
    _Pooled = create_model(
        "_Pooled",
        __base__=_Lost,
        **{
            one.key: (float | None, Field(description=f"{one.name} of all samples together"))
            for one in POOLED
        },
    )


class Distribution(_Pooled):
    """Latencies of one case; every time is in nanoseconds.

    `median`, `mean` and percentiles such as `p99` are of a typical round: the median over rounds of
    the figure of a round, with an interval of both levels; a percentile is absent unless every
    round has the samples to support it. The other figures describe all samples together; `mad_ns`,
    the median absolute deviation, is not scaled. It, minimum and maximum are null where an imported
    source does not state them.

    Percentiles are of the samples that were sent: a lost one is later than any. All other figures,
    the mean among them, can only be of those that came back.
    """

    skewness: float | None
    kurtosis: float | None
    percentiles: list[Percentile]
    """Percentiles of all samples together, with intervals over rounds."""
    best: list[BestShare] = Field(default=[])
    """The best 100, 99.9, 99 and 90 % of all samples."""
    hop_std: Bounds | None = None
    """Standard deviation of one hop of the two of a round trip: half of the trip's if both always
    go alike, 0.707 of it if they are independent; null for what is one hop already."""
    effective_count: float | None = None
    """Effective sample size: independent samples that give a mean of the same precision, summed
    over rounds."""
    modality: Modality | None = None
    """Modes of its density; null for jitter, and where a value is not positive."""
    drift: Drift | None = None
    """Change within a round; null for jitter."""

    def figure(self, key: str) -> Figure | None:
        """Return the statistic of this key (`model.statistics`)."""
        found: Figure | None = getattr(self, key)
        return found

    def time_ns(self, key: str) -> float | None:
        """Return a time of all samples together, in ns, by its key (`model.statistics`)."""
        found: float | None = getattr(self, key)
        return found


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


def halved(whole: Distribution | None) -> Distribution | None:
    """Return the same round trips halved: every time divided by two."""
    if whole is None:
        return None

    def half(value: float | None) -> float | None:
        return None if value is None else value / 2

    def half_figure(f: Figure | None) -> Figure | None:
        if f is None:
            return None
        limits = {"value": f.value / 2, "low": half(f.low), "high": half(f.high)}
        return f.model_copy(update=limits)

    changes: dict[str, Any] = {"quantity": f"half_{whole.quantity}"}
    changes |= {name: half_figure(getattr(whole, name)) for name in _FIGURES}
    changes |= {name: half(getattr(whole, name)) for name in _TIMES}
    changes["percentiles"] = [_half_times(p) for p in whole.percentiles]
    changes["best"] = [_half_times(b) for b in whole.best]
    if whole.modality:
        largest = [_half_times(m) for m in whole.modality.largest]
        changes["modality"] = whole.modality.model_copy(update={"largest": largest})
    return whole.model_copy(update=changes)


def _half_times(figures: F) -> F:
    times = {name: v / 2 for name, v in figures if name.endswith("_ns") and v is not None}
    return figures.model_copy(update=times)


_FIGURES = tuple(one.key for one in REPORTED)


_TIMES = tuple(one.key for one in POOLED)


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
