"""Percentiles of all rounds together, with an interval that respects the rounds.

The interval is Woodruff's (1952, "Confidence intervals for medians and other position measures",
JASA 47): limits for the share of samples at or below the percentile, read off the pooled
distribution. Those limits are the ones of Clopper & Pearson for clustered counts (Korn & Graubard
1998, "Confidence intervals for proportions with small expected number of positive counts", Survey
Methodology 24), of an effective sample size: the one of the variance of the pooled share, times
(t(n-1) / t(rounds-1))**2 for few rounds. Nothing is assumed of the distribution.

As in `two_level`, the variance has two levels, between the rounds' shares and inside the rounds,
and the interval is never shorter than the variation inside the rounds alone implies.
"""

from collections.abc import Sequence
from math import sqrt

import numpy as np

from busmark.stats._check import check_confidence
from busmark.stats._scipy import beta_quantile, chi_square_quantile, student_quantile
from busmark.stats.estimate import Estimate
from busmark.stats.ordered import Ordered
from busmark.stats.round import Round
from busmark.stats.within import effective_hits


def pooled_percentile(
    rounds: Sequence[Round], pooled: Ordered, percent: float, confidence: float = 0.95
) -> Estimate:
    """Return a percentile of ``pooled``, which is all ``rounds`` merged.

    A limit beyond the largest or smallest sample is not known: then there is no interval. Nor is
    there one where rounds differ so much in the tail that one or two of them decide the percentile:
    no method knows a mixture of many rounds from so few. One round gives none. `two_level` tells of
    a typical round, this of all samples; the two values differ.

    Raises:
        ValueError: if ``rounds`` is empty or does not add up to ``pooled``, if ``percent`` is not
            strictly between 0 and 100, or ``confidence`` not between 0 and 1.
    """
    check_confidence(confidence)
    n, values = pooled.count, pooled.values
    if sum(r.count for r in rounds) != n:
        raise ValueError(f"rounds hold {sum(r.count for r in rounds)} samples, pooled holds {n}")
    value = pooled.percentile(percent)
    none = Estimate(value, None, None, None, n, len(rounds))
    if len(rounds) < 2:
        return none
    share, tail = percent / 100.0, (1.0 - confidence) / 2.0
    between, inside = _variances(rounds, value)
    if _skewed(between, inside, len(rounds), share):
        return none
    effective = float(n)
    if between > 0.0:
        level = 1.0 - tail
        price = student_quantile(level, n - 1.0) / student_quantile(level, len(rounds) - 1.0)
        effective = min(effective, share * (1.0 - share) / between * price**2)
    if inside > 0.0:
        effective = min(effective, share * (1.0 - share) / inside)
    # So few that all of them may well lie on one side: that limit is beyond the data.
    if max(share, 1.0 - share) ** effective > tail:
        return none
    hits = share * effective
    low = beta_quantile(tail, hits, effective - hits + 1.0)
    high = beta_quantile(1.0 - tail, hits + 1.0, effective - hits)
    first, last = (min(max(int(np.ceil(limit * n)), 1), n) - 1 for limit in (low, high))
    low_value, high_value = min(float(values[first]), value), max(float(values[last]), value)
    return Estimate(value, low_value, high_value, confidence, n, len(rounds))


def _variances(rounds: Sequence[Round], value: float) -> tuple[float, float]:
    """Variances of the pooled share at or below ``value``: from how the rounds' shares differ (as
    of a ratio of totals), and from the variation inside the rounds, whose samples are
    autocorrelated."""
    sizes = np.array([r.count for r in rounds], dtype=np.float64)
    hits = np.array([np.searchsorted(r.ordered.values, value, side="right") for r in rounds])
    total, shares = float(sizes.sum()), hits / sizes
    residuals = hits - sizes * (float(hits.sum()) / total)
    n = len(rounds)
    between = n / (n - 1) * float(np.square(residuals).sum()) / total**2
    effective = np.array([effective_hits(r, value) for r in rounds])
    inside = float((np.square(sizes / total) * shares * (1.0 - shares) / effective).sum())
    return between, inside


def _skewed(between: float, inside: float, rounds: int, share: float) -> bool:
    """Whether the rounds' shares beyond a percentile are too skewed for Student's t.

    Cochran (1977, "Sampling Techniques", section 2.15) asks for n > 25 G1**2 values of skewness G1.
    Few shares do not reveal their skewness, but their spread does: shares t whose logits are
    normal, with a small coefficient of variation c, have G1 = 3 c (1 - 2 t). The lower 95 % limit
    of c is taken, so that intervals are not given where c came out small and withheld where it came
    out large; and without what is within rounds, whose skewness is in the binomial limits.
    """
    least = between * (rounds - 1) / chi_square_quantile(0.95, rounds - 1.0) - inside
    if least <= 0.0:
        return False
    smaller = min(share, 1.0 - share)
    spread = sqrt(least * rounds) / smaller
    return rounds <= 25.0 * (3.0 * spread * (1.0 - 2.0 * smaller)) ** 2
