"""What a throughput is drawn against: what was asked for, and what the network can carry."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from busmark.present.charts.shapes import Reference

RATED, PRACTICAL = "rated capacity of the link", "practical: a plain TCP transfer"


def limits(
    asked: str, at: Sequence[float], rated: Iterable[float | None],
    practical: Iterable[float | None],
) -> list[Reference]:  # fmt: skip
    """The line on which everything asked for arrives, and capacities across."""
    low, high = min(at, default=1.0), max(at, default=1.0)
    found = [Reference(f"all that is {asked}", "dot", ((low, low), (high, high)), fits_axis=False)]
    found += [Reference(RATED, "dash", ((low, v), (high, v))) for v in _known(rated)]
    return found + [
        Reference(PRACTICAL, "dashdot", ((low, v), (high, v))) for v in _known(practical)
    ]


def _known(values: Iterable[float | None]) -> list[float]:
    return sorted({value for value in values if value})
