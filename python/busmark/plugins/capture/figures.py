"""Arrays to figures."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from busmark.plugins.capture.model import Range, Spread

Times = npt.NDArray[np.int64]
NONE = np.iinfo(np.int64).min
"""Stands for a time that is not there, within arrays only."""


def spread(times: Times) -> Spread | None:
    """Summarise these times; None without any."""
    if not len(times):
        return None
    values = times.astype(np.float64)
    std = float(values.std(ddof=1)) if len(values) > 1 else None
    low, median, p99, high = np.quantile(values, (0.0, 0.5, 0.99, 1.0))
    return Spread(
        count=len(values),
        min_ns=float(low),
        median_ns=float(median),
        p99_ns=float(p99),
        max_ns=float(high),
        mean_ns=float(values.mean()),
        std_ns=std,
        variance_ms2=None if std is None else (std / 1e6) ** 2,
    )


def range_of(values: npt.NDArray[np.float64]) -> Range | None:
    """Return count, least, mean, greatest and standard deviation; None without any."""
    if not len(values):
        return None
    low, mean, high = (float(each) for each in (values.min(), values.mean(), values.max()))
    std = float(values.std(ddof=1)) if len(values) > 1 else None
    return Range(count=len(values), min=low, mean=mean, max=high, std=std)


def between(begin: Times, end: Times) -> Times:
    """Return the differences where both times are there and in this order."""
    both = (begin != NONE) & (end != NONE) & (end >= begin)
    found: Times = (end - begin)[both]
    return found


def present(times: Times) -> npt.NDArray[np.bool_]:
    """Return which of these times are there."""
    found: npt.NDArray[np.bool_] = times != NONE
    return found


def taken(times: Times, index: Times) -> Times:
    """Take the times at these indexes; NONE where an index is negative."""
    found: Times = np.where(index >= 0, times[np.maximum(index, 0)], NONE)
    return found


def difference(begin: Times, end: Times) -> Times:
    """Return the difference of each pair, in whichever order; NONE where one is not there."""
    both = present(begin) & present(end)
    found: Times = np.where(both, np.where(both, end, 0) - np.where(both, begin, 0), NONE)
    return found


def first_reaching(times: Times, reached: Times, wanted: Times) -> Times:
    """Return for each wanted number the first time at which at least that was reached, else NONE.

    `times` are in order; what was reached once stays reached.
    """
    if not len(times):
        return np.full(len(wanted), NONE)
    at = np.searchsorted(np.maximum.accumulate(reached), wanted, side="left")
    found: Times = np.where(at < len(times), times[np.minimum(at, len(times) - 1)], NONE)
    return found
