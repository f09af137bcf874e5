"""The interval of a share of counted things."""

from busmark.stats._check import check_confidence
from busmark.stats._scipy import beta_quantile
from busmark.stats.estimate import Estimate


def share_interval(hits: int, count: int, confidence: float = 0.95) -> Estimate:
    """Return ``hits`` / ``count`` with the interval of Clopper & Pearson (1934), "The use of
    confidence or fiducial limits illustrated in the case of the binomial", Biometrika 26(4).

    It covers at least ``confidence`` for independent things; none of n leaves a chance of about
    3.7 / n at 95 %. Losses come in bursts and rounds differ: for those see `t_interval`. ``rounds``
    is 1, for the count knows of no others.

    Raises:
        ValueError: unless 0 <= ``hits`` <= ``count`` and ``count`` > 0, or if ``confidence`` is
            outside (0, 1).
    """
    check_confidence(confidence)
    if not 0 <= hits <= count or count < 1:
        raise ValueError(f"{hits} of {count} is no share")
    tail = (1.0 - confidence) / 2.0
    low = beta_quantile(tail, hits, count - hits + 1) if hits else 0.0
    high = beta_quantile(1.0 - tail, hits + 1, count - hits) if hits < count else 1.0
    return Estimate(hits / count, low, high, confidence, count, rounds=1)
