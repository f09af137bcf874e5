"""Figures of the latencies of a case, and of their variation."""

from __future__ import annotations

from busmark import stats
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
    figure,
    over_rounds,
)
from busmark.analysis.pools import Pool

MAX_P = 0.01
"""Below which a trend within a round is counted."""


def distribution(pool: Pool | None, quantity: Quantity, seed: int) -> Distribution | None:
    """Describe latencies, or magnitudes of jitter; None when there are none."""
    if pool is None:
        return None
    rounds, pooled = pool.rounds, pool.pooled
    fewest = min(r.count for r in rounds)

    def estimate(statistic: stats.Statistic) -> Figure:
        return figure(stats.two_level(rounds, statistic, confidence=CONFIDENCE, seed=seed), "ns")

    whole = stats.describe(pooled)
    is_latency = quantity in JITTER
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
        percentiles=[_percentile(pool, percent) for percent in stats.LADDER],
        best=best_parts(stats.best(pooled)),
        hop_std=_hop_std(whole.std) if quantity == "round_trip" else None,
        effective_count=sum(stats.effective_sample_size(r.series) for r in rounds),
        modality=_modality(pooled) if is_latency else None,
        drift=_drift(rounds) if is_latency else None,
    )


def jitter_share(latency: Pool | None, jitter: Pool | None) -> Figure | None:
    """Median magnitude of the variation over median latency: of each round, mean over rounds."""
    if latency is None or jitter is None or len(latency.rounds) != len(jitter.rounds):
        return None
    pairs = zip(jitter.rounds, latency.rounds, strict=True)
    medians = [(varied.ordered.median, whole.ordered.median) for varied, whole in pairs]
    shares = [varied / whole for varied, whole in medians if whole > 0.0]
    return over_rounds(shares, "1", jitter.pooled.count)


def _percentile(pool: Pool, percent: float) -> Percentile:
    if not stats.supported(percent, pool.pooled.count):
        return Percentile(percent=percent, value_ns=None)
    found = stats.pooled_percentile(pool.rounds, pool.pooled, percent, CONFIDENCE)
    return Percentile(percent=percent, value_ns=found.value, low_ns=found.low, high_ns=found.high)


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
