"""The share of samples beyond a limit: what a limit on a percentile says.

"p99 is at most X" is "at most 1 % of the samples exceed X". The share has an interval whether or
not the percentile itself can be stated, and a sample that was lost exceeds every limit.

The limits are Clopper & Pearson's at an effective sample size (Korn & Graubard 1998,
"Confidence intervals for proportions with small expected number of positive counts", Survey
Methodology 24): the size that gives independent samples the variance of the share, between rounds
and inside them, over (t(rounds-1) / z)**2. Where the limit is a multiple of a baseline's
percentile, that is uncertain, too: the variance between rounds is then of resampled rounds of both
sides.

Where rounds of both sides ran in turn, `rounds_beyond` compares each with its partner alone: what
the machine does to both at a time then widens nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil, inf, sqrt
from typing import Any

import numpy as np

from busmark.stats._scipy import beta_below, beta_quantile, normal_quantile, student_quantile
from busmark.stats.change import sign_test
from busmark.stats.intervals import Estimate
from busmark.stats.rounds import MIN_FOR_CORRELATION, batch_variances, effective_sample_size
from busmark.stats.sample import FloatArray, check_confidence, check_percent, rank

RESAMPLED = 400
"""Resampled campaigns: their variance is then known to 7 %."""

STEPS = 1500
"""Values of the baseline among which the percentile of a resampled one is found."""

POWER = 0.8
"""Share of runs like this one that find what `Exceedance.least_found` states."""

MOST_ROUNDS = 10_000
"""More rounds than this decide nothing in practice."""

BoolArray = np.ndarray[tuple[int, ...], np.dtype[np.bool_]]


@dataclass(frozen=True, slots=True)
class Exceedance:
    """A share of samples beyond a limit, with its interval and what its test needs.

    Attributes:
        estimate: the share; without an interval there is no test either.
        limit: what the samples are compared with; infinite where it lies among lost samples.
        effective: the effective sample size of the interval.
        slack: how far the share may be too great, and too small, whatever the rounds say.
    """

    estimate: Estimate
    limit: float
    effective: float
    slack: tuple[float, float] = (0.0, 0.0)

    def p_value(self, at: float) -> float | None:
        """Return the two-sided p-value of the hypothesis that the true share is ``at``.

        It is at most 1 - confidence exactly where the interval excludes ``at``; None without an
        interval.
        """
        if self.estimate.low is None:
            return None
        over, under = self.slack
        share = min(max(at, self.estimate.value - over), self.estimate.value + under)
        return _p_value(share, self.effective, at)

    def least_found(self, at: float) -> float | None:
        """Return the least share that a run like this one shows to be above ``at``, in `POWER` of
        runs; None where none is, or without an interval."""
        confidence = self.estimate.confidence
        if confidence is None:
            return None
        low, high = at, 1.0
        if _p_value(high, self.effective, at) > 1.0 - confidence:
            return None
        for _ in range(50):
            middle = (low + high) / 2.0
            found = _p_value(middle, self.effective, at) <= 1.0 - confidence
            low, high = (low, middle) if found else (middle, high)
        share = high + normal_quantile(POWER) * sqrt(high * (1.0 - high) / self.effective)
        return share if share < 1.0 else None

    def rounds_to_decide(self, at: float) -> int | None:
        """Return how many rounds would show on which side of ``at`` this share is, were it exactly
        the true one; None where `MOST_ROUNDS` would not, or without an interval."""
        confidence, rounds = self.estimate.confidence, self.estimate.rounds
        if confidence is None:
            return None
        level = 0.5 + confidence / 2.0
        per_round = self.effective / rounds * student_quantile(level, rounds - 1.0) ** 2

        def decides(count: int) -> bool:
            effective = per_round * count / student_quantile(level, count - 1.0) ** 2
            return _p_value(self.estimate.value, effective, at) <= 1.0 - confidence

        if not decides(MOST_ROUNDS):
            return None
        low, high = 1, MOST_ROUNDS
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if decides(middle) else (middle, high)
        return high


def exceedance(
    rounds: Mapping[int, FloatArray],
    limit: float,
    percent: float,
    confidence: float = 0.95,
    *,
    off: float = 0.0,
) -> Exceedance:
    """Return the share of the samples of ``rounds`` that exceed ``limit``.

    ``rounds`` holds the samples of each round in time order, infinity for each that was lost.
    ``percent`` is the percentile that the limit is of: where nothing exceeds the limit, the
    dependence of neighbours is taken from the samples beyond it. One round gives no interval.
    ``off``: how far all samples of a round may be off together, either way; the interval reaches
    from where it does with samples that much earlier to where it does with later ones.

    Raises:
        ValueError: without any sample, or if ``percent`` is outside (0, 100) or ``confidence``
            outside (0, 1).
    """
    check_confidence(confidence)
    check_percent(percent)
    found = _beyond(rounds, limit, percent, confidence)
    own = found.estimate
    if not off or own.low is None:
        return found
    ends = [_beyond(rounds, at, percent, confidence) for at in (limit + off, limit - off)]
    fewer, more = (end.estimate for end in ends)
    return replace(
        found,
        estimate=replace(own, low=fewer.low, high=more.high),
        effective=min(found.effective, *(end.effective for end in ends)),
        slack=(own.value - fewer.value, more.value - own.value),
    )


def _beyond(
    rounds: Mapping[int, FloatArray], limit: float, percent: float, confidence: float
) -> Exceedance:
    hits = [values > limit for values in _samples(rounds)]
    return _exceedance(rounds, hits, limit, percent, _between(hits), confidence)


def exceedance_of_counts(
    hits: Sequence[int], totals: Sequence[int], confidence: float = 0.95
) -> Exceedance:
    """Return the share of things that count, such as samples that were lost, from how many of how
    many did in each round.

    What is known of a round is its count alone, so that the dependence inside rounds shows only in
    how rounds differ. One round gives no interval.

    Raises:
        ValueError: without any thing, if a count exceeds its total, or if ``confidence`` is outside
            (0, 1).
    """
    check_confidence(confidence)
    pairs = [(hit, total) for hit, total in zip(hits, totals, strict=True) if total > 0]
    if not pairs or any(not 0 <= hit <= total for hit, total in pairs):
        raise ValueError("counts are no share")
    count, found = sum(total for _, total in pairs), sum(hit for hit, _ in pairs)
    share, rounds = found / count, len(pairs)
    if rounds < 2:
        return Exceedance(Estimate(share, None, None, None, count, rounds), inf, 0.0)
    between = rounds / (rounds - 1) * sum((h - n * share) ** 2 for h, n in pairs) / count**2
    effective = (
        min(float(count), share * (1.0 - share) / between) if between > 0.0 else float(count)
    )
    return _estimated(share, effective, count, rounds, inf, confidence)


def exceedance_of_baseline(
    rounds: Mapping[int, FloatArray],
    baseline: Mapping[int, FloatArray],
    factor: float,
    percent: float,
    confidence: float = 0.95,
    *,
    paired: bool,
    seed: int = 0,
) -> Exceedance:
    """Return the share of ``rounds`` that exceeds ``factor`` times the percentile of all samples of
    the ``baseline``.

    With ``paired``, rounds of one number ran in turn and are resampled together. There is no
    interval where the percentile of the baseline lies among its lost samples.

    Raises:
        ValueError: as `exceedance`.
    """
    check_confidence(confidence)
    check_percent(percent)
    theirs = np.sort(np.concatenate(_samples(baseline)))
    reference = float(theirs[rank(percent, theirs.size) - 1])
    limit = factor * reference
    hits = [values > limit for values in _samples(rounds)]
    if not np.isfinite(limit):
        share = sum(int(h.sum()) for h in hits) / sum(h.size for h in hits)
        none = Estimate(share, None, None, None, sum(h.size for h in hits), len(hits))
        return Exceedance(none, inf, 0.0)
    shares = _resampled(rounds, baseline, _steps(theirs, percent), factor, percent, paired, seed)
    fewest = min(len(rounds), len(baseline))
    between = (float(shares.mean()), float(shares.var()) * fewest / max(fewest - 1, 1))
    return _exceedance(rounds, hits, limit, percent, between, confidence, fewest)


@dataclass(frozen=True, slots=True)
class RoundsBeyond:
    """In how many rounds a percentile is beyond a multiple of the same percentile of the round of
    the baseline that ran beside it.

    Attributes:
        above: rounds in which it is above.
        below: rounds in which it is below; the others are equal, or lost on both sides.
        rounds: all of them.
    """

    above: int
    below: int
    rounds: int

    def p_value(self, *, above: bool) -> float:
        """Return the two-sided p-value of the hypothesis that a round is at most as likely above
        the limit as not (or below it).

        It is `sign_test`; a round that is equal counts against what is to be shown.
        """
        return sign_test(self.above if above else self.below, self.rounds)


def rounds_beyond(
    rounds: Mapping[int, FloatArray],
    baseline: Mapping[int, FloatArray],
    factor: float,
    percent: float,
) -> RoundsBeyond | None:
    """Return in how many rounds the percentile is beyond ``factor`` times the baseline's in the
    round of the same number; None where no round of either side has a partner.

    Raises:
        ValueError: if ``percent`` is outside (0, 100).
    """
    check_percent(percent)
    signs = []
    for number in sorted(rounds.keys() & baseline.keys()):
        mine, theirs = rounds[number], baseline[number]
        if mine.size and theirs.size:
            own, limit = _percentile(mine, percent), factor * _percentile(theirs, percent)
            signs.append((own > limit) - (own < limit))
    return RoundsBeyond(signs.count(1), signs.count(-1), len(signs)) if signs else None


def _percentile(values: FloatArray, percent: float) -> float:
    position = rank(percent, values.size) - 1
    return float(np.partition(values, position)[position])


def _samples(rounds: Mapping[int, FloatArray]) -> list[FloatArray]:
    found = [rounds[number] for number in sorted(rounds) if rounds[number].size]
    if not found:
        raise ValueError("there is no sample")
    return found


def _exceedance(
    rounds: Mapping[int, FloatArray],
    hits: Sequence[BoolArray],
    limit: float,
    percent: float,
    between: tuple[float, float],
    confidence: float,
    fewest: int | None = None,
) -> Exceedance:
    """Estimate an exceedance; ``between`` is a share and its known variance between rounds."""
    count, found = sum(h.size for h in hits), sum(int(h.sum()) for h in hits)
    share, number = found / count, min(len(hits), fewest or len(hits))
    if number < 2:
        return Exceedance(Estimate(share, None, None, None, count, number), limit, 0.0)
    effective = count / _excess(rounds, percent)
    if between[1] > 0.0:
        typical = max(between[0], share)
        effective = min(effective, typical * (1.0 - typical) / between[1])
    if inside := _inside(hits):
        effective = min(effective, share * (1.0 - share) / inside)
    return _estimated(share, effective, count, number, limit, confidence)


def _estimated(
    share: float, effective: float, count: int, rounds: int, limit: float, confidence: float
) -> Exceedance:
    """Add the interval; ``effective`` is from before Student's quantile replaces the normal one."""
    level = 0.5 + confidence / 2.0
    effective *= (normal_quantile(level) / student_quantile(level, rounds - 1.0)) ** 2
    low, high = _limits(share, effective, confidence)
    estimate = Estimate(share, min(low, share), max(high, share), confidence, count, rounds)
    return Exceedance(estimate, limit, effective)


def _limits(share: float, effective: float, confidence: float) -> tuple[float, float]:
    tail, hits = (1.0 - confidence) / 2.0, share * effective
    rest = effective - hits
    low = beta_quantile(tail, hits, rest + 1.0) if hits > 0.0 else 0.0
    return low, beta_quantile(1.0 - tail, hits + 1.0, rest) if rest > 0.0 else 1.0


def _p_value(share: float, effective: float, at: float) -> float:
    """Invert `_limits`: return the two-sided p-value of ``at`` as the true share."""
    hits = share * effective
    rest = effective - hits
    if share == at:
        return 1.0
    if share > at:
        return min(1.0, 2.0 * beta_below(at, hits, rest + 1.0))
    return min(1.0, 2.0 * (1.0 - beta_below(at, hits + 1.0, rest)))


def _between(hits: Sequence[BoolArray]) -> tuple[float, float]:
    """Return the pooled share and its variance by how rounds differ, as of a ratio of totals."""
    counts = np.array([h.size for h in hits], dtype=np.float64)
    found = np.array([h.sum() for h in hits], dtype=np.float64)
    total, n = float(counts.sum()), len(hits)
    share = float(found.sum()) / total
    if n < 2:
        return share, 0.0
    return share, n / (n - 1) * float(np.square(found - counts * share).sum()) / total**2


def _inside(hits: Sequence[BoolArray]) -> float:
    """Return the variance of the pooled share from the variation inside rounds."""
    total, variance = sum(h.size for h in hits), 0.0
    for each in hits:
        share = float(each.mean())
        if 0.0 < share < 1.0:
            variance += (
                (each.size / total) ** 2 * share * (1.0 - share) / effective_sample_size(each)
            )
    return variance


def _excess(rounds: Mapping[int, FloatArray], percent: float) -> float:
    """Return how much the variance of a share beyond each round's own percentile exceeds the
    variance for independent samples, at least 1."""
    excess = batches = 0.0
    for values in _samples(rounds):
        if values.size < MIN_FOR_CORRELATION:
            continue
        position = rank(percent, values.size) - 1
        hits = values > np.partition(values, position)[position]
        if not hits.any():
            continue
        of_means, of_samples = batch_variances(hits)
        weight = values.size // int(sqrt(values.size)) - 1
        excess, batches = excess + weight * of_means / of_samples, batches + weight
    return max(excess / batches, 1.0) if batches else 1.0


def _steps(ordered: FloatArray, percent: float) -> FloatArray:
    """Choose values among which a resampled percentile is found: closer beyond it than below."""
    beyond = min(ordered.size, max(ceil((1.0 - percent / 100.0) * ordered.size * 4.0), 50))
    tail, bulk = ordered[-beyond:], ordered[:-beyond]
    chosen = [
        tail[:: max(1, ceil(beyond / STEPS))],
        bulk[:: max(1, ceil(bulk.size / (STEPS // 3)))],
    ]
    return np.unique(np.concatenate([*chosen, ordered[-1:]]))


def _resampled(
    rounds: Mapping[int, FloatArray],
    baseline: Mapping[int, FloatArray],
    steps: FloatArray,
    factor: float,
    percent: float,
    paired: bool,
    seed: int,
) -> FloatArray:
    """Return the share beyond the limit in each resampled campaign."""
    rng = np.random.default_rng(seed)
    common = sorted(rounds.keys() & baseline.keys()) if paired else []
    if len(common) >= 2:
        # Rounds without a partner keep their weight in the estimate; here they say nothing new.
        sides = [[side[n] for n in common] for side in (baseline, rounds)]
        drawn = _weights(rng, len(common))
        weights = (drawn, drawn)
    else:
        sides = [_samples(side) for side in (baseline, rounds)]
        weights = (_weights(rng, len(sides[0])), _weights(rng, len(sides[1])))
    finite = steps[np.isfinite(steps)]
    below = _counts(sides[0], finite)
    beyond = np.array([v.size for v in sides[1]])[:, None] - _counts(sides[1], factor * finite)
    sizes = [np.array([v.size for v in side], dtype=np.float64) for side in sides]
    reached = weights[0] @ below >= (percent / 100.0 * (weights[0] @ sizes[0]))[:, None] - 1e-9
    at = np.argmax(reached, axis=1)
    shares = (weights[1] @ beyond)[np.arange(RESAMPLED), at] / (weights[1] @ sizes[1])
    # Where the baseline's percentile lies among its lost samples, nothing exceeds it.
    result: FloatArray = np.where(reached.any(axis=1), shares, 0.0)
    return result


def _counts(side: Sequence[FloatArray], at: FloatArray) -> FloatArray:
    """Count the samples of each round at or below each of these, shape (rounds, values)."""
    found: Any = [np.searchsorted(np.sort(v), at, side="right") for v in side]
    return np.array(found, dtype=np.float64)


def _weights(rng: np.random.Generator, rounds: int) -> FloatArray:
    """Return how often each round is drawn, for each resampled campaign."""
    return rng.multinomial(rounds, np.full(rounds, 1.0 / rounds), RESAMPLED).astype(np.float64)
