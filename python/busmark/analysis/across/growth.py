"""How discovery grows with the endpoints that are there already: a power law.

The exponent is the slope of a robust line (`stats.robust_line`) through the logarithms of time and
number: 0, the number does not matter; 1, the time is proportional to it. Where nothing was there,
a power law has no place, so that this case is left out of the fit.

Whatever the times, there is such a line. It is a law only where the times lie on it, as far as the
rounds say: a point departs from it where all of its interval over rounds is more than a factor of
`WITHIN` off. What makes a whole round slow is taken out before, for it moves all points alike.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from busmark import stats
from busmark.analysis.figures import CONFIDENCE, Figure, FloatArray, figure
from busmark.analysis.model import CaseSummary, DiscoveryGrowth
from busmark.analysis.read.rounds import Row, last_attempts

FIGURES = ("creation", "peer_match", "first_sample")
"""Fields of `Discovery` that are fitted."""

WITHIN = 1.25
"""Factor by which a time may be off a law that describes it."""


def growths(
    cases: Iterable[CaseSummary], rows: Mapping[str, Sequence[Row]], seed: int
) -> list[DiscoveryGrowth]:
    """For each sweep of existing endpoints and each figure; a sweep of fewer than
    `stats.MIN_POINTS` numbers above 0 has none."""
    sweeps: dict[tuple[object, ...], list[CaseSummary]] = {}
    for case in cases:
        if case.discovery and case.discovery.existing:
            rest = tuple((k, v) for k, v in case.workload.items() if k != WORKLOAD)
            key = (case.placement, case.size, case.label, rest, tuple(case.choices.items()))
            sweeps.setdefault(key, []).append(case)
    found = []
    for sweep in sweeps.values():
        ordered = sorted(sweep, key=_existing)
        if len(ordered) == len({_existing(case) for case in ordered}) >= stats.MIN_POINTS:
            found += [_growth(ordered, rows, name, seed) for name in FIGURES]
    return [growth for growth in found if growth]


WORKLOAD = "endpoints there"
"""The parameter `existing`, as the workload of a case calls it."""


def _existing(case: CaseSummary) -> int:
    return case.discovery.existing if case.discovery else 0


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
    exponent: Figure | None = figure(line.slope, "", signed=True) if is_law else None
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
    """For each point how far it is off the line, in logarithms, with its interval over rounds."""
    centre = np.nanmedian(residuals, axis=0)
    moods = np.nanmean(residuals - centre, axis=1, keepdims=True)
    settled = residuals - moods
    return [stats.typical(of[~np.isnan(of)], CONFIDENCE) for of in settled.T]


def _departs(off: stats.Estimate) -> bool:
    limit = float(np.log(WITHIN))
    low = off.value if off.low is None else off.low
    high = off.value if off.high is None else off.high
    return low > limit or high < -limit
