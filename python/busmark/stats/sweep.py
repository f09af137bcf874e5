"""What several rounds measured at several points: lines, values between points, knees."""

from dataclasses import dataclass, replace
from math import hypot, sqrt

import numpy as np
from numpy.typing import ArrayLike

from busmark.stats._scipy import isotonic, student_quantile
from busmark.stats.intervals import Estimate, typical
from busmark.stats.sample import FloatArray, as_sample, check_confidence


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


# A straight line through what several rounds measured at several points, robustly.
#
# The level at a point is the median over rounds, so that every point weighs the same however many
# rounds it has, and up to half of its rounds may be wild. The line follows Theil (1950), "A rank-
# invariant method of linear and polynomial regression analysis", and Sen (1968), "Estimates of the
# regression coefficient based on Kendall's tau", JASA 63(324): the slope is the median slope of all
# pairs of points, the intercept the median of what is left. 29 % of many points may lie anywhere;
# of four, one.
#
# Two things make a figure of the line uncertain, and the half-length of its interval is the
# hypotenuse of both:
#
# - Rounds differ: t(n - 1) times the standard error of a bootstrap whose clusters are the n rounds
#   (Davison & Hinkley 1997, "Bootstrap methods and their application", section 3.8). A drawn round
#   brings its values at all points, so that what slowed a whole round is drawn with it. It is not
#   the interval of a typical round (`typical`), which covers one figure: a line needs its levels at
#   all points drawn together, for slope and intercept depend on how they move with each other, and
#   a round that was slow at every point moves the intercept and not the slope.
# - The truth is not quite a line: t(p - 2) times the standard error that least squares with weights
#   1 / level**2 has over p points, the size of relative departures being taken from the cross-
#   validation errors, each shrunk by its leverage (the predicted residuals of Allen 1974, "The
#   relationship between variable selection and data augmentation and a method for prediction",
#   Technometrics 16(1)). A prediction has a departure of its own besides.
#
# Simulated coverage of the 95 % intervals in per cent, intercept / slope / prediction between the
# points, which are a constant factor apart from 64 to 65536, for a slope that makes the last value
# three times the first (1000 sets, standard error 0.7):
#
#     points                              3           4           6          10
#     a line, 5 rounds          100/100/100 100/100/100 100/100/100  99/100/100
#     bent, 5 rounds               98/97/97    97/98/97    98/96/96    97/96/96
#     bent, 20 quiet rounds        96/96/96    96/95/96    95/93/95    94/93/96
#
# Rounds vary by 2 %, and each value in them by 2 % (quiet: 0.5 %); "bent": every point, and the one
# predicted, departs from the line by a further 5 %. Without the second part the intercept's
# interval covers 20 to 80 % of a bent truth.
#
# Where one value in ten is 1.5 or 2 times too high, or two in ten 1.5 times, intercept, slope and
# prediction of a line are covered by 99 to 100 % at 3, 5, 10 and 20 rounds (4 points, 300 sets).

MIN_POINTS = 3
"""Fewest points of a line: two make one, and the third says how far it is off."""

LINE_RESAMPLES = 1000
"""Replicates drawn: a standard error is then known to about 2 %."""


@dataclass(frozen=True, slots=True)
class FittedLine:
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
        """Estimate ``design`` times the coefficients; one round gives no interval."""
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
) -> FittedLine:
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
    return FittedLine(
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
    """Fit lines through ``y``, (..., points), at ``x``: intercepts and slopes, shape (..., 2).

    It does what `scipy.stats.theilslopes(y, x, method="joint")` does, for many ``y`` at once.
    """
    first, second = np.triu_indices(x.size, 1)
    slope = np.median((y[..., second] - y[..., first]) / (x[second] - x[first]), axis=-1)
    intercept = np.median(y - slope[..., None] * x, axis=-1)
    return np.stack([intercept, slope], axis=-1)


def _left_out(x: FloatArray, level: FloatArray, index: int) -> float:
    """Return the relative error at one point of the line through all others."""
    intercept, slope = theil_sen(np.delete(x, index), np.delete(level, index))
    return float((intercept + slope * x[index]) / level[index] - 1.0)


def _medians(drawn: FloatArray, level: FloatArray) -> FloatArray:
    """Return medians over drawn rounds, shape (resamples, rounds, points); a point of which no
    drawn round has a value keeps its level."""
    if not np.isnan(drawn).any():
        whole: FloatArray = np.median(drawn, axis=1)
        return whole
    empty = np.isnan(drawn).all(axis=1, keepdims=True)
    medians: FloatArray = np.nanmedian(np.where(empty, level, drawn), axis=1)
    return medians


MIN_CURVE = 3
"""Fewest points of a curve: with one left out, two still have something between them."""


@dataclass(frozen=True, slots=True)
class SweepCurve:
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


def curve_between(x: ArrayLike, values: ArrayLike, confidence: float = 0.95) -> SweepCurve:
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
    return SweepCurve(points, table, held_out, confidence)


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
    """Estimate the typical difference from the floor, of the rounds that have both."""
    differences = table[:, index] - table[:, floor]
    known = differences[~np.isnan(differences)]
    return typical(known, confidence) if known.size else None


def _crossing(
    points: FloatArray, floor: int, rises: list[float | None], rise: float
) -> float | None:
    """Find where the line between the last point below ``rise`` and the first beyond crosses it."""
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
