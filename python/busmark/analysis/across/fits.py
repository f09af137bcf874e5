"""Latency against size as a straight line: overhead + slope · size, by `stats.robust_line`.

The line of a curve that the report draws. `busmark predict` fits the same line to the table of
rounds and says besides what it predicts, and how well.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from busmark import stats
from busmark.analysis.figures import CONFIDENCE, FloatArray, figure
from busmark.analysis.model import CaseSummary, SizeFit

DRAWN_POINTS = 60
"""Points of a line on a logarithmic axis, where it is bent."""


def size_fits(cases: Iterable[CaseSummary], seed: int) -> list[SizeFit]:
    """A fit for every curve of at least `stats.MIN_POINTS` sizes; one that is not a sweep of sizes
    (two cases of one size) has none."""
    curves: dict[tuple[object, ...], list[CaseSummary]] = {}
    for case in cases:
        if case.test == "latency" and case.rtt_2 and case.size is not None:
            workload, choices = tuple(case.workload.items()), tuple(case.choices.items())
            key = (case.placement, case.label, workload, choices)
            curves.setdefault(key, []).append(case)
    found = [_fit(sorted(curve, key=_size), seed) for curve in curves.values()]
    return [fit for fit in found if fit]


def _size(case: CaseSummary) -> int:
    return case.size or 0


def _fit(cases: Sequence[CaseSummary], seed: int) -> SizeFit | None:
    sizes = np.array([_size(case) for case in cases], dtype=np.float64)
    if sizes.size < stats.MIN_POINTS or (np.diff(sizes) == 0).any():
        return None
    table = _medians(cases)
    if np.isnan(table).all(axis=0).any() or np.nanmin(table) <= 0:
        return None
    line = stats.robust_line(sizes, table, confidence=CONFIDENCE, seed=seed)
    count = sum(case.rtt_2.count or 0 for case in cases if case.rtt_2)
    first = max(float(sizes[0]), 1.0)
    between = np.geomspace(first, sizes[-1], DRAWN_POINTS)
    at = np.concatenate((sizes[:1], between)) if sizes[0] < first else between
    intercept, slope = line.intercept.value, line.slope.value
    drawn = [(x, y) for x in at.tolist() if (y := intercept + slope * x) > 0]
    return SizeFit(
        placement=cases[0].placement,
        label=cases[0].label,
        cases=[case.id for case in cases],
        overhead=figure(line.intercept, "ns", count, signed=True),
        slope=figure(line.slope, "ns/B", count, signed=True),
        departure=line.departure,
        at_bytes=[round(x, 1) for x, _ in drawn],
        value_ns=[round(y, 1) for _, y in drawn],
    )


def _medians(cases: Sequence[CaseSummary]) -> FloatArray:
    """Medians of RTT/2 (ns), shape (rounds, cases); NaN where a round is missing."""
    by_round = [case.round_medians for case in cases]
    numbers = sorted({number for medians in by_round for number in medians})
    rows = [[medians.get(number, np.nan) for medians in by_round] for number in numbers]
    return np.array(rows, dtype=np.float64).reshape(len(numbers), len(cases))
