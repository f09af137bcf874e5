"""Ends of axes. gnuplot finds them by itself, but warns where all values are equal."""

from __future__ import annotations

from collections.abc import Iterable


def linear(values: Iterable[float | None]) -> tuple[float, float]:
    """With a little room at both ends."""
    known = [v for v in values if v is not None]
    low, high = min(known, default=0.0), max(known, default=1.0)
    room = 0.04 * (high - low) or 0.05 * abs(high) or 1.0
    return low - room, high + room


def from_zero(values: Iterable[float | None]) -> tuple[float, float]:
    """From 0 to a little above the largest."""
    return 0.0, max((v for v in values if v is not None), default=0.0) * 1.06 or 1.0


def positive(curves: Iterable[Iterable[float]]) -> tuple[float, float] | None:
    """For a logarithmic axis that leaves out what is not positive; None where nothing would remain
    of a curve."""
    kept = [[v for v in curve if v > 0] for curve in curves]
    if not kept or not all(kept):
        return None
    return logarithmic(v for curve in kept for v in curve)


def logarithmic(values: Iterable[float | None]) -> tuple[float, float] | None:
    """For a logarithmic axis; None where a value is not positive, so that it must be linear."""
    known = [v for v in values if v is not None]
    if not known or min(known) <= 0:
        return None
    return min(known) / 1.15, max(known) * 1.15
