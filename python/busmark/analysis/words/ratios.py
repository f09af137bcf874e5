"""A ratio of two cases as people read it."""

from __future__ import annotations

from collections.abc import Iterable

from busmark.analysis.figures import Figure
from busmark.analysis.words.text import decimals, number

MOST_PLACES = 5


def ratio_text(ratio: Figure) -> str:
    """ "1.34 [1.30, 1.38] ×", with decimals enough that no limit reads as 1 or 0 that is not."""
    low, high = ratio.low, ratio.high
    if low is None or high is None:
        return f"{number(ratio.value, 2)} ×"
    least = min(decimals(ratio.value), 2)
    places = min(max(decimals((high - low) / 2 or 0.01, 1), least), MOST_PLACES)
    while places < MOST_PLACES and any(round(v, places) in (0, 1) and v not in (0, 1)
                                       for v in (low, high)):  # fmt: skip
        places += 1
    return f"{number(ratio.value, places)} [{number(low, places)}, {number(high, places)}] ×"


def inverse(ratio: Figure) -> Figure:
    """The ratio the other way round."""
    low = None if ratio.high is None else 1 / ratio.high
    high = None if not ratio.low else 1 / ratio.low
    return ratio.model_copy(update={"value": 1 / ratio.value, "low": low, "high": high})


def range_text(ratios: Iterable[Figure]) -> str:
    """ "1.2 to 1.9 ×" of several; no interval: each has its own in the tables."""
    values = sorted(ratio.value for ratio in ratios)
    least, greatest = (number(v, min(decimals(v), 2)) for v in (values[0], values[-1]))
    return f"{least} ×" if least == greatest else f"{least} to {greatest} ×"


def verb(name: str, several: str, one: str) -> str:
    """ "TCP sockets are", "Eclipse Zenoh is"."""
    return several if name.partition(" · ")[0].endswith("sockets") else one
