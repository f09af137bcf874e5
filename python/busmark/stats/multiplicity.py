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
    p = as_sample(p_values, "p_values")
    if p.min() < 0.0 or p.max() > 1.0:
        raise ValueError("p_values must lie between 0 and 1")
    order = np.argsort(p, kind="stable")
    steps = np.maximum.accumulate(p[order] * np.arange(p.size, 0, -1))
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(steps, 1.0)
    return adjusted
