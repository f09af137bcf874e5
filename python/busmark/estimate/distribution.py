"""Statistics of a latency, of each round and of all together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from busmark import stats
from busmark.estimate.samples import Pool, Sent, Timed
from busmark.model.entry import Pooled, Statistic
from busmark.model.figure import (
    CONFIDENCE,
    IPDV,
    JITTER,
    Bounds,
    Distribution,
    Drift,
    Figure,
    FloatArray,
    Modality,
    Mode,
    Percentile,
    Quantity,
    best_parts,
    change_over_rounds,
    figure,
    halved,
    over_rounds,
    unknown,
)
from busmark.model.latency import ByRound, LatencyByRound
from busmark.model.statistics import POOLED, REPORTED, STATISTICS
from busmark.model.text import count, percent_text, plural


@dataclass(frozen=True, slots=True)
class Numbers:
    """Numbers of the rounds of a case."""

    back: Sequence[int] = ()
    """Rounds in which samples came back."""
    sent: Sequence[int] = ()
    """Rounds in which samples were sent, as far as that is known."""


def reduced(
    pool: Pool, sent: Sent | None, rounds: Numbers, statistics: Iterable[Statistic] = STATISTICS
) -> dict[str, ByRound]:
    """Return the statistics of the samples that came back, by name; all but the mean count the lost
    ones of `sent`, too, where it is given."""
    return {one.name: _reduced(one, pool, sent, rounds) for one in statistics}


def _reduced(one: Statistic, pool: Pool, sent: Sent | None, rounds: Numbers) -> ByRound:
    if one.of == "mean":
        # What was lost has no mean.
        return _of_level(stats.reduce_rounds(pool.rounds, one.of), rounds.back, pool)
    ranked = sent.rounds if sent else pool.rounds
    if sent and sent.hides(one.of):
        # Where few were lost in all, it was in some round that its share was reached.
        own = stats.among_lost(one.of, sum(sent.back), sum(sent.lost))
        where, share = ("", sent.share) if own else (" in a round", sent.most)
        text = f"lost{where}: {percent_text(share)}; the {one.name} falls among the lost"
        return ByRound(figure=None, reason=text, lost=True)
    if isinstance(one.of, float) and not knows(ranked, one.of):
        return ByRound(figure=None, reason=_too_few(one.name, one.of, ranked))
    level = stats.reduce_rounds(ranked, one.of)
    return _of_level(level, rounds.sent if sent else rounds.back, pool)


def _of_level(level: stats.Level, rounds: Sequence[int], pool: Pool) -> ByRound:
    least, greatest = level.seen
    return ByRound(
        figure=figure(
            stats.level_estimate(level, CONFIDENCE), "ns", within=pool.within, off=pool.bound_ns
        ),
        rounds=list(rounds),
        values=level.values.tolist(),
        inside=level.inside,
        least=least,
        greatest=greatest,
        off_ns=pool.bound_ns,
    )


def _too_few(name: str, percent: float, rounds: Sequence[stats.Round]) -> str:
    fewest = min(each.count for each in rounds)
    if not stats.supported(percent, fewest):
        return f"a round has {plural(fewest, 'sample')}, {name} needs {count(needed(percent))}"
    return (
        f"neighbouring samples are so alike that a round has fewer than {stats.MIN_BEYOND} "
        f"independent ones beyond {name}"
    )


def needed(percent: float) -> int:
    """Return how many samples support a percentile above the median, see `stats.supported`."""
    return round(stats.MIN_BEYOND / (1 - percent / 100))


def knows(rounds: Sequence[stats.Round], percent: float) -> bool:
    """Return whether every round has ten effective samples beyond a percentile."""
    fewest = min(r.count for r in rounds)
    # What the count does not support needs no look at the order.
    return stats.supported(percent, fewest) and stats.supported(
        percent, stats.tail_support(rounds, percent)
    )


MAX_P = 0.01
"""Below which a trend within a round is counted."""


def distribution(
    pool: Pool | None,
    quantity: Quantity,
    sent: Sent | None = None,
    found: Mapping[str, ByRound] | None = None,
) -> Distribution | None:
    """Describe latencies, their changes or magnitudes of these; None when there are none, or when
    the median falls among the lost. `sent`: the same rounds with what was lost in them. `found`:
    their statistics, where they are reduced already."""
    if pool is None or (sent and sent.hides("median")):
        return None
    rounds, pooled = pool.rounds, pool.pooled
    found = found or reduced(pool, sent, Numbers(), REPORTED)
    median, mean = found["median"].figure, found["mean"].figure
    assert median is not None and mean is not None

    whole = stats.describe(pooled)
    tabled: dict[str, Any] = {
        one.key: found[one.name].figure for one in REPORTED if one.percent is not None
    }
    tabled |= {one.key: _pooled(one, whole, pool) for one in POOLED}
    # By two clocks shares of a latency, and its smallest samples, are known less well than it.
    is_latency = quantity in JITTER and not pool.bound_ns
    return Distribution(
        quantity=quantity,
        count=whole.count,
        median=median,
        mean=mean,
        loss=sent.share if sent else 0.0,
        bound_ns=pool.bound_ns,
        skewness=whole.skewness,
        kurtosis=whole.kurtosis,
        percentiles=percentiles(pool, sent),
        best=[] if pool.bound_ns or quantity in SIGNED else best_parts(stats.best(pooled)),
        hop_std=_hop_std(whole.std) if quantity == "round_trip" else None,
        effective_count=sum(stats.effective_sample_size(r) for r in rounds),
        modality=_modality(pooled) if is_latency else None,
        drift=_drift(rounds) if is_latency and not pool.phased else None,
        **tabled,
    )


def _pooled(one: Pooled, whole: stats.Description, pool: Pool) -> float | None:
    """Return a figure of all samples together; None where two clocks agree no better than it is
    long. In a difference of latencies their offset cancels."""
    value = one.of(whole, pool.pooled)
    hidden = value is not None and not one.is_spread and unknown(value, pool.bound_ns)
    return None if hidden else value


SIGNED = frozenset(IPDV.values())
"""Quantities whose smallest samples are not the best."""


class DescribedLatency(NamedTuple):
    """A latency of pings or probes; all parts None where there is none."""

    whole: Distribution | None = None
    by_round: LatencyByRound | None = None
    round_trip: Distribution | None = None
    """Whole round trips, where `whole` has their halves."""

    @classmethod
    def of(
        cls,
        name: Literal["latency", "round_trip"],
        quantity: Quantity,
        pool: Pool | None,
        each: Sequence[tuple[int, Timed, FloatArray | None]],
    ) -> DescribedLatency:
        """Describe a latency by its rounds, and by the samples lost in them where these are known
        in all of them. Half a round trip is computed from whole ones."""
        if pool is None:
            return cls()
        known = [(timed, gone) for _, timed, gone in each if gone is not None]
        complete = len(known) == len(each)
        sent = Sent.of(known) if complete else None
        numbers = Numbers(
            [number for number, timed, _ in each if timed.latency.size],
            [
                number
                for number, timed, gone in each
                if timed.latency.size or (gone is not None and gone.size)
            ],
        )
        found = reduced(pool, sent, numbers)
        half = quantity == "half_round_trip"
        whole = distribution(pool, "round_trip" if half else quantity, sent, found)
        if whole and not complete:
            whole = whole.model_copy(update={"loss": None})
        statistics = {one: of.halved() for one, of in found.items()} if half else found
        by_round = LatencyByRound(name=name, quantity=quantity, statistics=statistics)
        return cls(halved(whole), by_round, whole) if half else cls(whole, by_round)


def jitter_share(latency: Pool | None, jitter: Pool | None) -> Figure | None:
    """Return the median magnitude of the variation over the median latency, of a typical round."""
    if latency is None or jitter is None or len(latency.rounds) != len(jitter.rounds):
        return None
    if latency.bound_ns:
        return None  # a share of what is not known exactly
    pairs = zip(jitter.rounds, latency.rounds, strict=True)
    medians = [(varied.ordered.median, whole.ordered.median) for varied, whole in pairs]
    shares = [varied / whole for varied, whole in medians if whole > 0.0]
    return over_rounds(shares, "1", jitter.pooled.count)


def percentiles(
    pool: Pool, sent: Sent | None, percents: Sequence[float] = stats.LADDER
) -> list[Percentile]:
    """Return percentiles of the samples of all rounds together, the lost ones of `sent` too."""
    if sent is None:
        return [_percentile(pool.rounds, pool.pooled, percent, pool) for percent in percents]
    pooled, back = sent.pooled(), pool.pooled
    found = []
    for percent in percents:
        if sent.pooled_hides(percent):
            found.append(Percentile(percent=percent, value_ns=None, lost=True))
            continue
        rung = _percentile(sent.rounds, pooled, percent, pool)
        if rung.high_ns is not None and rung.high_ns >= back.values[-1]:
            # The upper limit is the latest that came back, or among the lost: not known.
            rung = rung.model_copy(update={"low_ns": None, "high_ns": None})
        found.append(rung)
    return found


def _percentile(
    rounds: list[stats.Round], pooled: stats.Ordered, percent: float, pool: Pool
) -> Percentile:
    if not _pool_knows(rounds, pooled, percent):
        return Percentile(percent=percent, value_ns=None)
    estimate = stats.pooled_percentile(rounds, pooled, percent, CONFIDENCE)
    found = pool.within.limited(estimate.widened(pool.bound_ns))
    return Percentile(percent=percent, value_ns=found.value, low_ns=found.low, high_ns=found.high)


def _pool_knows(rounds: list[stats.Round], pooled: stats.Ordered, percent: float) -> bool:
    """Return whether all rounds together have ten effective samples beyond a percentile; for the
    median, which always has enough, they are only counted."""
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
        largest=[
            Mode(at_ns=m.location, share=m.share, low_ns=m.low, high_ns=m.high)
            for m in found.largest
        ],
        valley_ratio=found.valley_ratio,
    )


def _drift(rounds: list[stats.Round]) -> Drift:
    found = [stats.drift(r.series) for r in rounds]
    tested = [d for d in found if d.p_value is not None]
    count = sum(r.count for r in rounds)
    return Drift(
        change=change_over_rounds([d.relative_change for d in found], "1", count),
        trending=sum(d.p_value is not None and d.p_value < MAX_P for d in tested),
        tested=len(tested),
    )
