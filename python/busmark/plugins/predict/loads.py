"""Latency, goodput and loss against the level of a background load, straight in the level."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from busmark.estimate import rounds
from busmark.estimate.resources import asked_for, level_text
from busmark.model.parameters import Parameters
from busmark.plugins.predict.curves import (
    FLAT,
    GOODPUT_AT_LEVEL,
    LATENCY_AT_LEVEL,
    LOSS_AT_LEVEL,
    MIN_RATES,
    LoadCurve,
    curve_of,
    fields,
    fields_at,
    predicted,
    usable,
)
from busmark.plugins.predict.model import LeftOut, LoadModel, LoadPoint, Sweep
from busmark.plugins.predict.sweeps import (
    Measured,
    Row,
    named_cases,
    sweep_of,
)
from busmark.store import Case, Result
from busmark.store.columns import LOAD_UNITS


@dataclass(frozen=True, slots=True)
class Levels:
    """A sweep of the levels of one kind of load."""

    kind: str
    measured: Measured
    asked: list[str | None]
    """The requested load of each point; None: none."""
    spans: list[tuple[float, float]]
    """The least and the greatest level of the rounds of each point."""

    def flaw(self) -> str | None:
        """Return why these levels are inconclusive."""
        levels = self.measured.points
        spread = float(np.median([high - low for low, high in self.spans[1:]] or [0.0]))
        if len(set(levels)) < len(levels) or levels[-1] - levels[0] <= spread:
            return "the load achieved differs as much between rounds of a case as between cases"
        return None


def load_sweeps(result: Result) -> list[Levels]:
    """Return every group of two or more planned cases that differ in the level of one background
    load only, or in whether it runs."""
    named = named_cases(result)
    rows = rounds.rows_of(result.cases)
    groups: dict[str, list[Case]] = {}
    for case in result.manifest.cases:
        if case.status == "planned" and case.params.test in ("latency", "throughput"):
            groups.setdefault(json.dumps(_others(case.params)), []).append(case)
    found = []
    for cases in groups.values():
        for kind, own in _of_one_kind(cases):
            sweep = sweep_of(own, "load", named[own[0].id], _others(own[0].params))
            found.append(_levels(kind, own, sweep, rows))
    return found


def _others(params: Parameters) -> dict[str, Any]:
    return {n: v for n, v in sorted(params.declared().items()) if n not in ("load", "load_on")}


def _of_one_kind(cases: Sequence[Case]) -> Iterator[tuple[str, list[Case]]]:
    """Return cases with a load of one kind and all else equal, with the case that lacks just that
    load."""
    for kind in LOAD_UNITS:
        groups: dict[tuple[str, Any], list[Case]] = {}
        lacking: dict[tuple[str, Any], Case] = {}
        for case in cases:
            loads = asked_for(case.params)
            rest = {name: words for name, words in loads.items() if name != kind}
            key = json.dumps(rest, sort_keys=True), case.params.load_on
            if kind in loads:
                groups.setdefault(key, []).append(case)
            else:
                lacking[key] = case
        for (rest_text, on), own in groups.items():
            # A case without any load names no nodes for one.
            without = lacking.get((rest_text, None if rest_text == "{}" else on))
            if len(own) + bool(without) > 1:
                yield kind, [*([without] if without else []), *own]


def _levels(
    kind: str, cases: Sequence[Case], sweep: Sweep, rows: Mapping[str, list[dict[str, Any]]]
) -> Levels:
    points = []
    for case in cases:
        words = asked_for(case.params).get(kind)
        last = rounds.last_attempts(rows.get(case.id, []))
        good: dict[int, Row] = {row["round"]: row for row in last if row["status"] == "ok"}
        column = f"load_{kind}_achieved"
        achieved = [row[column] if words else 0.0 for row in good.values()]
        known = [level for level in achieved if level is not None]
        if known:
            level = sum(known) / len(known)
            points.append((level, words, (min(known), max(known)), good, case.id))
    points.sort(key=lambda point: point[0])
    sweep = sweep.model_copy(update={"cases": [point[4] for point in points]})
    measured = Measured(sweep, [point[0] for point in points], [point[3] for point in points])
    return Levels(kind, measured, [point[1] for point in points], [point[2] for point in points])


def load_model(
    levels: Levels, asked: Sequence[float], *, extrapolate: bool
) -> tuple[LoadModel | None, list[LeftOut]]:
    """Return the model, if there is one, with its predictions at the levels `asked` for; and why
    there is none, or none of latency, goodput or loss."""
    measured = levels.measured
    if len(measured.points) < MIN_RATES:
        reason = (
            f"results at {len(measured.points)} levels of the load {levels.kind}; a curve needs "
            f"{MIN_RATES} at least"
        )
        return None, [LeftOut(sweep=measured.sweep, reason=reason)]
    if flaw := levels.flaw():
        reason = f"no usable model against the load {levels.kind}: {flaw}"
        return None, [LeftOut(sweep=measured.sweep, reason=reason, unusable=True)]
    sweep = measured.sweep
    made = {"latency": curve_of(LATENCY_AT_LEVEL, measured)}
    if sweep.test == "throughput" and not sweep.params.get("rate_hz"):
        # At a set rate goodput is that rate without what is lost.
        made["goodput"] = curve_of(GOODPUT_AT_LEVEL, measured)
    made["loss"] = curve_of(LOSS_AT_LEVEL, measured)
    curves, left_out = usable(made, sweep, f" against the load {levels.kind}")
    if not any(made.values()):
        reason = f"too few levels of the load {levels.kind} have latency, goodput or loss"
        left_out.append(LeftOut(sweep=sweep, reason=reason))
    if not curves:
        return None, left_out
    found = LoadModel(
        sweep=sweep,
        kind=levels.kind,
        unit=LOAD_UNITS[levels.kind] or "1",
        **fields({name: curves.get(name) for name in FLAT}),
        points=[
            LoadPoint(load=words, level=level, least=least, most=most, **fields_at(curves, level))
            for level, words, (least, most) in zip(
                measured.points, levels.asked, levels.spans, strict=True
            )
        ],
        predictions=[
            predicted(
                curves,
                level,
                "levels",
                partial(_span, levels.kind),
                "latency has left its floor there",
                extrapolate=extrapolate,
            )
            for level in asked
        ],
    )
    return found, left_out


def _span(kind: str, curve: LoadCurve) -> str:
    return " to ".join(level_text(kind, end) for end in (curve.rates[0], curve.rates[-1]))
