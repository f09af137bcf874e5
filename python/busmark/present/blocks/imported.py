"""How imported results are shown: in the words of what their source states."""

from __future__ import annotations

from collections.abc import Sequence

from busmark.model import text
from busmark.model.case import CaseSummary
from busmark.model.distribution import Distribution
from busmark.model.figure import Figure
from busmark.present.figures import quantity_name

MEANS = ("half_round_trip", "round_trip", "one_way", "per_hop")
"""Quantities whose mean stands in a table where no median does."""

STATISTICS = {
    "mean": "mean",
    "std": "standard deviation",
    "mad": "MAD",
    "min": "minimum",
    "max": "maximum",
}


def is_reported(figures: Distribution) -> bool:
    """Return whether they are a source's, who kept no samples: then nothing else is known of
    them."""
    return figures.skewness is None and figures.effective_count is None and not figures.best


def reported_means(cases: Sequence[CaseSummary]) -> dict[str, list[Figure | None]]:
    """Return the mean of each case, by title of a column."""
    found: dict[str, list[Figure | None]] = {}
    for quantity in MEANS:
        figures = [_mean(case, quantity) for case in cases]
        if any(figures):
            found[f"Mean {quantity_name(quantity)}"] = figures
    return found


def _mean(case: CaseSummary, quantity: str) -> Figure | None:
    shown = case.rtt_2 or case.one_way
    one = next((s for s in case.reported if s.quantity == quantity), None)
    return one.figure("mean") if one and not shown else None


def reported_headline(case: CaseSummary) -> str | None:
    """Return what came out, where it is a mean."""
    for title, figures in reported_means([case]).items():
        return f"{title[0].lower()}{title[1:]} {text.figure_text(figures[0])}"
    return None
