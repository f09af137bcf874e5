"""The summary of every latency test, in the fields of the article's latency.csv."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from busmark.compare.campaign import Campaign
from busmark.documents.along import by_size
from busmark.documents.openddsbench_2010.places import PLACES, Place
from busmark.documents.table import Table
from busmark.documents.values import headline, of_latency
from busmark.estimate.case import CaseSummary
from busmark.model.text import ABSENT, figure_text, number, percent_text, size_text
from busmark.stats import MIN_POINTS, Estimate, robust_line

COLUMNS = (
    "Size", "Samples", "Median, µs", "MAD, µs", "Mean, µs", "σ, µs", "σ of a hop, µs", "Min, µs",
    "Max, µs", "Mean |jitter|, µs", "Median |jitter| / median",
)  # fmt: skip

MICRO = 1e3
"""Nanoseconds in a microsecond."""


def tables(campaign: Campaign) -> list[Table]:
    """One for each adapter over each transport that was measured, with the line through it."""
    found = []
    for place in PLACES:
        for series in by_size(place.latency(), campaign):
            measured = [case for case in series.values() if case.rtt_2 and headline(case)]
            if measured:
                found.append(_table(campaign, place, measured))
    return found


def _table(campaign: Campaign, place: Place, cases: Sequence[CaseSummary]) -> Table:
    middleware = campaign.adapters.get(place.adapter, {}).get("title", place.adapter)
    return Table(
        group="Latency and jitter over two hops, halved",
        title=f"{place.there}: {middleware}",
        columns=COLUMNS,
        rows=tuple(_row(case) for case in cases),
        note=_line(campaign, cases),
    )


def _row(case: CaseSummary) -> tuple[str, ...]:
    of = case.rtt_2
    assert of is not None
    rounds = of_latency(lambda latency: latency.jitter_ns)(case)
    jitter = float(np.mean([*rounds.values()])) if rounds else None
    share = case.latency.jitter_share if case.latency else None
    return (
        size_text(case.size),
        number(of.count, 0),
        _micro(of.median.value),
        _micro(of.mad_ns),
        _micro(of.mean.value),
        _micro(of.std_ns),
        # For the halved round trip: 0.5 and 0.707 of the whole one's.
        ABSENT if of.std_ns is None else f"{_micro(of.std_ns)} to {_micro(of.std_ns * 2**0.5)}",
        _micro(of.min_ns),
        _micro(of.max_ns),
        _micro(jitter),
        percent_text(share.value if share else None),
    )


def _micro(ns: float | None) -> str:
    return number(None if ns is None else ns / MICRO)


def _line(campaign: Campaign, cases: Sequence[CaseSummary]) -> str:
    """Overhead and slope of the medians, with their intervals."""
    values = [headline(case) for case in cases]
    rounds = sorted(set.union(*(set(of) for of in values)))
    if len(cases) < MIN_POINTS:
        return f"A line needs {MIN_POINTS} sizes."
    table = np.array([[of.get(number, np.nan) for of in values] for number in rounds])
    line = robust_line([case.size or 0 for case in cases], table, seed=campaign.seed)
    slope = _interval(line.slope)
    return (
        f"Line through the medians: {figure_text(line.intercept)} and {slope} ns for each byte. "
        f"Points lie {percent_text(line.departure)} from it (standard deviation)."
    )


def _interval(estimate: Estimate) -> str:
    if estimate.low is None or estimate.high is None:
        return number(estimate.value)
    return f"{number(estimate.value)} [{number(estimate.low)}, {number(estimate.high)}]"
