"""P-values of many tests, adjusted so that chance finds no more than it should.

A campaign of a hundred cases that each test at 5 % shows five differences where there are none.
"""

import numpy as np
from numpy.typing import ArrayLike

from busmark.stats._check import FloatArray, as_sample


def holm(p_values: ArrayLike) -> FloatArray:
    """Adjust for the chance of any false finding: Holm (1979), Scandinavian J. of Statistics 6.

    Shape (m,), in the order of ``p_values``. Findings with an adjusted value of at most a hold one
    that is false with a probability of at most a, however the tests depend on each other.

    Raises:
        ValueError: if ``p_values`` is empty, not one-dimensional, or holds a number outside [0, 1].
    """
    p, order = _sorted(p_values)
    steps = np.maximum.accumulate(p * np.arange(p.size, 0, -1))
    return _back(np.minimum(steps, 1.0), order)


def benjamini_hochberg(p_values: ArrayLike) -> FloatArray:
    """Adjust for the share of false findings: Benjamini & Hochberg (1995), J. R. Stat. Soc. B 57.

    Shape (m,), in the order of ``p_values``. Of the findings with an adjusted value of at most a, a
    share of at most a is false on average, if tests are independent or depend positively.

    Raises:
        ValueError: as `holm`.
    """
    p, order = _sorted(p_values)
    steps = p * p.size / np.arange(1, p.size + 1)
    return _back(np.minimum(np.minimum.accumulate(steps[::-1])[::-1], 1.0), order)


def _sorted(p_values: ArrayLike) -> tuple[FloatArray, np.ndarray[tuple[int], np.dtype[np.intp]]]:
    p = as_sample(p_values, "p_values")
    if p.min() < 0.0 or p.max() > 1.0:
        raise ValueError("p_values must lie between 0 and 1")
    order = np.argsort(p, kind="stable")
    return p[order], order


def _back(adjusted: FloatArray, order: np.ndarray[tuple[int], np.dtype[np.intp]]) -> FloatArray:
    result = np.empty_like(adjusted)
    result[order] = adjusted
    return result
