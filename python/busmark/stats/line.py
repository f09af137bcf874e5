"""A straight line through what several rounds measured at several points, robustly.

The level at a point is the median over rounds, so that every point weighs the same however many
rounds it has, and up to half of its rounds may be wild. The line follows Theil (1950), "A
rank-invariant method of linear and polynomial regression analysis", and Sen (1968), "Estimates of
the regression coefficient based on Kendall's tau", JASA 63(324): the slope is the median slope of
all pairs of points, the intercept the median of what is left. 29 % of many points may lie anywhere;
of four, one.

Two things make a figure of the line uncertain, and the half-length of its interval is the
hypotenuse of both:

- Rounds differ: t(n - 1) times the standard error of a bootstrap whose clusters are the n rounds
  (Davison & Hinkley 1997, "Bootstrap methods and their application", section 3.8). A drawn round
  brings its values at all points, so that what slowed a whole round is drawn with it.
  It is not the interval of a typical round (`typical`), which covers one figure: a line needs
  its levels at all points drawn together, for slope and intercept depend on how they move with
  each other, and a round that was slow at every point moves the intercept and not the slope.
- The truth is not quite a line: t(p - 2) times the standard error that least squares with weights
  1 / level**2 has over p points, the size of relative departures being taken from the
  cross-validation errors, each shrunk by its leverage (the predicted residuals of Allen 1974, "The
  relationship between variable selection and data augmentation and a method for prediction",
  Technometrics 16(1)). A prediction has a departure of its own besides.

Simulated coverage of the 95 % intervals in per cent, intercept / slope / prediction between the
points, which are a constant factor apart from 64 to 65536, for a slope that makes the last value
three times the first (1000 sets, standard error 0.7):

    points                              3           4           6          10
    a line, 5 rounds          100/100/100 100/100/100 100/100/100  99/100/100
    bent, 5 rounds               98/97/97    97/98/97    98/96/96    97/96/96
    bent, 20 quiet rounds        96/96/96    96/95/96    95/93/95    94/93/96

Rounds vary by 2 %, and each value in them by 2 % (quiet: 0.5 %); "bent": every point, and the one
predicted, departs from the line by a further 5 %. Without the second part the intercept's interval
covers 20 to 80 % of a bent truth.

Where one value in ten is 1.5 or 2 times too high, or two in ten 1.5 times, intercept, slope and
prediction of a line are covered by 99 to 100 % at 3, 5, 10 and 20 rounds (4 points, 300 sets).
"""

from dataclasses import dataclass
from math import hypot, sqrt

import numpy as np
from numpy.typing import ArrayLike

from busmark.stats._check import FloatArray, check_confidence
from busmark.stats._scipy import student_quantile
from busmark.stats._table import as_table
from busmark.stats.estimate import Estimate

MIN_POINTS = 3
"""Fewest points of a line: two make one, and the third says how far it is off."""

LINE_RESAMPLES = 1000
"""Replicates drawn: a standard error is then known to about 2 %."""


@dataclass(frozen=True, slots=True)
class Line:
    """A fitted line.

    Attributes:
        coefficients: intercept, in units of the values, and slope, per unit of the points.
        held_out: for each point the relative error, predicted / measured - 1, of the line through
            all others; shape (points,).
        replicates: coefficients of the bootstrap over rounds, shape (resamples, 2).
        covariance: of the coefficients, from the departures of the points; shape (2, 2).
        departure: standard deviation of the points' departures from the line, relative.
        confidence: of all intervals.
        count: number of values.
        rounds: number of rounds.
    """

    coefficients: FloatArray
    held_out: FloatArray
    replicates: FloatArray
    covariance: FloatArray
    departure: float
    confidence: float
    count: int
    rounds: int

    @property
    def intercept(self) -> Estimate:
        """The level at 0."""
        return self._estimate(np.array([1.0, 0.0]))

    @property
    def slope(self) -> Estimate:
        """The rise per unit of the points."""
        return self._estimate(np.array([0.0, 1.0]))

    def at(self, x: float) -> Estimate:
        """Predict the level at ``x``, a point that need not have been measured.

        Beyond the points the interval assumes that the line continues, with departures as before.
        """
        design = np.array([1.0, x])
        return self._estimate(design, self.departure * float(design @ self.coefficients))

    def _estimate(self, design: FloatArray, departure: float = 0.0) -> Estimate:
        """``design`` times the coefficients; one round gives no interval."""
        value = float(design @ self.coefficients)
        if self.rounds < 2:
            return Estimate(value, None, None, None, self.count, self.rounds)
        level = 0.5 + self.confidence / 2.0
        of_rounds = float((self.replicates @ design).std(ddof=1))
        of_points = sqrt(float(design @ self.covariance @ design) + departure**2)
        half = hypot(
            student_quantile(level, self.rounds - 1) * of_rounds,
            student_quantile(level, self.held_out.size - 2) * of_points,
        )
        limits = value - half, value + half
        return Estimate(value, *limits, self.confidence, self.count, self.rounds)


def robust_line(
    x: ArrayLike,
    values: ArrayLike,
    *,
    confidence: float = 0.95,
    resamples: int = LINE_RESAMPLES,
    seed: int,
) -> Line:
    """Fit a line to ``values``, shape (rounds, points), at the points ``x``, shape (points,).

    NaN is a value that a round does not have. Method, sources and coverage are in the module's
    description.

    Raises:
        ValueError: if shapes do not fit, points are not ascending, there are fewer than
            `MIN_POINTS`, a point has no value, a value is infinite or not positive, or
            ``confidence`` is outside (0, 1).
    """
    check_confidence(confidence)
    points, table = as_table(x, values, MIN_POINTS)
    if np.nanmin(table) <= 0.0:
        raise ValueError("values must be positive: errors are relative")
    rounds = table.shape[0]
    level = np.nanmedian(table, axis=0)
    held_out = np.array([_left_out(points, level, index) for index in range(points.size)])
    drawn = np.random.default_rng(seed).integers(0, rounds, (resamples, rounds))
    design = np.stack([np.ones_like(points), points], axis=1) / level[:, None]
    base, triangle = np.linalg.qr(design)
    leverage = np.minimum(np.sum(base**2, axis=1), 1.0)
    inverse = np.linalg.inv(triangle)
    departure = float(np.sqrt(np.mean(held_out**2 * (1.0 - leverage))))
    return Line(
        coefficients=theil_sen(points, level),
        held_out=held_out,
        replicates=theil_sen(points, _medians(table[drawn], level)),
        covariance=departure**2 * (inverse @ inverse.T),
        departure=departure,
        confidence=confidence,
        count=int(np.isfinite(table).sum()),
        rounds=rounds,
    )


def theil_sen(x: FloatArray, y: FloatArray) -> FloatArray:
    """Intercepts and slopes, shape (..., 2), of lines through ``y``, (..., points), at ``x``.

    As `scipy.stats.theilslopes(y, x, method="joint")`, but for many ``y`` at once.
    """
    first, second = np.triu_indices(x.size, 1)
    slope = np.median((y[..., second] - y[..., first]) / (x[second] - x[first]), axis=-1)
    intercept = np.median(y - slope[..., None] * x, axis=-1)
    return np.stack([intercept, slope], axis=-1)


def _left_out(x: FloatArray, level: FloatArray, index: int) -> float:
    """Relative error at one point of the line through all others."""
    intercept, slope = theil_sen(np.delete(x, index), np.delete(level, index))
    return float((intercept + slope * x[index]) / level[index] - 1.0)


def _medians(drawn: FloatArray, level: FloatArray) -> FloatArray:
    """Medians over drawn rounds, shape (resamples, rounds, points); a point of which no drawn round
    has a value keeps its level."""
    if not np.isnan(drawn).any():
        whole: FloatArray = np.median(drawn, axis=1)
        return whole
    empty = np.isnan(drawn).all(axis=1, keepdims=True)
    medians: FloatArray = np.nanmedian(np.where(empty, level, drawn), axis=1)
    return medians
