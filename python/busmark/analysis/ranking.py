"""Which of several figures can be told apart, and in what order."""

from __future__ import annotations

from collections.abc import Sequence

from busmark.analysis.figures import Figure

Entry = tuple[str, Figure]
"""A label and its figure."""


def quality(test: str) -> tuple[str, str]:
    """What is best in a test, such as the lowest median, in words."""
    if test == "latency":
        return "lowest", "median RTT/2"
    return "highest", "sustained goodput" if test == "capacity" else "goodput"


def tiers(entries: Sequence[Entry], *, descending: bool = False) -> list[list[Entry]]:
    """Entries in order of their value, those that intervals do not separate in one tier.

    A new tier begins only where an interval lies wholly beyond all intervals before it, so an
    order between tiers holds for every pair. Entries must have an interval.
    """
    sign = -1.0 if descending else 1.0
    ordered = sorted(entries, key=lambda e: (sign * e[1].value, e[0]))
    result: list[list[Entry]] = []
    reached = float("-inf")
    for entry in ordered:
        limits = [sign * v for v in (entry[1].low, entry[1].high) if v is not None]
        if not result or min(limits) > reached:
            result.append([])
        result[-1].append(entry)
        reached = max(reached, *limits)
    return result
