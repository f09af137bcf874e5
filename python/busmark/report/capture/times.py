"""Figures of times as cells of a table."""

from __future__ import annotations

from busmark.analysis.words.text import ABSENT, count, number
from busmark.capture.model import Spread
from busmark.report.html.blocks import plain

TIMES = ("Count", "Min", "Median", "Mean", "p99", "Max", "Std dev", "Variance, ms²")


def times_text(spread: Spread) -> tuple[str, ...]:
    """One cell for each of `TIMES`."""
    values = (spread.min_ns, spread.median_ns, spread.mean_ns, spread.p99_ns, spread.max_ns,
              spread.std_ns)  # fmt: skip
    variance = ABSENT if spread.variance_ms2 is None else number(spread.variance_ms2)
    return (count(spread.count), *map(plain, values), variance)
