"""The greatest rate that is sustained: a search by trials, and its confirmation."""

from __future__ import annotations

from math import isclose

from busmark.stats.bisection import Bisection


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
        """A search from ``low`` to ``high`` for an interval whose limits are apart by ``precision``
        at most, relative to the lower, and that ``confirm`` trials confirm.

        Raises:
            ValueError: as `Bisection`.
        """
        self._bisection = Bisection(low, high, trust)
        self._precision, self._confidence, self._confirm = precision, confidence, confirm
        self.trials = 0
        self.confirmed = 0
        self.rate: float | None = None

    def take(self, at: float, *, passed: bool) -> None:
        """Takes in a trial at the rate ``at``."""
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
        """Whether the rate is found and confirmed."""
        return self.rate is not None and self.confirmed >= self._confirm

    @property
    def next(self) -> float | None:
        """The rate of the next trial; None when done."""
        if self.done:
            return None
        return self._bisection.next if self.rate is None else self.rate
