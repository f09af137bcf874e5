"""The offset between two clocks, from messages that went there and back.

A message that leaves at T1 by the first clock and arrives at T2 by the second cannot have arrived
before it left, nor can its answer, sent at T3 by the second and received at T4 by the first. With
θ the second clock minus the first, T3 - T4 <= θ <= T2 - T1: each exchange gives a bound on either
side, and nothing is assumed of how the delay is divided. Many exchanges give many bounds, all of
which a line in time, offset and drift, must satisfy (Duda, Harrus, Haddad & Bernard 1987,
"Estimating global time in distributed systems", ICDCS; Zhang, Liu & Xia 2002, "Clock
synchronization algorithms for network measurements", INFOCOM).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from busmark.stats._scipy import linear_program
from busmark.stats.sample import FloatArray, Ordered, as_sample

BINS = 200
"""Pieces of time of which the tightest bound on either side is kept; others do not bind a line."""
MAX_DRIFT = 1e-3
"""Clocks that differ by more are no clocks (crystals: 1e-4)."""


@dataclass(frozen=True, slots=True)
class ClockOffset:
    """The second clock minus the first.

    Attributes:
        at: time by the first clock for which the figures hold, the middle of the exchanges.
        low: least offset that all exchanges allow, in the unit of the stamps.
        high: greatest.
        widest: how far `offset` may be off at any time of the exchanges: at their ends lines differ
            more than in the middle.
        drift: change of the offset per unit of time, of the line midway between the bounds.
        drift_bound: how far the true drift may be from `drift`, of all lines that the exchanges
            allow. Few of them, or a short time, leave it open.
        exchanges: number of them.
    """

    at: float
    low: float
    high: float
    widest: float
    drift: float
    drift_bound: float
    exchanges: int

    @property
    def value(self) -> float:
        """The middle of the bounds."""
        return (self.low + self.high) / 2.0

    @property
    def bound(self) -> float:
        """Return how far the true offset may be from `value`."""
        return (self.high - self.low) / 2.0

    def offset(self, time: ArrayLike) -> FloatArray:
        """Return the offset at times of the first clock, by value and drift; shape as ``time``."""
        elapsed = np.asarray(time, dtype=np.float64) - self.at
        result: FloatArray = self.value + self.drift * elapsed
        return result


def clock_offset(
    sent: ArrayLike, arrived: ArrayLike, answered: ArrayLike, received: ArrayLike
) -> ClockOffset | None:
    """Bound the offset between two clocks by exchanges, each of shape (n,), all in one unit.

    ``sent`` (T1) and ``received`` (T4) are by the first clock, ``arrived`` (T2) and ``answered``
    (T3) by the second. None where no line satisfies all bounds, as when a clock has stepped.

    Raises:
        ValueError: if the arrays are empty, differ in length, or hold NaN or an infinity.
    """
    t1, t2, t3, t4 = (
        as_sample(x, name)
        for x, name in zip(
            (sent, arrived, answered, received),
            ("sent", "arrived", "answered", "received"),
            strict=True,
        )
    )
    if len({t1.size, t2.size, t3.size, t4.size}) > 1:
        raise ValueError("sent, arrived, answered and received must have the same length")
    middle = float((t1.min() + t4.max()) / 2.0)
    # About the middle, where floating point resolves a nanosecond.
    base = float(np.median(t2 - t1))
    time_up, up = _tightest(t1 - middle, t2 - t1 - base, np.minimum)
    time_down, down = _tightest(t4 - middle, t3 - t4 - base, np.maximum)
    limits = _line(time_up, up, time_down, down)
    if limits is None:
        return None
    low, high, widest, drift, drift_bound = limits
    ends = (low + base, high + base)
    return ClockOffset(middle, *ends, widest, drift, drift_bound, int(t1.size))


def _tightest(
    time: FloatArray, bound: FloatArray, choose: np.ufunc
) -> tuple[FloatArray, FloatArray]:
    """Return the time and the value of the tightest bound in each piece of time."""
    span = float(np.ptp(time))
    pieces = np.zeros(time.size, dtype=np.int64)
    if span > 0.0:
        pieces = np.minimum(((time - time.min()) / span * BINS).astype(np.int64), BINS - 1)
    order = np.lexsort((bound if choose is np.minimum else -bound, pieces))
    first = order[np.concatenate([[True], np.diff(pieces[order]) > 0])]
    return time[first], bound[first]


def _line(
    time_up: FloatArray, up: FloatArray, time_down: FloatArray, down: FloatArray
) -> tuple[float, float, float, float, float] | None:
    """Return the least and the greatest value at time 0 of lines below all of ``up`` and above all
    of ``down``, how far any of them is from the line in the middle at most, the slope of that, and
    how far another line's slope may be from it; None if there is no such line."""
    scale = max(float(np.abs(np.concatenate([time_up, time_down])).max()), 1.0)
    rows = np.concatenate(
        [
            np.stack([np.ones_like(time_up), time_up / scale], axis=1),
            np.stack([-np.ones_like(time_down), -time_down / scale], axis=1),
        ]
    )
    limits = np.concatenate([up, -down])
    slopes = (-MAX_DRIFT * scale, MAX_DRIFT * scale)
    times = np.concatenate([time_up, time_down]) / scale
    costs = [(1.0, 0.0), (0.0, 1.0), (1.0, float(times.min())), (1.0, float(times.max()))]
    extremes = []
    for level, rise in costs:
        least = linear_program((level, rise), rows, limits, slopes)
        greatest = linear_program((-level, -rise), rows, limits, slopes)
        if least is None or greatest is None:
            return None
        extremes.append((least, greatest))
    (low, high), (falling, rising), *_ = extremes
    slope = (low[1] + high[1]) / 2.0
    off = max(rising[1] - slope, slope - falling[1], 0.0)
    # What lines differ by is convex in time: it is greatest at an end.
    middle = (low[0] + high[0]) / 2.0
    widest = max(
        abs(line[0] - middle + (line[1] - slope) * rise)
        for (level, rise), both in zip(costs, extremes, strict=True)
        if level
        for line in both
    )
    return low[0], high[0], widest, slope / scale, off / scale


POINTS = 4000
"""Quantiles that are looked at."""

SHARE = 0.95
"""Share of the samples that must lie on the steps: a few may come from a correction of the
clock."""

MIN_DISTINCT = 3
"""Different values, fewer of which have a common divisor by chance."""


def clock_step(x: Ordered) -> float:
    """Return the step, a whole number, of which the most frequent 95 % of ``x`` are all
    multiples; 0 where there is none, or too few different values to tell.

    A clock that counts in steps of 10 ns makes every difference of two readings a multiple of 10.
    Values that are no multiples of a half were not read off a clock in that unit. A clock whose
    step is no whole number (41.67 ns) is not recognised.
    """
    n = x.count
    at = np.linspace(0, n - 1, min(n, POINTS)).astype(np.int64)
    halves = x.values[at] * 2.0
    whole = np.rint(halves)
    if np.abs(halves - whole).max() > 1e-6 or np.abs(whole).max() >= 2**53:
        return 0.0
    found, counts = np.unique(whole.astype(np.int64), return_counts=True)
    order = np.argsort(-counts, kind="stable")
    needed = int(np.searchsorted(np.cumsum(counts[order]), SHARE * at.size)) + 1
    if needed < MIN_DISTINCT:
        return 0.0
    divisor = int(np.gcd.reduce(found[order[:needed]]))
    return divisor / 2.0
