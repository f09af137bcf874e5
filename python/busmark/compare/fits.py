"""Fits over cases: latency against size, discovery against the endpoints that are there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from busmark import stats
from busmark.estimate.rounds import Row, last_attempts
from busmark.model.case import CaseSummary
from busmark.model.figure import CONFIDENCE, Figure, FloatArray, Frozen, figure
from busmark.model.naming import title


class SizeFit(Frozen):
    """The line through the median RTT/2 of cases that differ in size only."""

    placement: str
    label: str
    cases: list[str]
    """Cases by ascending size."""
    overhead: Figure
    """RTT/2 of a body of no bytes, ns; its interval may reach below 0."""
    slope: Figure
    """Time per byte of the body, ns/B."""
    departure: float
    """Standard deviation of the measured sizes from the line, relative."""
    at_bytes: list[float]
    """Sizes between the smallest and the largest, to draw the line at."""
    value_ns: list[float]
    """The line there; absent where it is not positive, which the smallest sizes may be."""


DRAWN_POINTS = 60
"""Points of a line on a logarithmic axis, where it is bent."""


def size_fits(cases: Iterable[CaseSummary], seed: int) -> list[SizeFit]:
    """Fit every curve of at least `stats.MIN_POINTS` sizes; one that is not a sweep of sizes (two
    cases of one size), or has one round and so no interval, has no fit."""
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
    if line.slope.low is None:
        return None
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
        overhead=figure(line.intercept, "ns", count, within=stats.SIGNED),
        slope=figure(line.slope, "ns/B", count, within=stats.SIGNED),
        departure=line.departure,
        at_bytes=[round(x, 1) for x, _ in drawn],
        value_ns=[round(y, 1) for _, y in drawn],
    )


def _medians(cases: Sequence[CaseSummary]) -> FloatArray:
    """Return the medians of RTT/2 (ns), shape (rounds, cases); NaN where a round is missing."""
    by_round = [case.round_medians for case in cases]
    numbers = sorted({number for medians in by_round for number in medians})
    rows = [[medians.get(number, np.nan) for medians in by_round] for number in numbers]
    return np.array(rows, dtype=np.float64).reshape(len(numbers), len(cases))


class DiscoveryGrowth(Frozen):
    """The growth of a discovery time with the number of endpoints that are there already."""

    placement: str
    label: str
    figure: str
    """Field of `Discovery`."""
    cases: list[str]
    """Cases by ascending number of endpoints; without the case of none."""
    existing: list[int]
    exponent: Figure | None
    """The power of the number. 0: the number does not matter; 1: the time is proportional to it.
    Null where the times follow no power law."""
    farthest: int | None = None
    """The number at which the time lies farthest off the line through all."""
    farthest_factor: float | None = None
    """The time there over the line."""


FIGURES = ("creation", "peer_match", "first_sample")
"""Fields of `Discovery` that are fitted."""

WITHIN = 1.25
"""Factor by which a time may be off a law that describes it."""


def growths(
    cases: Iterable[CaseSummary], rows: Mapping[str, Sequence[Row]], seed: int
) -> list[DiscoveryGrowth]:
    """Estimate how each figure grows in each sweep of existing endpoints; a sweep of fewer than
    `stats.MIN_POINTS` numbers above 0 has none."""
    sweeps: dict[tuple[object, ...], list[CaseSummary]] = {}
    for case in cases:
        if _existing(case):
            rest = tuple((k, v) for k, v in case.workload.items() if k != WORKLOAD)
            key = (case.placement, case.size, case.label, rest, tuple(case.choices.items()))
            sweeps.setdefault(key, []).append(case)
    found = []
    for sweep in sweeps.values():
        ordered = sorted(sweep, key=_existing)
        if len(ordered) == len({_existing(case) for case in ordered}) >= stats.MIN_POINTS:
            found += [_growth(ordered, rows, name, seed) for name in FIGURES]
    return [growth for growth in found if growth]


WORKLOAD = title("existing")
"""The parameter `existing`, as the workload of a case calls it."""


def _existing(case: CaseSummary) -> int:
    return int(case.params.existing or 0) if case.test == "discovery" else 0


def _growth(
    cases: Sequence[CaseSummary], rows: Mapping[str, Sequence[Row]], name: str, seed: int
) -> DiscoveryGrowth | None:
    by_round = [
        {
            row["round"]: value
            for row in last_attempts(rows.get(case.id, ()))
            if row["status"] == "ok" and (value := row.get(f"{name}_ns"))
        }
        for case in cases
    ]
    numbers = sorted({number for values in by_round for number in values})
    table = np.array(
        [[values.get(number, np.nan) for values in by_round] for number in numbers],
        dtype=np.float64,
    ).reshape(len(numbers), len(cases))
    if not table.size or np.isnan(table).all(axis=0).any() or np.nanmin(table) <= 1.0:
        return None
    at = np.log([float(_existing(case)) for case in cases])
    line = stats.robust_line(at, np.log(table), confidence=CONFIDENCE, seed=seed)
    off = _off(np.log(table) - line.coefficients[0] - line.coefficients[1] * at)
    worst = max(off, key=lambda each: abs(each.value))
    is_law = not any(_departs(each) for each in off)
    exponent: Figure | None = figure(line.slope, "", within=stats.SIGNED) if is_law else None
    return DiscoveryGrowth(
        placement=cases[0].placement,
        label=cases[0].label,
        figure=name,
        cases=[case.id for case in cases],
        existing=[_existing(case) for case in cases],
        exponent=exponent,
        farthest=_existing(cases[off.index(worst)]),
        farthest_factor=float(np.exp(worst.value)),
    )


def _off(residuals: FloatArray) -> list[stats.Estimate]:
    """Return how far each point is off the line, in logarithms, with its interval over rounds."""
    centre = np.nanmedian(residuals, axis=0)
    moods = np.nanmean(residuals - centre, axis=1, keepdims=True)
    settled = residuals - moods
    return [stats.typical(of[~np.isnan(of)], CONFIDENCE) for of in settled.T]


def _departs(off: stats.Estimate) -> bool:
    limit = float(np.log(WITHIN))
    low = off.value if off.low is None else off.low
    high = off.value if off.high is None else off.high
    return low > limit or high < -limit
