"""Latency, goodput and loss against the level of a background load, straight in the level."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import exp, log
from typing import Any, ClassVar

import numpy as np

from busmark import stats
from busmark.estimate import rounds
from busmark.estimate.resources import asked_for, level_text
from busmark.model.figure import CONFIDENCE, Figure
from busmark.model.parameters import Parameters
from busmark.plugins.predict.curves import (
    MIN_RATES,
    LatencyCurve,
    LoadCurve,
    LossCurve,
    known_points,
    predicted,
    share_limits,
)
from busmark.plugins.predict.model import (
    GOODPUT_FALL,
    LATENCY_RISE,
    LOSS_RISE,
    Knee,
    LeftOut,
    LoadModel,
    LoadPoint,
    Sweep,
)
from busmark.plugins.predict.sweeps import (
    Measured,
    Row,
    goodput,
    latency_ns,
    loss_share,
    named_cases,
    sweep_of,
)
from busmark.store import Case, Result
from busmark.store.columns import LOAD_UNITS


class LatencyAtLevel(LatencyCurve):
    """Curve of the median of RTT/2: logarithm of nanoseconds against the level, which may be 0."""

    @classmethod
    def of(cls, measured: Measured) -> LatencyAtLevel | None:
        """Return the curve; None where too few levels have a value."""
        table, levels, counts = known_points(measured, measured.table(latency_ns), "samples")
        if len(levels) < MIN_RATES:
            return None
        logs = np.log(table)
        knee = stats.knee(levels, logs, log(1.0 + LATENCY_RISE), CONFIDENCE)
        return cls(levels, counts, stats.curve_between(levels, logs, CONFIDENCE), knee)

    def _x(self, rate: float) -> float:
        return rate


class GoodputAtLevel(LatencyAtLevel):
    """Curve of what arrives at full speed: minus the logarithm, because it falls as latency
    rises."""

    what: ClassVar[str] = "goodput"

    @classmethod
    def of(cls, measured: Measured) -> GoodputAtLevel | None:
        """Return the curve; None where too few levels have a value."""
        table, levels, counts = known_points(measured, measured.table(goodput), "received")
        if len(levels) < MIN_RATES:
            return None
        logs = -np.log(table)
        knee = stats.knee(levels, logs, -log(1.0 - GOODPUT_FALL), CONFIDENCE)
        return cls(levels, counts, stats.curve_between(levels, logs, CONFIDENCE), knee)

    def held_out(self) -> list[float]:
        """Return the relative errors of cross-validation, predicted / measured - 1, or of loss
        differences."""
        errors: list[float] = np.expm1(-self.curve.held_out).tolist()
        return errors

    def _figure(self, straight: stats.Estimate, rate: float, count: int) -> Figure:
        low, high = (None if v is None else exp(-v) for v in (straight.high, straight.low))
        return Figure(
            value=exp(-straight.value), low=low, high=high, confidence=straight.confidence,
            count=count, rounds=straight.rounds, unit="Mbit/s",
        )  # fmt: skip


class LossAtLevel(LossCurve):
    """Curve of the share lost, on a linear scale."""

    @classmethod
    def of(cls, measured: Measured) -> LossAtLevel | None:
        """Return the curve; None where too few levels have a value."""
        table, levels, counts = known_points(measured, measured.table(loss_share), "expected")
        if len(levels) < MIN_RATES:
            return None
        # More load loses no smaller share: levels at which the medians say otherwise are pooled.
        medians = np.nanmedian(table, axis=0)
        curve = stats.curve_between(levels, table + (stats.rising(medians) - medians), CONFIDENCE)
        return cls(levels, counts, curve, stats.knee(levels, table, LOSS_RISE, CONFIDENCE))

    def held_out(self) -> list[float]:
        """Return the relative errors of cross-validation, predicted / measured - 1, or of loss
        differences."""
        errors: list[float] = self.curve.held_out.tolist()
        return errors

    def _onward(self, rate: float) -> float:
        if rate < self.rates[0]:
            return float(np.nanmedian(self.curve.values[:, 0]))
        return self._last_piece(rate)

    def _figure(self, straight: stats.Estimate, rate: float, count: int) -> Figure:
        share = min(max(straight.value, 0.0), 1.0)
        low, high = share_limits(share, straight.low, straight.high, count)
        return Figure(
            value=share, low=low, high=high, confidence=straight.confidence, count=count,
            rounds=straight.rounds, unit="1",
        )  # fmt: skip


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
    curves, left_out = _curves(levels)
    if not curves:
        return None, left_out
    latency, goodput, loss = (curves.get(name) for name in ("latency", "goodput", "loss"))
    found = LoadModel(
        sweep=measured.sweep,
        kind=levels.kind,
        unit=LOAD_UNITS[levels.kind] or "1",
        latency_floor=latency.floor if latency else None,
        latency_knee=Knee.of(latency.knee if latency else None),
        goodput_best=goodput.floor if goodput else None,
        goodput_knee=Knee.of(goodput.knee if goodput else None),
        loss_floor=loss.floor if loss else None,
        loss_knee=Knee.of(loss.knee if loss else None),
        points=[_point(levels, index, curves) for index in range(len(measured.points))],
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


def _curves(levels: Levels) -> tuple[Curves, list[LeftOut]]:
    """Return the usable curves, and why others are not."""
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
            sweep=measured.sweep,
            unusable=True,
            reason=f"no usable model of {name} against the load {levels.kind}: {flaw}",
        )
        for name, flaw in flaws.items()
    ]
    if not curves:
        reason = f"too few levels of the load {levels.kind} have latency, goodput or loss"
        left_out.append(LeftOut(sweep=measured.sweep, reason=reason))
    return {name: curve for name, curve in curves.items() if name not in flaws}, left_out


def _point(levels: Levels, index: int, curves: Curves) -> LoadPoint:
    level = levels.measured.points[index]
    least, most = levels.spans[index]
    found: dict[str, Any] = {}
    for name, curve in curves.items():
        held_out = dict(zip(curve.rates[1:-1], curve.held_out(), strict=True))
        found[name] = curve.at(level) if level in curve.rates else None
        found[f"{name}_held_out"] = held_out.get(level)
    return LoadPoint(load=levels.asked[index], level=level, least=least, most=most, **found)


def _span(kind: str, curve: LoadCurve) -> str:
    return " to ".join(level_text(kind, end) for end in (curve.rates[0], curve.rates[-1]))
