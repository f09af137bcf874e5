"""Round trips of one end of a test that were looked at in the last seconds."""

from __future__ import annotations

from collections import deque
from typing import Any

import numpy as np
from numpy.typing import NDArray

from busmark.bus.seen.unread import numbers

KEPT = 10
"""Looks that are kept: as many seconds where live figures come once a second."""
NOW = 5
"""The latest, which stand for now."""
FEWEST_OF_TAIL = 100
"""Round trips below which there is no 99th percentile."""
FEWEST_OF_FAR_TAIL = 1000
"""Round trips below which there is no 99.9th percentile."""

Times = NDArray[np.int64]


class Looks:
    """The latest looks, each with its round trips in ascending order, ns."""

    def __init__(self) -> None:
        self._looks: deque[Times] = deque(maxlen=KEPT)
        self._now: Times | None = None
        """The latest ones together, until another comes."""

    def add(self, round_trips_ns: Any) -> float | None:
        """Takes one in, be it read or not; its median, ns. None: it is empty.

        Raises:
            TypeError, ValueError, OverflowError: these are no round trips.
        """
        times = numbers(round_trips_ns)
        if not len(times):
            return None
        times.sort()
        self._looks.append(times)
        self._now = None
        return float(times[len(times) // 2])

    def all(self) -> Times:
        """Those of all looks, in ascending order; perhaps empty."""
        return _together(list(self._looks))

    def now(self) -> Times:
        """Those of the last seconds, in ascending order; perhaps empty."""
        if self._now is None:
            self._now = _together(list(self._looks)[-NOW:])
        return self._now

    @property
    def median_ns(self) -> float | None:
        """Median of the last seconds; None: nothing was looked at."""
        return quantile(self.now(), 0.5)

    @property
    def p99_ns(self) -> float | None:
        """99th percentile of the last seconds; None: too few were looked at."""
        return quantile(self.now(), 0.99, FEWEST_OF_TAIL)


def _together(looks: list[Times]) -> Times:
    if not looks:
        return np.empty(0, dtype=np.int64)
    return looks[0] if len(looks) == 1 else np.sort(np.concatenate(looks))


def quantile(ascending: Times, share: float, fewest: int = 1) -> float | None:
    """The value that this share of the others does not exceed; None of fewer than that."""
    if len(ascending) < fewest:
        return None
    return float(ascending[min(int(share * len(ascending)), len(ascending) - 1)])
