"""The greatest rate that is sustained: a search by trials, and its confirmation."""

from __future__ import annotations

from math import isclose

import numpy as np

# Where a threshold lies, from trials that may mislead.
#
# Probabilistic bisection: the posterior of the threshold on a logarithmic grid, each trial at its
# median (Horstein 1963, "Sequential transmission using noiseless feedback", IEEE Transactions on
# Information Theory 9(3); Waeber, Frazier & Henderson 2013, "Bisection search with noisy
# responses", SIAM Journal on Control and Optimization 51(3)). Ordinary bisection never comes back
# from one wrong answer; here a wrong answer costs further trials.

CELLS = 2000


class Bisection:
    """The posterior of a threshold below which trials pass and above which they fail.

    The threshold may lie outside the range that is searched: a cell at each end stands for that.

    Attributes:
        low: least value searched, above 0.
        high: greatest.
    """

    def __init__(self, low: float, high: float, trust: float = 0.9) -> None:
        """Start a search from ``low`` to ``high``; ``trust`` is the probability with which a
        trial's outcome is on the right side of the threshold.

        Raises:
            ValueError: unless 0 < low < high and 0.5 < trust < 1.
        """
        if not 0.0 < low < high or not 0.5 < trust < 1.0:
            raise ValueError(f"need 0 < low < high and 0.5 < trust < 1: {low}, {high}, {trust}")
        self.low, self.high = low, high
        self._trust = trust
        self._edges = np.geomspace(low, high, CELLS + 1)
        # One cell below, the cells of the range, one above.
        self._mass = np.full(CELLS + 2, 1.0 / (CELLS + 2))

    def update(self, at: float, *, passed: bool) -> None:
        """Take in the outcome of a trial at ``at``."""
        below = 1 + int(np.clip(np.searchsorted(self._edges, at, side="left"), 0, CELLS))
        # Passed: the threshold is above, with the probability of a true answer.
        wrong = 1.0 - self._trust
        self._mass[:below] *= wrong if passed else self._trust
        self._mass[below:] *= self._trust if passed else wrong
        self._mass /= self._mass.sum()

    @property
    def next(self) -> float:
        """Where the next trial tells most: the edge of a cell that halves the posterior best."""
        below = np.cumsum(self._mass)[:-1]
        return float(self._edges[np.argmin(np.abs(below - 0.5))])

    def interval(self, confidence: float = 0.95) -> tuple[float, float]:
        """Return limits between which the threshold is with probability ``confidence``; ``low`` or
        ``high`` stand for all that is beyond them.

        Raises:
            ValueError: if ``confidence`` is outside (0, 1).
        """
        if not 0.0 < confidence < 1.0:
            raise ValueError(f"confidence must be between 0 and 1, got {confidence}")
        tail = (1.0 - confidence) / 2.0
        first, last = np.searchsorted(np.cumsum(self._mass), [tail, 1.0 - tail])
        # Cell i lies between the edges i - 1 and i; the outermost have but one.
        return float(self._edges[max(first - 1, 0)]), float(self._edges[min(last, CELLS)])


class SustainedRate:
    """Trials narrow the interval of the threshold; then further ones at its lower limit must all
    pass. One that fails goes into the search, which continues.

    RFC 2544, section 26.1, takes the greatest rate at which a trial showed no loss, which favours a
    lucky trial; ETSI GS NFV-TST 009 repeats trials for that reason (binary search with loss
    verification).

    Attributes:
        trials: outcomes taken in.
        confirmed: trials that have passed at `rate`, one after the other.
        rate: the candidate, lower limit of the interval when that was narrow; None before.
    """

    def __init__(
        self,
        low: float,
        high: float,
        *,
        precision: float = 0.05,
        confidence: float = 0.95,
        trust: float = 0.9,
        confirm: int = 3,
    ) -> None:
        """Start a search from ``low`` to ``high`` for an interval whose limits are apart by
        ``precision`` at most, relative to the lower, and that ``confirm`` trials confirm.

        Raises:
            ValueError: as `Bisection`.
        """
        self._bisection = Bisection(low, high, trust)
        self._precision, self._confidence, self._confirm = precision, confidence, confirm
        self.trials = 0
        self.confirmed = 0
        self.rate: float | None = None

    def take(self, at: float, *, passed: bool) -> None:
        """Take in a trial at the rate ``at``."""
        self.trials += 1
        if self.rate is not None and passed and isclose(at, self.rate):
            self.confirmed += 1
            return
        self._bisection.update(at, passed=passed)
        self.rate, self.confirmed = None, 0
        low, high = self.interval
        if high <= low * (1.0 + self._precision):
            self.rate = low

    @property
    def interval(self) -> tuple[float, float]:
        """Limits of the threshold as far as it is known; the range's stand for all beyond."""
        return self._bisection.interval(self._confidence)

    @property
    def done(self) -> bool:
        """Return whether the rate is found and confirmed."""
        return self.rate is not None and self.confirmed >= self._confirm

    @property
    def next(self) -> float | None:
        """The rate of the next trial; None when done."""
        if self.done:
            return None
        return self._bisection.next if self.rate is None else self.rate
