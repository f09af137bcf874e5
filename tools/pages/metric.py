"""One figure, as the reference explains it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Metric:
    """One figure, or several that are explained together."""

    name: str
    fields: tuple[str, ...]
    """Fields of the model of its section in the analysed result."""
    definition: str
    formula: str
    source: str
    cannot: str


TWO_LEVEL = "Mean over rounds of the round's figure; two-level bootstrap interval."
STUDENT = "Mean over rounds; Student's interval."
