"""The few scipy functions in use.

``scipy.special`` and ``scipy.ndimage`` are what every report needs. Importing ``scipy.stats`` or
``scipy.signal`` takes longer than everything else together, and ``scipy.optimize`` half of that: no
report needs them, unless it has clocks of several hosts or a curve of capacity.
"""

from collections.abc import Callable, Sequence
from math import exp, inf, pi, sqrt

import scipy

from busmark.stats.sample import FloatArray


def normal_quantile(probability: float) -> float:
    """Return the quantile of the standard normal distribution."""
    return float(scipy.special.ndtri(probability))


def normal_quantiles(probabilities: FloatArray) -> FloatArray:
    """Return several quantiles of the standard normal distribution."""
    return scipy.special.ndtri(probabilities)


def normal_probabilities(quantiles: FloatArray) -> FloatArray:
    """Return the probability that a standard normal variable lies below each of these."""
    return scipy.special.ndtr(quantiles)


def student_quantile(probability: float, degrees: float) -> float:
    """Return the quantile of Student's t distribution; ``degrees`` need not be whole."""
    return float(scipy.special.stdtrit(degrees, probability))


def student_beyond(value: float, degrees: float) -> float:
    """Return the probability that Student's t lies above ``value``."""
    return float(scipy.special.stdtr(degrees, -value))


def normal_beyond(value: float) -> float:
    """Return the probability that a standard normal variable lies above ``value``."""
    return float(scipy.special.ndtr(-value))


def chi_square_quantile(probability: float, degrees: float) -> float:
    """Return the quantile of the chi-square distribution."""
    return float(2.0 * scipy.special.gammaincinv(degrees / 2.0, probability))


def binomial_quantile(probability: float, trials: int, success: float) -> int:
    """Return the smallest k with P(K <= k) >= ``probability`` for K ~ Binomial(trials, success)."""
    return int(scipy.stats.binom.ppf(probability, trials, success))


def beta_quantile(probability: float, a: float, b: float) -> float:
    """Return the quantile of the beta distribution with parameters ``a`` and ``b``."""
    return float(scipy.special.betaincinv(a, b, probability))


def beta_below(value: float, a: float, b: float) -> float:
    """Return P(X < ``value``) for X ~ Beta(a, b)."""
    return float(scipy.special.betainc(a, b, value))


def beta_quantiles(probabilities: FloatArray, a: float, b: float) -> FloatArray:
    """Return quantiles of the beta distribution with parameters ``a`` and ``b``."""
    return scipy.special.betaincinv(a, b, probabilities)


def binomial_at_most(value: int, trials: int, success: float) -> float:
    """Return P(K <= ``value``) for K ~ Binomial(trials, success)."""
    return float(scipy.special.bdtr(value, trials, success))


def isotonic(y: FloatArray) -> FloatArray:
    """Return the rising values nearest to ``y``."""
    return scipy.optimize.isotonic_regression(y).x


def root(function: Callable[[float], float], low: float, high: float) -> float:
    """Find where ``function`` crosses 0 between ``low`` and ``high``."""
    return float(scipy.optimize.brentq(function, low, high, xtol=1e-12))


def range_miss(n: int, beyond: float) -> float:
    """Return the probability that 0 is below the smallest of n standard normal values by more than
    ``beyond`` times their range."""

    def density(x: float) -> float:
        within = scipy.special.ndtr(x * (1.0 + 1.0 / beyond)) - scipy.special.ndtr(x)
        return float(n * exp(-x * x / 2.0) / sqrt(2.0 * pi) * within ** (n - 1))

    return float(scipy.integrate.quad(density, 0.0, inf)[0])


def kruskal_p_value(samples: Sequence[FloatArray]) -> float:
    """Return the p-value of the Kruskal-Wallis test; the values must not all be equal."""
    return float(scipy.stats.kruskal(*samples).pvalue)


def linear_program(
    cost: Sequence[float], rows: FloatArray, limits: FloatArray, second: tuple[float, float]
) -> tuple[float, float] | None:
    """Find the two variables that minimise ``cost`` under ``rows @ x <= limits`` and bounds of the
    second; None where nothing satisfies them, or nothing is least."""
    found = scipy.optimize.linprog(
        cost, A_ub=rows, b_ub=limits, bounds=[(None, None), second], method="highs"
    )
    if not found.success or found.x is None:
        return None
    return float(found.x[0]), float(found.x[1])


def gaussian_smooth(y: FloatArray, sigma: float) -> FloatArray:
    """Convolve ``y`` with a Gaussian of ``sigma`` bins, taking ``y`` as zero outside."""
    return scipy.ndimage.gaussian_filter1d(y, sigma, mode="constant")
