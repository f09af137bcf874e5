"""Percentiles of what was sent, where some of it never came back.

A lost sample is later than any that came back. So it counts in the rank of every percentile; a
percentile whose rank falls among the lost has no value.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from busmark.stats._check import FloatArray
from busmark.stats._rank import rank
from busmark.stats.ordered import Ordered
from busmark.stats.round import Round
from busmark.stats.within import Statistic, evaluate


def among_lost(statistic: Statistic, back: int, lost: int) -> bool:
    """Whether the statistic of ``back`` samples and ``lost`` ones falls among the lost.

    The mean does not: it can only cover what came back.

    Raises:
        ValueError: if a count is negative, or both are zero.
    """
    if min(back, lost) < 0 or back + lost == 0:
        raise ValueError(f"counts must not be negative, and one above 0: got {back} and {lost}")
    if statistic == "mean":
        return back == 0
    sent = back + lost
    if statistic in ("median", 50.0):
        # The mean of the two middle values of an even number: both must be known.
        return sent // 2 + 1 > back
    return rank(float(statistic), sent) > back


def of_sent(back: ArrayLike | Ordered, lost: int, statistic: Statistic) -> float | Literal["lost"]:
    """The statistic of ``back`` and ``lost`` samples that are later than all of them; "lost" where
    it falls among these.

    Raises:
        ValueError: as `evaluate` and `among_lost`.
    """
    values = back.values if isinstance(back, Ordered) else np.asarray(back, dtype=np.float64)
    if among_lost(statistic, int(values.size), lost):
        return "lost"
    if lost and statistic != "mean":
        values = np.concatenate((values, np.full(lost, values.max())))
    # With the lost behind them values that were in order still are.
    return evaluate(
        Round(values, Ordered(values)) if isinstance(back, Ordered) else values, statistic
    )


def with_lost(
    start: FloatArray, back: FloatArray, lost_start: FloatArray, stand_in: float
) -> FloatArray:
    """``back`` and the lost in order of sending, ``stand_in`` in the place of each that was lost.

    Percentiles that do not fall among the lost (`among_lost`) describe what was sent, whatever the
    stand-in is, as long as no value is above it; and what depends on the order, as the effective
    sample size does, sees when samples were lost. If nothing says when they were sent (NaN), the
    lost are last.
    """
    if not lost_start.size:
        return back
    values = np.concatenate((back, np.full(lost_start.size, stand_in)))
    order = np.argsort(np.concatenate((start, lost_start)), kind="stable")
    ordered: FloatArray = values[order]
    return ordered
