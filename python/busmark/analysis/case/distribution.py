"""Figures of the latencies of a case, and of their variation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from busmark import stats
from busmark.analysis.case.by_round import Reduced, reduced
from busmark.analysis.figures import (
    CONFIDENCE,
    JITTER,
    Bounds,
    Distribution,
    Drift,
    Figure,
    Modality,
    Mode,
    Percentile,
    Quantity,
    best_parts,
    over_rounds,
)
from busmark.analysis.read.lost import Sent
from busmark.analysis.read.pools import Pool
from busmark.model.statistics import POOLED, REPORTED

MAX_P = 0.01
"""Below which a trend within a round is counted."""


def distribution(
    pool: Pool | None, quantity: Quantity, sent: Sent | None = None,
    found: Mapping[str, Reduced] | None = None,
) -> Distribution | None:  # fmt: skip
    """Describe latencies, or magnitudes of jitter; None when there are none, or when the median
    falls among the lost. `sent`: the same rounds with what was lost in them. `found`: their
    statistics, where they are reduced already."""
    if pool is None or (sent and sent.hides("median")):
        return None
    rounds, pooled = pool.rounds, pool.pooled
    found = found or reduced(pool, sent, REPORTED)
    median, mean = found["median"].figure, found["mean"].figure
    assert median is not None and mean is not None

    whole = stats.describe(pooled)
    tabled: dict[str, Any] = {
        one.key: found[one.name].figure for one in REPORTED if one.percent is not None
    }
    tabled |= {one.key: one.of(whole, pooled) for one in POOLED}
    is_latency = quantity in JITTER
    return Distribution(
        quantity=quantity,
        count=whole.count,
        median=median,
        mean=mean,
        lost_share=sent.share if sent else 0.0,
        skewness=whole.skewness,
        kurtosis=whole.kurtosis,
        percentiles=_percentiles(pool, sent),
        best=best_parts(stats.best(pooled)),
        hop_std=_hop_std(whole.std) if quantity == "round_trip" else None,
        effective_count=sum(stats.effective_sample_size(r) for r in rounds),
        modality=_modality(pooled) if is_latency else None,
        drift=_drift(rounds) if is_latency else None,
        **tabled,
    )


def jitter_share(latency: Pool | None, jitter: Pool | None) -> Figure | None:
    """Median magnitude of the variation over median latency: of a typical round."""
    if latency is None or jitter is None or len(latency.rounds) != len(jitter.rounds):
        return None
    pairs = zip(jitter.rounds, latency.rounds, strict=True)
    medians = [(varied.ordered.median, whole.ordered.median) for varied, whole in pairs]
    shares = [varied / whole for varied, whole in medians if whole > 0.0]
    return over_rounds(shares, "1", jitter.pooled.count)


def _percentiles(pool: Pool, sent: Sent | None) -> list[Percentile]:
    if sent is None:
        return [_percentile(pool.rounds, pool.pooled, percent) for percent in stats.LADDER]
    pooled, back = sent.pooled(), pool.pooled
    found = []
    for percent in stats.LADDER:
        if sent.pooled_hides(percent):
            found.append(Percentile(percent=percent, value_ns=None, lost=True))
            continue
        rung = _percentile(sent.rounds, pooled, percent)
        if rung.high_ns is not None and rung.high_ns >= back.values[-1]:
            # The upper limit is the latest that came back, or among the lost: not known.
            rung = rung.model_copy(update={"low_ns": None, "high_ns": None})
        found.append(rung)
    return found


def _percentile(rounds: list[stats.Round], pooled: stats.Ordered, percent: float) -> Percentile:
    if not _pool_knows(rounds, pooled, percent):
        return Percentile(percent=percent, value_ns=None)
    found = stats.pooled_percentile(rounds, pooled, percent, CONFIDENCE)
    return Percentile(percent=percent, value_ns=found.value, low_ns=found.low, high_ns=found.high)


def _pool_knows(rounds: list[stats.Round], pooled: stats.Ordered, percent: float) -> bool:
    """Whether all rounds together have ten effective samples beyond a percentile; for the median,
    which always has enough, they are only counted."""
    count = pooled.count
    if percent <= 50.0 or not stats.supported(percent, count):
        return stats.supported(percent, count)
    known = stats.tail_support(rounds, percent) / min(r.count for r in rounds)
    return stats.supported(percent, count * known)


def _hop_std(std: float | None) -> Bounds | None:
    if std is None:
        return None
    low, high = stats.hop_deviation(std, hops=2)
    return Bounds(low_ns=low, high_ns=high)


def _modality(pooled: stats.Ordered) -> Modality | None:
    if pooled.values[0] <= 0.0:
        return None
    found = stats.modes(pooled)
    return Modality(
        count=found.count,
        largest=[Mode(at_ns=m.location, share=m.share) for m in found.largest],
        valley_ratio=found.valley_ratio,
    )


def _drift(rounds: list[stats.Round]) -> Drift:
    found = [stats.drift(r.series) for r in rounds]
    tested = [d for d in found if d.p_value is not None]
    count = sum(r.count for r in rounds)
    return Drift(
        change=over_rounds([d.relative_change for d in found], "1", count, signed=True),
        trending=sum(d.p_value is not None and d.p_value < MAX_P for d in tested),
        tested=len(tested),
    )
