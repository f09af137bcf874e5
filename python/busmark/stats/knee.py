"""The knee of a rising curve: where it has left its floor by more than is tolerated."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from busmark.stats._check import FloatArray, as_sample, check_confidence
from busmark.stats._scipy import isotonic
from busmark.stats._table import as_table
from busmark.stats.estimate import Estimate
from busmark.stats.typical import typical

MIN_AROUND = 2
"""Fewest points of a knee: one on the floor, one beyond."""


@dataclass(frozen=True, slots=True)
class Knee:
    """Where a curve leaves its floor.

    Attributes:
        value: where the medians over rounds cross, between two points; None when they do not stay
            beyond the tolerated rise up to the last point.
        low: up to here the curve is shown to be on its floor.
        high: from here on it is shown to have left it; None when that is shown nowhere.
        floor: index of the point with the lowest median, with which all others are compared.
        confidence: with which [low, high] holds the knee; where ``high`` is None, with which the
            knee is not below ``low``, at least.
        rounds: number of rounds.
    """

    value: float | None
    low: float
    high: float | None
    floor: int
    confidence: float
    rounds: int


def knee(x: ArrayLike, values: ArrayLike, rise: float, confidence: float = 0.95) -> Knee:
    """Find where ``values``, shape (rounds, points), exceed their floor by more than ``rise``.

    ``x``, shape (points,), is ascending. NaN is a value that a round does not have. For a relative
    rise pass logarithms. Rounds are compared with themselves: the floor's value of a round is taken
    from its others, so what is common to a round cancels.

    The limits are the stepwise confidence interval of Hsu & Berger (1999), "Stepwise confidence
    intervals without multiplicity adjustment for dose-response and toxicity studies", JASA 94(446).
    From the floor upwards each point is tested for a rise above ``rise``, by the interval of
    `typical` over rounds, until one is not shown to be below it; from the last point downwards,
    until one is not shown to be above. Either stops at its first failure, therefore no step needs a
    correction for the others. Nothing is assumed of the curve but that beyond the knee it stays
    beyond, and the knee is never known better than to the points around it.

    The floor is the point with the lowest median, chosen from the same data. That makes it a little
    too low, and ``low`` too cautious, by less than ``rise`` where rounds agree to within it.

    With one round nothing is shown: ``low`` is the floor's point and ``high`` is None.

    Raises:
        ValueError: if shapes do not fit, points are not ascending, there are fewer than two, a
            point has no value, a value is infinite, ``rise`` is not positive, or ``confidence`` is
            outside (0, 1).
    """
    check_confidence(confidence)
    points, table = as_table(x, values, MIN_AROUND)
    if not rise > 0.0:
        raise ValueError(f"rise must be positive, got {rise}")
    floor = int(np.argmin(np.nanmedian(table, axis=0)))
    above = [_rise(table, floor, index, confidence) for index in range(floor + 1, points.size)]
    low = floor
    for index, estimate in enumerate(above, floor + 1):
        if estimate is None or estimate.high is None or estimate.high > rise:
            break
        low = index
    high = points.size
    for index, estimate in reversed(list(enumerate(above, floor + 1))):
        if estimate is None or estimate.low is None or estimate.low <= rise:
            break
        high = index
    return Knee(
        value=_crossing(points, floor, [e.value if e else None for e in above], rise),
        low=float(points[low]),
        high=float(points[high]) if high < points.size else None,
        floor=floor,
        confidence=confidence,
        rounds=table.shape[0],
    )


def _rise(table: FloatArray, floor: int, index: int, confidence: float) -> Estimate | None:
    """Typical difference from the floor, of the rounds that have both."""
    differences = table[:, index] - table[:, floor]
    known = differences[~np.isnan(differences)]
    return typical(known, confidence) if known.size else None


def _crossing(
    points: FloatArray, floor: int, rises: list[float | None], rise: float
) -> float | None:
    """Where the line between the last point below ``rise`` and the first beyond crosses it."""
    beyond = None
    for index in range(len(rises) - 1, -1, -1):
        value = rises[index]
        if value is None or value <= rise:
            break
        beyond = index
    if beyond is None:
        return None
    before = rises[beyond - 1] if beyond else 0.0
    after = rises[beyond]
    right = float(points[floor + 1 + beyond])
    if before is None or after is None:
        return right
    left = float(points[floor + beyond])
    return left + (rise - before) / (after - before) * (right - left)


def rising(y: ArrayLike) -> FloatArray:
    """Return the values, shape (n,), nearest to ``y`` by least squares that never fall.

    Neighbours that fall are pooled (Ayer and others 1955, "An empirical distribution function for
    sampling with incomplete information", Annals of Mathematical Statistics 26).

    Raises:
        ValueError: if ``y`` is empty, not one-dimensional, or holds NaN or an infinity.
    """
    return isotonic(as_sample(y, "y"))
