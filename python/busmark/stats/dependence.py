"""Whether each round is like the one before it, and what that costs.

Rounds that follow each other are not independent where the machine changes slowly. The correlation
of neighbours is taken from ranks, so that one bad round does not decide it: one minus half the rank
version of von Neumann's ratio (Bartels 1982, "The rank version of von Neumann's ratio test for
randomness", JASA 77(377)).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import permutations
from math import sqrt

import numpy as np
from numpy.typing import ArrayLike

from busmark.stats._check import FloatArray, as_sample
from busmark.stats._rank import average_ranks
from busmark.stats._scipy import beta_below

MIN_TESTED = 5
"""Fewest rounds of a test: of four, the most telling order has a chance of 8 %."""

MIN_WIDENED = 8
"""Fewest rounds whose correlation widens an interval. With fewer it is known so badly that
intervals of independent rounds would grow by half."""

MAX_CORRELATION = 0.7
"""An estimate above it says little of how far above it is."""

SHOWN = 0.05
"""p-value at which a correlation is said to show."""

EXACT_TO = 8
"""Rounds up to which all orders are counted: 40,320."""


@dataclass(frozen=True, slots=True)
class Dependence:
    """How alike successive rounds are.

    Attributes:
        correlation: of successive rounds, with the bias of few rounds removed; -1 to 1.
        p_value: chance of an order as telling as this, or more, of independent rounds; one-sided,
            for it is likeness that makes intervals too narrow.
        rounds: number of rounds.
    """

    correlation: float
    p_value: float
    rounds: int


def dependence(values: ArrayLike) -> Dependence | None:
    """Test whether ``values``, one per round in the order of time, are independent of their order.

    None for fewer than `MIN_TESTED` rounds, or where all are equal. The p-value is exact up to
    `EXACT_TO` rounds; beyond, Bartels' beta distribution. A trend is found too.

    Raises:
        ValueError: if ``values`` is empty, not one-dimensional, or holds NaN or an infinity.
    """
    sample = as_sample(values, "values")
    n = int(sample.size)
    if n < MIN_TESTED or np.ptp(sample) == 0.0:
        return None
    ratio = _ratio(average_ranks(sample))
    if n <= EXACT_TO:
        null = _orders(n)
        p_value = float(np.searchsorted(null, ratio + 1e-9)) / null.size
    else:
        p_value = _beta_p_value(ratio, n)
    return Dependence(min(max(_unbiased(1.0 - ratio / 2.0, n), -1.0), 1.0), p_value, n)


def lengthening(values: ArrayLike, *, shown: bool = False) -> float:
    """The factor by which an interval has to be longer, because of the order of ``values``.

    It is sqrt(d / (1 - (d - 1) / (n - 1))), where d is by how much the variance of a mean of n
    values exceeds the variance for independent ones, 1 + 2 sum (1 - k/n) rho^k (Anderson 1971, "The
    Statistical Analysis of Time Series", section 8.2), and the denominator what their spread is too
    small by. rho is what `dependence` finds: 1 is the factor where that is not above 0, and for
    fewer than `MIN_WIDENED` rounds. At most `MAX_CORRELATION` is believed.

    Not only where a test shows it: with ten rounds whose neighbours correlate by 0.5 that happens
    in three of ten campaigns, and the others need the length as much. With ``shown`` only a
    correlation with a p-value of at most `SHOWN` counts.
    """
    sample = as_sample(values, "values")
    n = int(sample.size)
    found = dependence(sample) if n >= MIN_WIDENED else None
    if found is None or found.correlation <= 0.0 or (shown and found.p_value > SHOWN):
        return 1.0
    rho = min(found.correlation, MAX_CORRELATION)
    k = np.arange(1, n)
    excess = 2.0 * float(((1.0 - k / n) * rho**k).sum())
    return sqrt((1.0 + excess) / (1.0 - excess / (n - 1)))


def _ratio(ranks: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> float:
    deviation = ranks - ranks.mean()
    return float(np.square(np.diff(ranks)).sum() / np.square(deviation).sum())


def _unbiased(r: float, n: int) -> float:
    """Marriott & Pope (1954), "Bias in the estimation of autocorrelations", Biometrika 41: about a
    mean that is estimated too, a serial correlation is too small by (1 + 4 rho) / n."""
    return r + (1.0 + 4.0 * r) / n


@cache
def _orders(n: int) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    """The ratio of all orders of n different values, ascending."""
    ranks = np.array(list(permutations(range(n))), dtype=np.float64)
    squares = np.square(np.diff(ranks, axis=1)).sum(axis=1)
    return np.sort(squares / (n * (n * n - 1) / 12.0))


def _beta_p_value(ratio: float, n: int) -> float:
    """Bartels' approximation: the ratio, which lies between 0 and 4, is beta distributed."""
    variance = 4.0 * (n - 2) * (5.0 * n * n - 2 * n - 9) / (5.0 * n * (n + 1) * (n - 1) ** 2)
    shape = 2.0 / variance - 0.5
    return beta_below(min(max(ratio / 4.0, 0.0), 1.0), shape, shape)


def autocorrelation(x: ArrayLike, lags: int) -> FloatArray | None:
    """Return the autocorrelation of ``x`` at lags 0 to min(``lags``, n - 1); None if constant.

    r_k = sum_t (x_t - m)(x_{t+k} - m) / sum_t (x_t - m)**2 (Box & Jenkins 1970, section 2.1.5),
    computed by FFT. ``x`` has shape (n,), in time order. For independent values about 95 % of the
    r_k lie within 1.96 / sqrt(n) of 0.

    It sees linear dependence only, and a few extreme values decide it as they decide a variance.

    Raises:
        ValueError: if ``x`` is empty, not one-dimensional, or holds NaN or an infinity, or if
            ``lags`` < 0.
    """
    if lags < 0:
        raise ValueError(f"lags must not be negative, got {lags}")
    series = as_sample(x)
    deviation = series - series.mean()
    squares = float(np.square(deviation).sum())
    if np.ptp(series) == 0.0 or squares == 0.0:
        return None
    kept = min(lags, series.size - 1) + 1
    # Padded, so that at none of these lags its end meets its beginning.
    size = 1 << int(series.size + kept - 2).bit_length()
    power = np.abs(np.fft.rfft(deviation, size)) ** 2
    result: FloatArray = np.fft.irfft(power, size)[:kept] / squares
    return result
