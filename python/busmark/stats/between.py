"""Values between points that were measured, and how far such values are off."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from busmark.stats._check import FloatArray, check_confidence
from busmark.stats._table import as_table
from busmark.stats.estimate import Estimate
from busmark.stats.typical import typical

MIN_CURVE = 3
"""Fewest points of a curve: with one left out, two still have something between them."""


@dataclass(frozen=True, slots=True)
class Curve:
    """A curve of straight pieces through the medians over rounds; one bad round does not move it.

    Attributes:
        x: the points, ascending, shape (points,).
        values: one row per round, NaN where it has no value; shape (rounds, points).
        held_out: for each point but the first and the last, the error, predicted - measured, of the
            straight piece between its neighbours; shape (points - 2,).
        confidence: of all intervals.
    """

    x: FloatArray
    values: FloatArray
    held_out: FloatArray
    confidence: float

    def at(self, x: float) -> Estimate:
        """Predict the value at ``x``, between the first and the last point.

        At a measured point it is the interval of a typical round, by `typical`. Between two points
        it is on the straight piece between their medians, with the interval of what is interpolated
        in each round that has both; the interval reaches further to either side by the larger
        cross-validation error of the two points. For a curve with one bend, and for one of constant
        curvature, over points equally far apart or apart by a constant factor, that error is an
        upper bound of what a straight piece within is off; the first and the last piece have one
        such point only.

        One round gives no interval.

        Raises:
            ValueError: if ``x`` is outside the points.
        """
        if not self.x[0] <= x <= self.x[-1]:
            raise ValueError(f"{x} is outside [{self.x[0]}, {self.x[-1]}]")
        right = int(np.searchsorted(self.x, x))
        if self.x[right] == x:
            return self._typical(self.values[:, right])
        left = right - 1
        share = (x - self.x[left]) / (self.x[right] - self.x[left])
        levels = np.nanmedian(self.values[:, left : right + 1], axis=0)
        value = float((1.0 - share) * levels[0] + share * levels[1])
        per_round = (1.0 - share) * self.values[:, left] + share * self.values[:, right]
        if np.isnan(per_round).all():
            return Estimate(value, None, None, None, 0, 0)
        found = self._typical(per_round)
        if found.low is None or found.high is None:
            return replace(found, value=value)
        near = [i - 1 for i in (left, right) if 0 < i < self.x.size - 1]
        off = float(np.abs(self.held_out[near]).max())
        low, high = min(found.low, value) - off, max(found.high, value) + off
        return Estimate(value, low, high, found.confidence, found.count, found.rounds)

    def _typical(self, per_round: FloatArray) -> Estimate:
        return typical(per_round[~np.isnan(per_round)], self.confidence)


def curve_between(x: ArrayLike, values: ArrayLike, confidence: float = 0.95) -> Curve:
    """Make a curve through ``values``, shape (rounds, points), at the points ``x``, (points,).

    NaN is a value that a round does not have. A curve that is straight on logarithms is made of
    logarithms, by the caller. ``count`` and ``rounds`` of its estimates are the rounds used.

    Raises:
        ValueError: if shapes do not fit, points are not ascending, there are fewer than
            `MIN_CURVE`, a point has no value, a value is infinite, or ``confidence`` is outside
            (0, 1).
    """
    check_confidence(confidence)
    points, table = as_table(x, values, MIN_CURVE)
    levels = np.nanmedian(table, axis=0)
    share = (points[1:-1] - points[:-2]) / (points[2:] - points[:-2])
    held_out = (1.0 - share) * levels[:-2] + share * levels[2:] - levels[1:-1]
    return Curve(points, table, held_out, confidence)
