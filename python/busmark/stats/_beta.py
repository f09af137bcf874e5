"""Quantiles of a beta distribution at many evenly spaced probabilities.

The inverse of the incomplete beta function takes some microseconds, and an inner variance asks for
`POINTS` of them. As a function of the standard normal quantile of the same probability it is so
smooth (Cornish & Fisher 1937), unless a parameter is small, that a polynomial through a tenth of
the points is as exact as the numbers are; a test holds the two against each other. It is evaluated
by the barycentric formula (Berrut & Trefethen 2004, "Barycentric Lagrange interpolation", SIAM
Review 46(3)), which is one product of a constant matrix.
"""

from functools import cache

import numpy as np

from busmark.stats._check import FloatArray
from busmark.stats._scipy import beta_quantiles, normal_probabilities, normal_quantiles

POINTS = 500
"""At which the distribution is evaluated."""

MIDPOINTS = (np.arange(POINTS) + 0.5) / POINTS

NODES = 24
"""Nodes of the polynomial."""

SMOOTH = 8.0
"""The least parameter from which on it will do."""


def beta_midpoints(a: float, b: float) -> FloatArray:
    """Quantiles of the beta distribution with parameters ``a`` and ``b`` at `MIDPOINTS`."""
    if min(a, b) < SMOOTH:
        return beta_quantiles(MIDPOINTS, a, b)
    probabilities, weights = _polynomial()
    # Not by `@`: for so small a product libraries of linear algebra start threads.
    result: FloatArray = np.einsum("ij,j->i", weights, beta_quantiles(probabilities, a, b))
    return result


@cache
def _polynomial() -> tuple[FloatArray, FloatArray]:
    """Probabilities of the nodes, shape (nodes,), and what each contributes to each midpoint, shape
    (midpoints, nodes). Nodes are Chebyshev's of the second kind, so the ends are two of them."""
    at = normal_quantiles(MIDPOINTS)
    nodes = at[-1] * np.cos(np.pi * np.arange(NODES - 1, -1, -1) / (NODES - 1))
    nodes[0], nodes[-1] = at[0], at[-1]
    signs = np.where(np.arange(NODES) % 2, -1.0, 1.0)
    signs[[0, -1]] /= 2.0
    gaps = at[1:-1, np.newaxis] - nodes
    weights = np.zeros((POINTS, NODES))
    weights[1:-1] = signs / gaps
    weights[1:-1] /= weights[1:-1].sum(axis=1, keepdims=True)
    weights[0, 0] = weights[-1, -1] = 1.0
    return normal_probabilities(nodes), weights
