"""The rising curve nearest to what was measured."""

from numpy.typing import ArrayLike

from busmark.stats._check import FloatArray, as_sample
from busmark.stats._scipy import isotonic


def rising(y: ArrayLike) -> FloatArray:
    """Return the values, shape (n,), nearest to ``y`` by least squares that never fall.

    Neighbours that fall are pooled (Ayer and others 1955, "An empirical distribution function for
    sampling with incomplete information", Annals of Mathematical Statistics 26).

    Raises:
        ValueError: if ``y`` is empty, not one-dimensional, or holds NaN or an infinity.
    """
    return isotonic(as_sample(y, "y"))
