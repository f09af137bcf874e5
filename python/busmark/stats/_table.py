"""Validation of what several rounds measured at several points."""

import numpy as np
from numpy.typing import ArrayLike

from busmark.stats._check import FloatArray, as_sample


def as_table(x: ArrayLike, values: ArrayLike, fewest: int) -> tuple[FloatArray, FloatArray]:
    """Return ``x``, shape (points,), and ``values``, shape (rounds, points), as float arrays.

    NaN stands for a value that a round does not have; each point needs one at least.

    Raises:
        ValueError: if shapes do not fit, ``x`` is not ascending, there are fewer than ``fewest``
            points, a point has no value, or a value is infinite.
    """
    points = as_sample(x, "x")
    table = np.asarray(values, dtype=np.float64)
    if table.ndim != 2 or table.shape[1] != points.size:
        raise ValueError(f"values must be (rounds, {points.size}), got {table.shape}")
    if points.size < fewest:
        raise ValueError(f"{points.size} points, at least {fewest} are needed")
    if (np.diff(points) <= 0.0).any():
        raise ValueError("x must be ascending, each point once")
    if np.isinf(table).any():
        raise ValueError("values hold an infinity")
    if np.isnan(table).all(axis=0).any():
        raise ValueError("a point has no value in any round")
    return points, table
