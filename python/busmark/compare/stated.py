"""What the source of an imported result states, for want of samples: one figure of each run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import polars as pl

from busmark import stats
from busmark.analysis.figures import Quantity, over_rounds
from busmark.analysis.pairwise.measured import STATISTICS, Figures, Measured
from busmark.analysis.read.imported import HALVES
from busmark.analysis.read.stated import Stated, StatedFigure, by_quantity, stated
from busmark.compare.sides import Side, SideCase

Source = tuple[str, Quantity, float]
"""Quantity as the table `summaries` names it, what it is here, and the factor between them."""

LATENCIES: tuple[Source, ...] = (
    *((name, "half_round_trip", 0.5 / part) for name, part in HALVES),
    ("one_way", "one_way", 1.0),
)  # fmt: skip


def stated_latencies(side: Side, case: SideCase, numbers: Iterable[int]) -> Figures:
    """Latencies of the case as its source states them; empty where it states none.

    A run is a round. What only parts of a run have is known within limits, and is left out.
    """
    own = side.result.summaries.filter(pl.col("case") == case.id)
    if own.is_empty():
        return {}
    runs = {number: by_quantity(stated(own, [number], {})) for number in numbers}
    known = [s for s in LATENCIES if any(s[0] in run for run in runs.values())]
    if not known:
        return {}
    source = known[0]
    return {f"{name}.latency": _figure(runs, name, source) for name in STATISTICS}


def _figure(runs: Mapping[int, Mapping[str, Stated]], name: str, source: Source) -> Measured:
    quantity, latency, factor = source
    found = {
        number: one
        for number, run in runs.items()
        if quantity in run and (one := _one(run[quantity], name)) is not None
    }
    if not found:
        return Measured(None, latency=latency, reason="the source does not state it")
    counts = [one.figure.count for one in found.values()]
    total = None if None in counts else sum(count or 0 for count in counts)
    values = {number: one.figure.value * factor for number, one in found.items()}
    return Measured(over_rounds(list(values.values()), "ns", total), values, latency=latency)


def _one(of: Stated, name: str) -> StatedFigure | None:
    """A figure of a whole run, where its samples support it or are not told."""
    statistic = STATISTICS[name]
    percent = {"median": 50.0}.get(name, statistic)
    for known in of.figures:
        if known.within is not None or known.figure.value <= 0.0:
            continue
        if name == "mean" and known.statistic == "mean":
            return known
        if isinstance(percent, float) and known.percent == percent:
            inside = 0.0 < percent < 100.0
            enough = known.figure.count is None or (
                inside and stats.supported(percent, known.figure.count)
            )
            return known if enough else None
    return None
