"""The rounds of a case as a picture above the tables of its details."""

from __future__ import annotations

from collections.abc import Sequence
from math import log
from typing import Any

from busmark.analysis.model import CaseSummary, RoundSummary
from busmark.analysis.words import text
from busmark.report.html.blocks import plain

FULL = 100.0
"""The axis is so long."""

FEWEST = 2
"""Rounds that are worth a picture."""

OF_LATENCY = (
    "Line: from the minimum of a round to its p99; dot: its median; logarithmic axis. Rounds that "
    "count."
)
OF_GOODPUT = "Goodput of each round that counts; the axis begins at 0."


def case_chart(case: CaseSummary) -> dict[str, Any] | None:
    """Where each round lies on the axis, with the words for it; None without rounds to compare."""
    counted = [one for one in case.attempts if one.status == "ok"]
    found = _latency(case, counted) if case.test == "latency" else _goodput(counted)
    return found if found and len(found["rows"]) >= FEWEST else None


def _latency(case: CaseSummary, counted: Sequence[RoundSummary]) -> dict[str, Any] | None:
    known = [(one.round, one.times) for one in counted if one.times and one.times.median_ns]
    values = [v for _, of in known for v in (of.min_ns, of.median_ns, of.p99_ns) if v]
    if not values:
        return None
    low, high = min(values), max(values)

    def place(value: float | None) -> float | None:
        if not value:
            return None
        return round(FULL * log(value / low) / log(high / low), 2) if high > low else FULL / 2

    rows = [
        [str(number), place(of.min_ns), place(of.median_ns), place(of.p99_ns),
         f"round {number}: median {plain(of.median_ns)}"
         + (f", p99 {plain(of.p99_ns)}" if of.p99_ns else "")]
        for number, of in known
    ]  # fmt: skip
    return {
        "title": "RTT/2 by round", "ends": [plain(low), plain(high)], "rows": rows,
        "note": OF_LATENCY,
    }  # fmt: skip


def _goodput(counted: Sequence[RoundSummary]) -> dict[str, Any] | None:
    known = [(one, one.mbit_per_s) for one in counted if one.mbit_per_s]
    if not known:
        return None
    high = max(value for _, value in known)
    rows = [
        [str(one.round), 0.0, round(FULL * value / high, 2), None,
         f"round {one.round}: {text.number(value)} Mbit/s"]
        for one, value in known
    ]  # fmt: skip
    return {
        "title": "Goodput by round", "ends": ["0", f"{text.number(high)} Mbit/s"], "rows": rows,
        "note": OF_GOODPUT,
    }  # fmt: skip
