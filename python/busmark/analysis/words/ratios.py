"""A ratio of two cases as people read it, and what decides on it."""

from __future__ import annotations

from decimal import Decimal

from busmark.analysis.figures import Figure
from busmark.analysis.words.text import ABSENT, Interval, decimals, number

MOST_PLACES = 5

FAR = 100.0
"""A limit that is this many times from its ratio, and from 1, is shown as a bound: two rounds may
extrapolate to 30 905."""


def ratio_text(ratio: Interval) -> str:
    """ "1.34 [1.30, 1.38] ×", with decimals enough that no limit reads as 1 or 0 that is not."""
    low, high = ratio.low, ratio.high
    if low is None or high is None:
        return f"{number(ratio.value, 2)} ×"
    least = min(decimals(ratio.value), 2)
    places = min(max(decimals((high - low) / 2 or 0.01, 1), least), MOST_PLACES)
    shown = [limit for limit in (low, high) if not _is_far(limit, ratio.value)]
    while places < MOST_PLACES and any(round(v, places) in (0, 1) and v not in (0, 1)
                                       for v in shown):  # fmt: skip
        places += 1
    return f"{number(ratio.value, places)} {limits_text(ratio.value, low, high, places)} ×"


def limits_text(value: float, low: float, high: float, places: int | None = None) -> str:
    """Return "[1.30, 1.38]"; limits far from the ratio and from 1 are bounds: "[<0.01, >120]". A
    limit above 0 does not read as 0: "[0.02, 85.0]"."""
    least, most = min(value, 1.0) / FAR, max(value, 1.0) * FAR
    below = (
        f"<{number(least, decimals(least, 1))}" if _is_far(low, value) else _above_0(low, places)
    )
    above = f">{number(most, 0)}" if _is_far(high, value) else number(high, places)
    return f"[{below}, {above}]"


def _above_0(limit: float, places: int | None) -> str:
    if places is not None and limit > 0 == round(limit, places):
        return number(limit, decimals(limit, 1))
    return number(limit, places)


def _is_far(limit: float, value: float) -> bool:
    return not min(value, 1.0) / FAR <= limit <= max(value, 1.0) * FAR


def inverse(ratio: Figure) -> Figure:
    """The ratio the other way round."""
    low = None if ratio.high is None else 1 / ratio.high
    high = None if not ratio.low else 1 / ratio.low
    return ratio.model_copy(update={"value": 1 / ratio.value, "low": low, "high": high})


def share_text(share: float) -> str:
    """Return a share that the user or the code has set, as it was set: "2 %"."""
    return f"{Decimal(f'{share * 100:g}'):f} %"


def p_text(value: float | None) -> str:
    """Return a p-value; below 0.0001 it is shown as such."""
    if value is None:
        return ABSENT
    return "<0.0001" if value < 0.0001 else number(value, 4)
