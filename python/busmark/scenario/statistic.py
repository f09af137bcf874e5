"""The statistic whose interval a scenario wants narrow."""

from __future__ import annotations

from typing import Literal

Named = Literal["median", "mean"]


def statistic(text: str) -> Named | float:
    """`median`, `mean`, or the number of a percentile such as `p99.9`.

    Raises:
        ValueError: it is none of them.
    """
    if text == "median":
        return "median"
    if text == "mean":
        return "mean"
    try:
        percent = float(text.removeprefix("p")) if text.startswith("p") else 0.0
    except ValueError:
        percent = 0.0
    if not 0.0 < percent < 100.0:
        raise ValueError(f"{text!r} is not median, mean or a percentile such as p99")
    return percent
