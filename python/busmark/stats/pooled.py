"""Percentiles of all rounds together, with an interval that respects the rounds."""

from collections.abc import Sequence

import numpy as np

from busmark.stats._check import FloatArray, check_confidence
from busmark.stats._scipy import beta_quantile, student_quantile
from busmark.stats.estimate import Estimate
from busmark.stats.ordered import Ordered
from busmark.stats.percentiles import rank


def pooled_percentile(
    rounds: Sequence[Ordered], pooled: Ordered, percent: float, confidence: float = 0.95
) -> Estimate:
    """Return a percentile of ``pooled``, which is all ``rounds`` merged.

    The interval is Woodruff's (1952, "Confidence intervals for medians and other position
    measures", JASA 47): limits for the share of samples at or below the percentile, read off the
    pooled distribution. Those limits are the ones of Clopper & Pearson for clustered counts (Korn &
    Graubard 1998, "Confidence intervals for proportions with small expected number of positive
    counts", Survey Methodology 24): the rounds' shares give the variance of the pooled share, that
    the effective number of samples, and Student's t of n - 1 over that of all samples its price for
    few rounds. Nothing is assumed of the distribution. It never credits more samples than there
    are.

    A limit beyond the largest or smallest sample is not known: then there is no interval. One
    round gives none. For long rounds that differ much, `two_level` tells of a typical round, this
    of all samples; the two values differ.

    Raises:
        ValueError: if ``rounds`` is empty or does not add up to ``pooled``, if ``percent`` is not
            strictly between 0 and 100, or ``confidence`` not between 0 and 1.
    """
    check_confidence(confidence)
    sizes = np.array([r.count for r in rounds], dtype=np.float64)
    n, values = pooled.count, pooled.values
    if int(sizes.sum()) != n:
        raise ValueError(f"rounds hold {int(sizes.sum())} samples, pooled holds {n}")
    value = float(values[rank(percent, n) - 1])
    if len(rounds) < 2:
        return Estimate(value, None, None, None, n, len(rounds))
    at_or_below = [float(np.searchsorted(r.values, value, side="right")) for r in rounds]
    share = percent / 100.0
    tail = (1.0 - confidence) / 2.0
    effective = _effective(np.array(at_or_below), sizes, share, confidence)
    # So few that all of them may well lie on one side: that limit is beyond the data.
    if max(share, 1.0 - share) ** effective > tail:
        return Estimate(value, None, None, None, n, len(rounds))
    hits = share * effective
    low = beta_quantile(tail, hits, effective - hits + 1.0)
    high = beta_quantile(1.0 - tail, hits + 1.0, effective - hits)
    first, last = (min(max(int(np.ceil(limit * n)), 1), n) - 1 for limit in (low, high))
    low_value, high_value = min(float(values[first]), value), max(float(values[last]), value)
    return Estimate(value, low_value, high_value, confidence, n, len(rounds))


def _effective(
    at_or_below: FloatArray, sizes: FloatArray, share: float, confidence: float
) -> float:
    """Independent samples that know the pooled share as well as these rounds do."""
    rounds, total = sizes.size, float(sizes.sum())
    residuals = at_or_below - sizes * (float(at_or_below.sum()) / total)
    variance = rounds / (rounds - 1) * float(np.square(residuals).sum()) / total**2
    if variance == 0.0:
        return total
    level = 0.5 + confidence / 2.0
    price = student_quantile(level, total - 1.0) / student_quantile(level, rounds - 1.0)
    return min(share * (1.0 - share) / variance * price**2, total)
