"""The few scipy functions in use, imported on first call.

Importing ``scipy.stats`` takes longer than importing everything else together, and a program
that only describes a sample does not need it.
"""

from collections.abc import Sequence
from importlib import import_module

from busmark.stats._check import FloatArray


def normal_quantile(probability: float) -> float:
    """Quantile of the standard normal distribution."""
    return float(import_module("scipy.special").ndtri(probability))


def student_quantile(probability: float, degrees: float) -> float:
    """Quantile of Student's t distribution; ``degrees`` need not be whole."""
    return float(import_module("scipy.special").stdtrit(degrees, probability))


def student_beyond(value: float, degrees: float) -> float:
    """Probability that Student's t lies above ``value``."""
    return float(import_module("scipy.special").stdtr(degrees, -value))


def normal_beyond(value: float) -> float:
    """Probability that a standard normal variable lies above ``value``."""
    return float(import_module("scipy.special").ndtr(-value))


def chi_square_quantile(probability: float, degrees: float) -> float:
    """Quantile of the chi-square distribution."""
    return float(2.0 * import_module("scipy.special").gammaincinv(degrees / 2.0, probability))


def binomial_quantile(probability: float, trials: int, success: float) -> int:
    """Smallest k with P(K <= k) >= ``probability`` for K ~ Binomial(trials, success)."""
    return int(import_module("scipy.stats").binom.ppf(probability, trials, success))


def beta_quantile(probability: float, a: float, b: float) -> float:
    """Quantile of the beta distribution with parameters ``a`` and ``b``."""
    return float(import_module("scipy.special").betaincinv(a, b, probability))


def kendall_p_value(x: FloatArray, y: FloatArray) -> float:
    """Two-sided p-value of Kendall's tau; NaN when either argument is constant."""
    test = import_module("scipy.stats").kendalltau
    # What wraps it looks for axes and NaN, which takes ten times as long as a test of 20 values.
    return float(getattr(test, "__wrapped__", test)(x, y).pvalue)


def kruskal_p_value(samples: Sequence[FloatArray]) -> float:
    """p-value of the Kruskal-Wallis test; the values must not all be equal."""
    return float(import_module("scipy.stats").kruskal(*samples).pvalue)


def linear_program(
    cost: Sequence[float], rows: FloatArray, limits: FloatArray, second: tuple[float, float]
) -> tuple[float, float] | None:
    """The two variables that minimise ``cost`` under ``rows @ x <= limits`` and bounds of the
    second; None where nothing satisfies them, or nothing is least."""
    found = import_module("scipy.optimize").linprog(
        cost, A_ub=rows, b_ub=limits, bounds=[(None, None), second], method="highs"
    )
    return (float(found.x[0]), float(found.x[1])) if found.success else None


def gaussian_smooth(y: FloatArray, sigma: float) -> FloatArray:
    """Convolve ``y`` with a Gaussian of ``sigma`` bins, taking ``y`` as zero outside."""
    smooth: FloatArray = import_module("scipy.ndimage").gaussian_filter1d(y, sigma, mode="constant")
    return smooth


def peaks_and_prominences(y: FloatArray) -> tuple[list[int], FloatArray]:
    """Positions of the local maxima of ``y`` and the topographic prominence of each."""
    positions, properties = import_module("scipy.signal").find_peaks(y, prominence=0.0)
    prominences: FloatArray = properties["prominences"]
    return [int(p) for p in positions], prominences
