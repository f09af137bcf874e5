"""Curves of percentiles."""

from __future__ import annotations

from math import floor, log10

import numpy as np

from busmark import stats
from busmark.analysis.figures import FloatArray, Frozen, Quantity

CURVE_POINTS = 240
"""Of a percentile curve to the last sample."""


class Curve(Frozen):
    """Percentile curve of all samples: `value_ns` at `percent`."""

    quantity: Quantity
    count: int | None
    """Null where the source of an imported result does not say."""
    percent: list[float]
    value_ns: list[float]


def curve(pooled: stats.Ordered, quantity: Quantity, points: int = CURVE_POINTS) -> Curve:
    """To the most extreme sample; each decade of the tail has its share of points."""
    values, percent = stats.percentile_curve(pooled, points)
    return Curve(
        quantity=quantity,
        count=pooled.count,
        percent=[_tail_rounded(p) for p in percent.tolist()],
        value_ns=rounded(values, 1),
    )


def quantile_curve(pooled: stats.Ordered, quantity: Quantity, points: int) -> Curve:
    """At evenly spaced per cent, from the smallest sample to the largest."""
    percent = np.round(np.linspace(0.0, 100.0, points), 3)
    return Curve(
        quantity=quantity,
        count=pooled.count,
        percent=percent.tolist(),
        value_ns=rounded(stats.quantiles(pooled, percent), 1),
    )


def rounded(values: FloatArray, places: int) -> list[float]:
    """As numbers of Python, which a page writes shortly."""
    result: list[float] = np.round(values, places).tolist()
    return result


def significant(values: FloatArray, digits: int = 4) -> list[float]:
    """With so many significant digits: for values of any magnitude."""
    return [float(f"{v:.{digits}g}") for v in values.tolist()]


def _tail_rounded(percent: float) -> float:
    """Keep four digits of the distance to 100 %: the axis shows that distance."""
    beyond = 100.0 - percent
    return percent if beyond <= 0 else round(percent, 4 - floor(log10(beyond)))
