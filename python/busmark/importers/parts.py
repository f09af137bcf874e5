"""Figures of parts of a run, put together where that is exact."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

from busmark.importers.model import Quantity, Stated


@dataclass(frozen=True, slots=True)
class Part:
    """Moments of one part."""

    count: int
    mean_ns: float
    min_ns: float | None = None
    max_ns: float | None = None
    variance_ns2: float | None = None
    """Sum of squared deviations over the count."""


def whole_run(quantity: Quantity, parts: Sequence[Part]) -> list[Stated]:
    """Mean, minimum, maximum and deviation of all samples together; their line is None. Percentiles
    cannot be put together.

    The variance of the whole is the mean variance inside the parts plus the variance of their means
    (law of total variance).
    """
    parts = [part for part in parts if part.count]
    if not parts:
        return []
    count = sum(part.count for part in parts)
    mean = sum(part.count * part.mean_ns for part in parts) / count
    figures: list[tuple[str, float | None]] = [
        ("mean", mean),
        ("std", _deviation(parts, count, mean)),
        ("min", _extreme([p.min_ns for p in parts], least=True)),
        ("max", _extreme([p.max_ns for p in parts], least=False)),
    ]
    return [
        Stated(quantity, statistic, value, count=count)  # type: ignore[arg-type]
        for statistic, value in figures
        if value is not None
    ]


def _deviation(parts: Sequence[Part], count: int, mean: float) -> float | None:
    squares = 0.0
    for part in parts:
        if part.variance_ns2 is None:
            return None
        squares += part.count * (part.variance_ns2 + (part.mean_ns - mean) ** 2)
    return sqrt(squares / count)


def _extreme(values: Sequence[float | None], *, least: bool) -> float | None:
    """None unless every part has one."""
    known = [value for value in values if value is not None]
    if len(known) < len(values):
        return None
    return min(known) if least else max(known)
