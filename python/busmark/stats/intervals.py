"""Student intervals for figures of which each round gives one."""

from math import sqrt

from numpy.typing import ArrayLike

from busmark.stats._check import as_sample, check_confidence
from busmark.stats._scipy import student_quantile
from busmark.stats.change import paired_change
from busmark.stats.estimate import Estimate


def t_interval(round_values: ArrayLike, confidence: float = 0.95) -> Estimate:
    """Return the mean of one value per round with Student's interval.

    value +- t(1 - a/2, n - 1) * s / sqrt(n) (Student 1908, "The probable error of a mean").
    ``round_values`` has shape (n,), one figure per round: a rate, a loss share, a CPU share.
    ``count`` and ``rounds`` of the result are both n. One round gives no interval.

    It is exact for independent normal values. For skewed values with few rounds it covers less
    than it says, most of it missing on the side of the long tail. It cannot see an influence
    that was the same in every round, such as one machine or one day.

    Raises:
        ValueError: if ``round_values`` is empty, not one-dimensional, or holds NaN or an
            infinity, or if ``confidence`` is not strictly between 0 and 1.
    """
    check_confidence(confidence)
    values = as_sample(round_values, "round_values")
    n = int(values.size)
    mean = float(values.mean())
    if n < 2:
        return Estimate(mean, None, None, None, count=n, rounds=n)
    error = float(values.std(ddof=1)) / sqrt(n)
    half = student_quantile(0.5 + confidence / 2.0, n - 1) * error
    return Estimate(mean, mean - half, mean + half, confidence, count=n, rounds=n)


def paired_ratio(a: ArrayLike, b: ArrayLike, confidence: float = 0.95) -> Estimate:
    """Return the median of ``a[i] / b[i]`` over interleaved pairs of rounds.

    ``a`` and ``b`` have the same shape (n,): entry i of each comes from neighbouring rounds, so
    that slow changes of the machine cancel in the ratio. The interval is computed by `typical` on
    the logs of the ratios and transformed back, so exchanging a and b inverts value and limits
    exactly (for an even number the median is the geometric mean of the middle two). ``count`` and
    ``rounds`` are both n. One pair gives no interval.

    It is a typical ratio, not the ratio of totals or of means, and an interval that excludes 1
    does not say which of the two systems a third workload would favour.

    Raises:
        ValueError: if the arrays differ in length, are empty, or hold NaN, an infinity or a
            value that is not positive; or if ``confidence`` is not strictly between 0 and 1.
    """
    return paired_change(a, b, confidence).estimate
