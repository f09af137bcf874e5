"""Statistics of a latency, of each round and of all together: rows of the table of estimates."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from busmark import stats
from busmark.estimate.samples import Pool, Sent, Timed
from busmark.model.distribution import (
    AMONG_LOST,
    CLOCK_BOUND,
    FEW,
    HOP,
    INSIDE,
    LOSS,
    NOT_RECORDED,
    POOL,
    ByRound,
    Percentile,
    Rounds,
    halves,
)
from busmark.model.entry import Pooled, Statistic
from busmark.model.figure import (
    CONFIDENCE,
    Figure,
    FloatArray,
    Quantity,
    change_over_rounds,
    figure,
    over_rounds,
    unknown,
)
from busmark.model.figures import Estimated, row_of
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
) -> Rounds:
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
    return ByRound(
        figure=figure(
            stats.level_estimate(level, CONFIDENCE), "ns", within=pool.within, off=pool.bound_ns
        ),
        rounds=rounds,
        values=level.values.tolist(),
        inside=level.inside,
        seen=level.seen,
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
    quantity: str,
    sent: Sent | None = None,
    found: Rounds | None = None,
    *,
    of_hops: bool = False,
    is_change: bool = False,
) -> Iterator[Estimated]:
    """Yield statistics of a typical round, then of all samples together; none when there are no
    samples, or when the median falls among the lost.

    Args:
        pool: latencies, their changes, or magnitudes of these.
        quantity: their name.
        sent: the same rounds with what was lost in them.
        found: their statistics, where they are reduced already.
        of_hops: whether each is of two hops, there and back.
        is_change: whether they are changes of a latency, or magnitudes of these.
    """
    if pool is None or (sent and sent.hides("median")):
        return
    found = found or reduced(pool, sent, Numbers(), REPORTED)
    whole = stats.describe(pool.pooled)
    effective = sum(stats.effective_sample_size(r) for r in pool.rounds)
    one = Estimated(quantity, "", None, "ns", count=whole.count, effective=effective)
    yield from typical(found, one)
    pooled = replace(one, over=POOL, rounds=len(pool.rounds))
    for of in POOLED:
        yield replace(pooled, statistic=of.statistic, value=_pooled(of, whole, pool))
    for name, value in (("skewness", whole.skewness), ("kurtosis", whole.kurtosis)):
        yield replace(pooled, statistic=name, value=value, unit="")
    yield from ladder(percentiles(pool, sent), pooled)
    # By two clocks shares of a latency, and its smallest samples, are known less well than it.
    if not (pool.bound_ns or pool.within is stats.SIGNED):
        yield from best(stats.best(pool.pooled), pooled)
    if not (is_change or pool.bound_ns):
        if not pool.phased:
            yield from _drift(pool.rounds, one)
        yield from _modality(pool.pooled, pooled)
    if of_hops and whole.std is not None:
        low, high = stats.hop_deviation(whole.std, hops=2)
        reason = "only its limits are known"
        yield replace(pooled, statistic=HOP, low=low, high=high, reason=reason)
    if sent:
        yield replace(one, statistic=LOSS, value=sent.share, unit="1")
    if pool.bound_ns:
        yield replace(one, statistic=CLOCK_BOUND, value=pool.bound_ns)


def typical(
    found: Rounds, one: Estimated, statistics: Iterable[Statistic] = REPORTED
) -> Iterator[Estimated]:
    """Yield the rows of these statistics of a typical round; `one` has what they share."""
    for statistic in statistics:
        name, each = statistic.name, found[statistic.name]
        if each.figure:
            made = row_of(each.figure, one.quantity, name, one.scope, one.of)
            yield replace(made, effective=one.effective)
        else:
            absent = replace(one, statistic=name, reason=each.reason or FEW)
            yield replace(absent, bound="lower") if each.lost else absent


def ladder(rungs: Iterable[Percentile], pooled: Estimated) -> Iterator[Estimated]:
    """Yield percentiles of all samples together; `pooled` has what their rows share."""
    for rung in rungs:
        row = replace(pooled, statistic=f"p{rung.percent:.10g}", value=rung.value_ns)
        if rung.lost:
            yield replace(row, reason=AMONG_LOST, bound="lower")
        elif rung.value_ns is None:
            yield replace(row, reason=FEW)
        else:
            confidence = CONFIDENCE if rung.low_ns is not None else None
            yield replace(row, low=rung.low_ns, high=rung.high_ns, confidence=confidence)


def best(parts: Iterable[stats.BestPart], like: Estimated) -> Iterator[Estimated]:
    """Yield figures of the smallest 100, 99.9, 99 and 90 % of the samples."""
    for part in parts:
        over = f"best {part.percent:.10g} %"
        for statistic, value in (
            ("min", part.minimum),
            ("mean", part.mean),
            ("max", part.maximum),
            ("stdev", part.std),
        ):
            yield replace(like, statistic=statistic, over=over, value=value, count=part.count)


def _pooled(one: Pooled, whole: stats.Description, pool: Pool) -> float | None:
    """Return a figure of all samples together; None where two clocks agree no better than it is
    long. In a difference of latencies their offset cancels."""
    value = one.of(whole, pool.pooled)
    hidden = value is not None and not one.is_spread and unknown(value, pool.bound_ns)
    return None if hidden else value


@dataclass(frozen=True, slots=True)
class RowsOfLatency:
    """Rows of a latency of pings or probes; none where it has no samples."""

    whole: Sequence[Estimated] = ()
    """Its distribution; empty where the median falls among the lost."""
    by_round: Sequence[Estimated] = ()
    """Its statistics in each round, and of a typical round what `whole` does not have."""
    round_trip: Sequence[Estimated] = ()
    """Distribution of whole round trips, where `whole` has their halves."""

    @property
    def rows(self) -> Iterator[Estimated]:
        """All rows, in the order of the table."""
        yield from (*self.round_trip, *self.whole, *self.by_round)

    @classmethod
    def from_rounds(
        cls,
        quantity: Quantity,
        pool: Pool | None,
        each: Sequence[tuple[int, Timed, FloatArray | None]],
    ) -> RowsOfLatency:
        """Describe a latency by its rounds, and by the samples lost in them where these are known
        in all of them. Half a round trip is computed from whole ones."""
        if pool is None:
            return cls()
        known = [(timed, gone) for _, timed, gone in each if gone is not None]
        complete = len(known) == len(each)
        sent = Sent.from_rounds(known) if complete else None
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
        name = "round_trip" if half else quantity
        whole = [*distribution(pool, name, sent, found, of_hops=name == "round_trip")]
        by_round = [*of_rounds(found, name, described=bool(whole))]
        if whole and not complete:
            whole.append(Estimated(name, LOSS, None, "1", reason=NOT_RECORDED))
        if not whole:
            # They limit the intervals of what is known in spite of the loss.
            ends = {"min": pool.pooled.values[0], "max": pool.pooled.values[-1]}
            like = Estimated(name, "", None, "ns", over=POOL, count=pool.pooled.count)
            by_round += [replace(like, statistic=end, value=float(v)) for end, v in ends.items()]
            if pool.bound_ns:
                by_round.append(Estimated(name, CLOCK_BOUND, pool.bound_ns, "ns"))
        if half:
            return cls([*halves(whole, quantity)], [*halves(by_round, quantity)], whole)
        return cls(whole, by_round)


def without(quantity: Quantity, reason: str) -> RowsOfLatency:
    """Return a latency without any statistic, for this reason."""
    missing = {one.name: ByRound(None, reason=reason) for one in STATISTICS}
    return RowsOfLatency(by_round=[*of_rounds(missing, quantity, described=False)])


def of_rounds(found: Rounds, quantity: str, *, described: bool) -> Iterator[Estimated]:
    """Yield statistics of each round, and of a typical round what its distribution does not have;
    `described`: it has one."""
    for one in STATISTICS:
        each = found[one.name]
        like = Estimated(quantity, one.name, None, "ns", reason=each.reason)
        if not (described and one.reported):
            yield from typical(found, replace(like, reason=None), [one])
        for number, value in zip(each.rounds, each.values, strict=True):
            yield replace(like, value=value, scope="round", round=number, rounds=1)
        if each.inside is not None:
            yield replace(like, over=INSIDE, value=each.inside, unit="ns²", rounds=len(each.values))


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
            rung = replace(rung, low_ns=None, high_ns=None)
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


def _modality(pooled: stats.Ordered, like: Estimated) -> Iterator[Estimated]:
    """Yield the modes of the density: their number, the largest, and the valley between."""
    if pooled.values[0] <= 0.0:
        return
    found = stats.modes(pooled)
    yield replace(like, statistic="modes", value=found.count, unit="")
    for number, mode in enumerate(found.largest, start=1):
        yield replace(
            like, statistic=f"mode_{number}", value=mode.location, low=mode.low, high=mode.high
        )
        yield replace(like, statistic=f"mode_{number}_share", value=mode.share, unit="1")
    if found.valley_ratio is not None:
        yield replace(like, statistic="valley_ratio", value=found.valley_ratio, unit="1")


def _drift(rounds: list[stats.Round], like: Estimated) -> Iterator[Estimated]:
    """Yield the change within a round, and how many rounds have a trend."""
    found = [stats.drift(r.series) for r in rounds]
    tested = [d for d in found if d.p_value is not None]
    count = sum(r.count for r in rounds)
    if change := change_over_rounds([d.relative_change for d in found], "1", count):
        yield row_of(change, like.quantity, "drift")
    if not tested:
        return
    trending = sum(d.p_value is not None and d.p_value < MAX_P for d in tested)
    yield replace(
        like,
        statistic="trending_rounds",
        value=trending,
        unit="",
        count=None,
        effective=None,
        rounds=len(tested),
    )
