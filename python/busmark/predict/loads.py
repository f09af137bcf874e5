"""Latency, goodput and loss against a background load: the model of a sweep of its levels.

The levels are those that were achieved, each the mean of a case's rounds: a load on a busy machine
comes to less than was asked for, and one without a limit to what it gets. A case without the load
is at level 0.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from busmark.estimate import rounds
from busmark.estimate.resources import asked_for, level_text
from busmark.model.parameters import Parameters
from busmark.predict import model
from busmark.predict.curves import MIN_RATES, LoadCurve
from busmark.predict.level_curves import GoodputAtLevel, LatencyAtLevel, LossAtLevel
from busmark.predict.model import LeftOut, LoadModel, LoadPoint, Prediction, State
from busmark.predict.sweeps import Measured, Row, named_cases, sweep_of
from busmark.store import Case, Result
from busmark.store.columns import LOAD_UNITS

Curves = dict[str, LoadCurve]
"""Curves of latency, goodput and loss, as far as they exist."""


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
        """Why these levels are inconclusive."""
        levels = self.measured.points
        spread = float(np.median([high - low for low, high in self.spans[1:]] or [0.0]))
        if len(set(levels)) < len(levels) or levels[-1] - levels[0] <= spread:
            return "the load achieved differs as much between rounds of a case as between cases"
        return None


def load_sweeps(result: Result) -> list[Levels]:
    """Every group of two or more planned cases that differ in the level of one background load
    only, or in whether it runs."""
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
    return {n: v for n, v in sorted(params.stated().items()) if n not in ("load", "load_on")}


def _of_one_kind(cases: Sequence[Case]) -> Iterator[tuple[str, list[Case]]]:
    """Cases with a load of one kind and all else equal, with the case that lacks just that load."""
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
    kind: str, cases: Sequence[Case], sweep: model.Sweep, rows: Mapping[str, list[dict[str, Any]]]
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
    """The model, if there is one, with its predictions at the levels `asked` for; and why there is
    none, or none of latency, goodput or loss."""
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
    curves, left_out = _curves(levels)
    if not curves:
        return None, left_out
    latency, goodput, loss = (curves.get(name) for name in ("latency", "goodput", "loss"))
    found = LoadModel(
        sweep=measured.sweep,
        kind=levels.kind,
        unit=LOAD_UNITS[levels.kind] or "1",
        latency_floor=latency.floor if latency else None,
        latency_knee=_knee(latency),
        goodput_best=goodput.floor if goodput else None,
        goodput_knee=_knee(goodput),
        loss_floor=loss.floor if loss else None,
        loss_knee=_knee(loss),
        points=[_point(levels, index, curves) for index in range(len(measured.points))],
        predictions=[_prediction(levels.kind, curves, level, extrapolate) for level in asked],
    )
    return found, left_out


def _curves(levels: Levels) -> tuple[Curves, list[LeftOut]]:
    """Those of use, and why others are not."""
    measured = levels.measured
    sweep = measured.sweep
    made: dict[str, LoadCurve | None] = {"latency": LatencyAtLevel.of(measured)}
    if sweep.test == "throughput" and not sweep.params.get("rate_hz"):
        # At a set rate goodput is that rate without what is lost.
        made["goodput"] = GoodputAtLevel.of(measured)
    made["loss"] = LossAtLevel.of(measured)
    curves = {name: curve for name, curve in made.items() if curve}
    flaws = {name: flaw for name, curve in curves.items() if (flaw := curve.flaw())}
    left_out = [
        LeftOut(
            sweep=measured.sweep, unusable=True,
            reason=f"no usable model of {name} against the load {levels.kind}: {flaw}",
        )
        for name, flaw in flaws.items()
    ]  # fmt: skip
    if not curves:
        reason = f"too few levels of the load {levels.kind} have latency, goodput or loss"
        left_out.append(LeftOut(sweep=measured.sweep, reason=reason))
    return {name: curve for name, curve in curves.items() if name not in flaws}, left_out


def _knee(curve: LoadCurve | None) -> model.Knee | None:
    if curve is None:
        return None
    knee = curve.knee
    return model.Knee(
        value=knee.value, low=knee.low, high=knee.high, confidence=knee.confidence,
        rounds=knee.rounds,
    )  # fmt: skip


def _point(levels: Levels, index: int, curves: Curves) -> LoadPoint:
    level = levels.measured.points[index]
    least, most = levels.spans[index]
    found: dict[str, Any] = {}
    for name, curve in curves.items():
        held_out = dict(zip(curve.rates[1:-1], curve.held_out(), strict=True))
        found[name] = curve.at(level) if level in curve.rates else None
        found[f"{name}_held_out"] = held_out.get(level)
    return LoadPoint(load=levels.asked[index], level=level, least=least, most=most, **found)


def _prediction(kind: str, curves: Curves, level: float, extrapolate: bool) -> Prediction:
    outside = [curve for curve in curves.values() if not curve.covers(level)]
    state: State = "within"
    remark = None
    latency = curves.get("latency")
    if outside:
        ends = (outside[0].rates[0], outside[0].rates[-1])
        span = " to ".join(level_text(kind, end) for end in ends)
        state, remark = "extrapolated", f"from {span}: the curve is continued as it ends"
        if not extrapolate:
            state = "not measured"
            remark = f"levels are {span}; --extrapolate continues the curve"
    elif latency and latency.knee.value is not None and level > latency.knee.value:
        state, remark = "past the knee", "latency has left its floor there"
    figures, vague = {}, []
    for name, curve in curves.items():
        if extrapolate or curve.covers(level):
            figure = curve.at(level)
            why = curve.vague(figure)
            figures[name] = None if why else figure
            vague += [why] if why else []
    if vague:
        remark = "; ".join([*vague, *([remark] if remark else [])])
        state = state if any(figures.values()) else "no figure"
    whole = {"latency": None, "loss": None, **figures}
    return Prediction(at=level, **whole, state=state, remark=remark)
