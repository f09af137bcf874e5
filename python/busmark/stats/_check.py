"""Validation shared by every function that accepts a sample."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

FloatArray = NDArray[np.float64]


def as_sample(x: ArrayLike, name: str = "x") -> FloatArray:
    """Return ``x`` as a one-dimensional, non-empty, finite float array.

    A missing or infinite measurement has no place in an estimate; dropping it silently would
    change the population being described, so it is refused instead.

    Raises:
        ValueError: if ``x`` is not one-dimensional, is empty, or holds NaN or an infinity.
    """
    sample = np.asarray(x, dtype=np.float64)
    if sample.ndim != 1:
        raise ValueError(f"{name} must be one-dimensional, got {sample.ndim} dimensions")
    if sample.size == 0:
        raise ValueError(f"{name} is empty")
    # One pass without a temporary array: a sum is finite unless a member is not, and only the
    # rare overflow of a sum of finite members needs the element-wise check.
    with np.errstate(over="ignore", invalid="ignore"):
        total = sample.sum()
    if not np.isfinite(total) and not np.isfinite(sample).all():
        raise ValueError(f"{name} holds NaN or an infinite value")
    return sample


def as_positive(x: ArrayLike, name: str = "x") -> FloatArray:
    """Return ``x`` as `as_sample` does, and require every value to be above zero.

    Raises:
        ValueError: as `as_sample`, or if a value is zero or negative.
    """
    sample = as_sample(x, name)
    if sample.min() <= 0.0:
        raise ValueError(f"{name} must be positive: a value of zero or below has no logarithm")
    return sample


def check_confidence(confidence: float) -> None:
    """Require a confidence level strictly between 0 and 1.

    Raises:
        ValueError: if it is not.
    """
    if not 0.0 < confidence < 1.0:
        raise ValueError(f"confidence must lie strictly between 0 and 1, got {confidence}")


def narrowed(x: NDArray[Any]) -> NDArray[Any]:
    """Return whole numbers in 32 bits where they fit, which are parted in half the time; anything
    else is returned unchanged."""
    if x.dtype != np.int64 or not x.size:
        return x
    limits = np.iinfo(np.int32)
    return x.astype(np.int32) if limits.min <= x.min() and x.max() <= limits.max else x
