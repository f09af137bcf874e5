"""The main figure of a case while its rounds are still being run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from busmark.control.precision import GOODPUT, spread
from busmark.model.text import number, percent_text, plural
from busmark.store import Case

Row = Mapping[str, Any]

ABSENT = "—"


def estimate(case: Case, rows: Sequence[Row]) -> str:
    """What the rounds so far come to: "median RTT/2 23.4 µs ±2.1 %, 5 rounds".

    The interval is the one by which rounds are added: 95 %, of a typical round. One round has
    none.
    """
    if case.params.test == "capacity":
        return _search(rows)
    if case.params.test == "discovery":
        return _discovery(rows)
    good = [row for row in rows if row["status"] == "ok" and row["statistic_value"] is not None]
    if not good:
        return ABSENT
    mean = sum(row["statistic_value"] for row in good) / len(good)
    statistic = case.params.statistic
    if statistic == GOODPUT:
        rates = [row["mbit_per_s"] for row in good if row["mbit_per_s"] is not None]
        bits = f" ({number(sum(rates) / len(rates))} Mbit/s)" if rates else ""
        value = f"goodput {number(mean)}/s{bits}"
    else:
        # As in tables: a pong is not told from a ping, so each has half of the way.
        value = f"{statistic} RTT/2 {number(mean / 2000)} µs"
    return f"{value}{_interval(good)}, {plural(len(good), 'round')}"


def _interval(good: Sequence[Row]) -> str:
    level = spread(good)
    width = level.relative_half_width() if level else None
    return f" ±{percent_text(width)}" if width is not None else ""


def _discovery(rows: Sequence[Row]) -> str:
    """Its time; rounds of few repetitions have no interval."""
    good = [row for row in rows if row["status"] == "ok" and row["first_sample_ns"] is not None]
    if not good:
        return ABSENT
    mean = sum(row["first_sample_ns"] for row in good) / len(good)
    value = f"first sample after {number(mean / 1000)} µs"
    return f"{value}{_interval(good)}, {plural(len(good), 'round')}"


def _search(rows: Sequence[Row]) -> str:
    """Where a search for a rate stands."""
    latest = max(rows, key=lambda row: row["order"])
    trials = plural(len(rows), "trial")
    low, high, rate = (latest[key] for key in ("bracket_low_hz", "bracket_high_hz", "sustained_hz"))
    if low is None or high is None:
        return trials
    sustained = f"sustained rate {number(rate)}/s, " if rate is not None else ""
    return f"{sustained}between {number(low)} and {number(high)}/s, {trials}"
