"""Cases that differ in one dimension only, and what their rounds measured."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from busmark.estimate import rounds
from busmark.model import naming as dim
from busmark.model.figure import FloatArray
from busmark.model.naming import NamedCase, described, name_cases
from busmark.model.parameters import Parameters
from busmark.model.text import size_text
from busmark.plugins.predict.model import Sweep
from busmark.stats import supported
from busmark.store import Case, Result

Dimension = Literal["size", "rate_hz", "load"]
Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class MeasuredSweep:
    """A sweep with the counted rounds of its cases, in ascending order of the dimension."""

    sweep: Sweep
    points: list[float]
    """Sizes or rates with at least one counted round."""
    rows: list[dict[int, Row]]
    """Rows of the table `cases` for each point, by the round's number."""

    def table(self, value: Callable[[Row], float | None]) -> FloatArray:
        """Return `value` of every round at every point, shape (rounds, points); NaN where it is
        absent."""
        numbers = sorted({number for rows in self.rows for number in rows})
        cells = [[value(rows[n]) if n in rows else None for rows in self.rows] for n in numbers]
        return np.array(cells, dtype=np.float64).reshape(len(numbers), len(self.rows))


def sweeps(result: Result, dimension: Dimension) -> list[MeasuredSweep]:
    """Return every group of two or more planned cases that differ in this dimension only.

    Sizes come from latency cases with one size each; rates from any open loop.
    """
    manifest, named = result.manifest, named_cases(result)
    groups: dict[str, list[Case]] = {}
    for case in manifest.cases:
        if case.status == "planned" and _swept(case.params, dimension):
            groups.setdefault(json.dumps(_others(case.params, dimension)), []).append(case)
    rows = rounds.rows_of(result.cases)
    found = []
    for cases in groups.values():
        if len(cases) > 1:
            cases.sort(key=lambda case: float(getattr(case.params, dimension)))
            others = _others(cases[0].params, dimension)
            sweep = sweep_of(cases, dimension, named[cases[0].id], others)
            found.append(_measured(sweep, cases, dimension, rows))
    return found


def named_cases(result: Result) -> dict[str, NamedCase]:
    """Return what the cases of a result are called."""
    manifest = result.manifest
    flats = {case.id: dim.flatten(case.params) for case in manifest.cases}
    unsupported = {case.id for case in manifest.cases if case.status == "unsupported"}
    return name_cases(flats, manifest.adapters, unsupported)


def latency_ns(row: Row) -> float | None:
    """Return median of RTT/2 of a round; None where it has too few samples for a median."""
    if row["median_ns"] is None or not supported(50.0, row["samples"] or 0):
        return None
    return float(row["median_ns"]) / 2


def loss(row: Row) -> float | None:
    """Return share lost of what should have been received."""
    if not row["expected"] or row["lost"] is None:
        return None
    return float(row["lost"]) / float(row["expected"])


def goodput(row: Row) -> float | None:
    """Return Mbit/s that arrived; None for a round in which nothing did, for it has no
    logarithm."""
    return row["mbit_per_s"] or None


def _swept(params: Parameters, dimension: Dimension) -> bool:
    if dimension == "rate_hz":
        return params.rate_hz is not None
    single = params.size_distribution is None
    return params.test == "latency" and params.size is not None and single


def _others(params: Parameters, dimension: Dimension) -> dict[str, Any]:
    return {name: v for name, v in sorted(params.declared().items()) if name != dimension}


def sweep_of(
    cases: Sequence[Case], dimension: Dimension, named: NamedCase, others: dict[str, Any]
) -> Sweep:
    """Return the sweep of these cases, which share `others`."""
    params = cases[0].params
    workload = {k: v for k, v in named.workload.items() if k != dim.title(dimension)}
    parts = [dim.placement_text(str(params.placement))]
    if dimension != "size":
        parts.insert(0, size_text(params.size))
    further = described(workload)
    return Sweep(
        label=named.label,
        label_title=named.title,
        where=" ".join(parts) + (f", {further}" if further else ""),
        adapter=str(params.adapter),
        test=str(params.test),
        params=others,
        cases=[case.id for case in cases],
    )


def _measured(
    sweep: Sweep, cases: list[Case], dimension: Dimension, rows: Mapping[str, list[dict[str, Any]]]
) -> MeasuredSweep:
    points: list[float] = []
    counted: list[dict[int, Row]] = []
    for case in cases:
        last = rounds.last_attempts(rows.get(case.id, []))
        good: dict[int, Row] = {row["round"]: row for row in last if row["status"] == "ok"}
        if good:
            points.append(float(getattr(case.params, dimension)))
            counted.append(good)
    return MeasuredSweep(sweep, points, counted)
