"""How long an interval of the counters over time is, in cases of many endpoints and long rounds."""

from __future__ import annotations

import math

from busmark.model.parameters import Parameters
from busmark.plan.flows import flows

MOST_COUNTERS = 4_000_000
"""Counters of all readers of a case, each for every writer that it hears: 64 MB, allocated before
the round begins so that nothing is allocated during the measurement."""


def interval_s(params: Parameters) -> float:
    """`measure.interval_s`, or where that makes too many counters the next longer one of 1, 2 or 5
    times a power of ten. A round may last twice as long as is measured, by its drain."""
    asked = float(params.interval_s)
    pairs = sum(len(flow.writers) * len(flow.readers) for flow in flows(params).flows)
    least = 2 * (params.duration_s or 0.0) * pairs / MOST_COUNTERS
    return asked if asked >= least else _round_up(least)


def _round_up(value: float) -> float:
    power = 10.0 ** math.floor(math.log10(value))
    return next(step * power for step in (1, 2, 5, 10) if step * power >= value * (1 - 1e-9))
