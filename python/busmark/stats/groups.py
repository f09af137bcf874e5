"""Whether groups of values differ."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from busmark.stats._check import FloatArray, as_sample
from busmark.stats._scipy import kruskal_p_value

MIN_GROUP = 5
"""Fewest values of a group: below, the chi-square approximation of the test is poor (Kruskal &
Wallis 1952, section 3)."""


@dataclass(frozen=True, slots=True)
class Difference:
    """How groups differ.

    Attributes:
        p_value: of the Kruskal-Wallis test that all groups come from one distribution.
        spread: greatest minus smallest median.
        lowest: index of the group of the smallest median.
        highest: index of the group of the greatest.
    """

    p_value: float
    spread: float
    lowest: int
    highest: int


def difference(groups: Sequence[ArrayLike]) -> Difference | None:
    """Test whether ``groups``, each of shape (n_i,), differ in location; None for fewer than two
    groups of at least `MIN_GROUP` values, or where all values are equal.

    Smaller groups are left out, indices refer to ``groups``. Kruskal & Wallis (1952), "Use of ranks
    in one-criterion variance analysis", JASA 47(260).

    Raises:
        ValueError: if a group that counts is not one-dimensional, or holds NaN or an infinity.
    """
    samples = {i: as_sample(g, f"group {i}") for i, g in enumerate(groups) if np.size(g)}
    known = {i: sample for i, sample in samples.items() if sample.size >= MIN_GROUP}
    if len(known) < 2 or np.ptp(np.concatenate(list(known.values()))) == 0.0:
        return None
    medians = {i: float(np.median(sample)) for i, sample in known.items()}
    lowest, highest = min(medians, key=medians.__getitem__), max(medians, key=medians.__getitem__)
    return Difference(
        kruskal_p_value(list(known.values())), medians[highest] - medians[lowest], lowest, highest
    )


# A campaign of a hundred cases that each test at 5 % shows five differences where there are none.


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
