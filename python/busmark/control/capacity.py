"""The search for the greatest rate that a case sustains: which trial is next, and how one ended."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import floor
from typing import Any

from busmark.model.parameters import Parameters
from busmark.scenario.model import Capacity
from busmark.stats import SustainedRate
from busmark.store import Case

Row = Mapping[str, Any]

HEADROOM = 1.5
"""The search goes up to so many times the rate of a stream at full speed."""
RANGE = 1e4
"""And down to so small a part of that."""
FEWEST_SAMPLES = 20
"""A trial sends so many at least."""
PROBES = 1200
"""Latency probes of a trial, at least: the 99th percentile needs 1000, and their number is random,
with a standard deviation of 35."""


def searches(case: Case) -> bool:
    """Whether the rounds of a case are trials."""
    return bool(case.params.test == "capacity")


def next_trial(case: Case, rows: Sequence[Row], asked: Capacity) -> Case | None:
    """The case with the rate of its next trial, the first at full speed; None when none is wanted.
    `rows` are the case's finished and failed rounds."""
    if len({row["round"] for row in rows}) >= asked.max_trials:
        return None
    search = search_of(case.params, rows, asked)
    if search is None:
        return case
    rate = search.next
    if rate is None:
        return None
    # Some of the samples are probes, as many as a percentile needs.
    every = max(1, floor(rate * case.params.length_s / PROBES))
    trial = {"rate_hz": rate, "arrivals": "constant", "probe_every": every}
    return case.model_copy(update={"params": case.params.changed(**trial)})


def search_of(params: Parameters, rows: Sequence[Row], asked: Capacity) -> SustainedRate | None:
    """The search as it stands after these rounds; None before the round at full speed."""
    full = [r for r in rows if r["status"] != "failed" and r["rate_hz"] is None]
    highest = max((r["written_per_s"] or 0.0 for r in full), default=0.0)
    if not highest:
        return None
    high = HEADROOM * highest / full[0]["senders"]
    low = min(high / 2, max(high / RANGE, FEWEST_SAMPLES / params.length_s))
    search = SustainedRate(
        low, high, precision=asked.precision, confidence=asked.confidence, trust=asked.trust,
        confirm=asked.confirm,
    )  # fmt: skip
    for row in sorted(rows, key=lambda row: row["order"]):
        if row["status"] != "failed" and row["rate_hz"] is not None:
            search.take(row["rate_hz"], passed=row["shortfall"] is None)
    return search


def trial_figures(
    case: Case, figures: Row, before: Sequence[Row], asked: Capacity
) -> dict[str, Any]:
    """Columns of `cases` that tell how a trial ended and where the search then stands; `before` are
    the case's rows so far."""
    own = {"shortfall": shortfall(case.params, figures, asked)}
    latest = max((row["order"] for row in before), default=-1) + 1
    this = {**figures, **own, "status": "ok", "order": latest, "rate_hz": case.params.rate_hz}
    search = search_of(case.params, [*before, this], asked)
    if search is None:
        return own
    low, high = search.interval
    return {
        **own, "bracket_low_hz": low, "bracket_high_hz": high, "sustained_hz": search.rate,
        "confirmed": search.confirmed,
    }  # fmt: skip


def shortfall(params: Parameters, figures: Row, asked: Capacity) -> str | None:
    """In what a trial does not sustain its rate; None if it does, or has none."""
    rate = params.rate_hz
    if rate is None:
        return None
    offered = rate * figures["senders"]
    written, p99 = figures["written_per_s"] or 0.0, figures["p99_ns"]
    share = figures["lost"] / figures["expected"] if figures["expected"] else 1.0
    if written < asked.keeps_up * offered:
        return f"writers reached {written / offered:.1%} of the rate"
    if share > asked.max_loss:
        return f"lost {share:.3%}"
    if asked.max_p99_us and (p99 is None or p99 / 1e3 > asked.max_p99_us):
        shown = "is lost or not known" if p99 is None else f"of {p99 / 1e3:.0f} µs"
        return f"99th percentile of the round trip {shown}"
    readers_of_each = figures["expected"] / figures["sent"] if figures["sent"] else 1.0
    if (figures["samples_per_s"] or 0.0) < asked.keeps_up * written * readers_of_each:
        return "readers do not keep up"
    return None
