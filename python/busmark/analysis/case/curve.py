"""Curves of percentiles."""

from __future__ import annotations

from math import floor, log10

import numpy as np

from busmark import stats
from busmark.analysis.figures import FloatArray, Frozen, Quantity

CURVE_POINTS = 240
"""Points of a percentile curve up to the last sample."""


class Curve(Frozen):
    """Percentile curve of all samples: `value_ns` at `percent`."""

    quantity: Quantity
    count: int | None
    """Null where the source of an imported result does not say."""
    lost: int | None = 0
    """Samples that were sent beside those that `count` counts, and never came back. The curve ends
    where they begin. Null where that is not known; then it is of what came back alone."""
    percent: list[float]
    """Percent of the samples sent."""
    value_ns: list[float]


def back_share(count: int, lost: int | None) -> float:
    """What came back of what was sent, 1 where that is not known."""
    return count / (count + (lost or 0))


def curve(
    pooled: stats.Ordered, quantity: Quantity, points: int = CURVE_POINTS, lost: int | None = 0
) -> Curve:
    """To the most extreme sample; each decade of the tail has its share of points. `lost` samples
    are later than any."""
    values, percent = stats.percentile_curve(pooled, points)
    percent = percent * back_share(pooled.count, lost)
    return Curve(
        quantity=quantity,
        count=pooled.count,
        lost=lost,
        percent=[_tail_rounded(p) for p in percent.tolist()],
        value_ns=rounded(values, 1),
    )


def quantile_curve(
    pooled: stats.Ordered, quantity: Quantity, points: int, lost: int | None = 0
) -> Curve:
    """At evenly spaced per cent, from the smallest sample to the largest; of what was sent the
    latter may be less than 100 %."""
    percent = np.round(np.linspace(0.0, 100.0, points), 3)
    return Curve(
        quantity=quantity,
        count=pooled.count,
        lost=lost,
        percent=rounded(percent * back_share(pooled.count, lost), 4),
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
