"""What campaigns of the same differ by, as part of a change between campaigns that were run apart.

Rounds of one campaign share its session: the temperature, the other tenants, the layout of memory
since the last boot. Two campaigns of the very same differ by that, and their rounds do not show it;
several campaigns of the baseline do.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import log, sqrt

import numpy as np

from busmark.stats._check import check_confidence
from busmark.stats._scipy import normal_quantile
from busmark.stats.change import Change, _change


def with_sessions(
    within: Change, candidate: float, baselines: Sequence[float], confidence: float = 0.95
) -> Change:
    """``within`` with the differences between sessions in its interval.

    ``baselines`` are the figure of each campaign of the baseline, ``candidate`` the figure of the
    one campaign of the candidate. The change is from the mean of the baselines, on logarithms where
    ``within`` is; its interval is for one further value of Student's distribution, of variance s**2
    (1 + 1/k) with k - 1 degrees of freedom for k campaigns of standard deviation s (Hahn & Meeker
    1991, "Statistical intervals", section 4.4). It takes the session of the candidate for one like
    the baseline's. It is never shorter than ``within``.

    Raises:
        ValueError: if there are fewer than two ``baselines``, a value on logarithms is not
            positive, or ``confidence`` is outside (0, 1).
    """
    check_confidence(confidence)
    if len(baselines) < 2:
        raise ValueError(f"needs two campaigns of the baseline, got {len(baselines)}")
    values = np.array([candidate, *baselines], dtype=np.float64)
    if within.log and values.min() <= 0.0:
        raise ValueError("a ratio needs values above 0")
    if within.log:
        values = np.log(values)
    count, of = len(baselines), within.estimate
    centre = float(values[0] - values[1:].mean())
    error = float(values[1:].std(ddof=1)) * sqrt(1.0 + 1.0 / count)
    floor = 0.0
    if of.low is not None and of.high is not None:
        low, high = (log(of.low), log(of.high)) if within.log else (of.low, of.high)
        floor = (high - low) / 2.0 / normal_quantile(0.5 + confidence / 2.0)
    return _change(
        centre, error, count - 1.0, floor, 0.5, (of.count, of.rounds), confidence,
        log_scale=within.log,
    )  # fmt: skip
