"""From a result to its models: latency against size, latency and loss against offered load, and
these and goodput against the level of a background load.

Latency against size is overhead + slope · size, by `stats.robust_line` over medians of rounds. A
curve against a load consists of straight pieces.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from busmark.errors import UserError
from busmark.estimate import rounds
from busmark.estimate.resources import asked_for, level_text
from busmark.model.figure import CONFIDENCE, Figure, FloatArray, figure, over_rounds
from busmark.model.naming import value_text
from busmark.model.parameters import Parameters
from busmark.model.text import percent_text, set_percent_text, size_text
from busmark.plugins.predict.curves import (
    FLAT,
    GOODPUT_AT_LEVEL,
    LATENCY,
    LATENCY_AT_LEVEL,
    LOSS,
    LOSS_AT_LEVEL,
    MIN_RATES,
    LoadCurve,
    beyond,
    curve_of,
    fields,
    fields_at,
    no_model,
    predicted,
    usable,
)
from busmark.plugins.predict.model import (
    MAX_ERROR,
    MAX_REACH,
    LeftOut,
    LoadModel,
    LoadPoint,
    Prediction,
    Predictions,
    RateModel,
    RatePoint,
    SizeModel,
    SizePoint,
    State,
    Sweep,
)
from busmark.plugins.predict.sweeps import (
    MeasuredSweep,
    Row,
    latency_ns,
    loss,
    named_cases,
    sweep_of,
    sweeps,
)
from busmark.stats import MIN_POINTS, SIGNED, FittedLine, robust_line
from busmark.store import Case, Result
from busmark.store.columns import LOAD_UNITS

BIT_PER_NS = 8e3
"""1 B/ns in Mbit/s."""


def _too_few(sweep: Sweep, what: str, number: int, least: int) -> LeftOut:
    """Return that there are results at too few sizes, rates or levels for a model."""
    reason = f"results at {number} {what}; a model needs {least} at least"
    return LeftOut(sweep=sweep, reason=reason)


def size_model(
    measured: MeasuredSweep, asked: Sequence[float], *, extrapolate: bool, seed: int
) -> SizeModel | LeftOut:
    """Return the model and its predictions at the sizes `asked` for; or why there is none."""
    table = measured.table(latency_ns)
    known = ~np.isnan(table).all(axis=0)
    sizes = np.array(measured.points)[known]
    if sizes.size < MIN_POINTS:
        return _too_few(measured.sweep, "sizes", sizes.size, MIN_POINTS)
    table = table[:, known]
    line = robust_line(sizes, table, confidence=CONFIDENCE, seed=seed)
    flaw = _flaw(line, sizes)
    if flaw:
        return no_model(measured.sweep, flaw, "")
    samples = measured.table(lambda row: row["samples"])
    count = int(np.nansum(samples[:, known]))
    slope = figure(line.slope, "ns/B", count, within=SIGNED)
    level = np.nanmedian(table, axis=0)
    rounds = np.isfinite(table).sum(axis=0)
    return SizeModel(
        sweep=measured.sweep,
        overhead=figure(line.intercept, "ns", count, within=SIGNED),
        slope=slope,
        bandwidth=_bandwidth(slope),
        departure=line.departure,
        points=[
            SizePoint(size=int(size), latency_ns=at, rounds=int(n), held_out=error)
            for size, at, n, error in zip(
                sizes.tolist(), level.tolist(), rounds, line.held_out.tolist(), strict=True
            )
        ],
        predictions=[_at_size(line, sizes, size, count, extrapolate) for size in asked],
    )


def _flaw(line: FittedLine, sizes: FloatArray) -> str | None:
    slope = line.slope
    if slope.high is not None and slope.high < 0.0:
        return "latency falls as bodies grow, so the time per byte is undefined"
    error = float(np.median(np.abs(line.held_out)))
    if error > MAX_ERROR:
        return (
            "at a size that it was not fitted to the line is typically off by "
            f"{percent_text(error)} ({sizes.size} tried; {set_percent_text(MAX_ERROR)} is the "
            "limit)"
        )
    reaches = [line.at(float(size)).relative_half_width for size in sizes]
    known = [reach for reach in reaches if reach is not None]
    reach = float(np.median(known)) if known else 0.0
    if reach > MAX_REACH:
        return (
            f"rounds and sizes leave its latencies open by typically ±{percent_text(reach)} "
            f"(±{set_percent_text(MAX_REACH)} is the limit)"
        )
    return None


def _bandwidth(slope: Figure) -> Figure | None:
    """Return the slope's inverse; a slope that may be 0 has none."""
    if slope.low is None or slope.high is None or slope.low <= 0:
        return None
    limits = {"low": BIT_PER_NS / slope.high, "high": BIT_PER_NS / slope.low}
    return slope.model_copy(update={"value": BIT_PER_NS / slope.value, "unit": "Mbit/s", **limits})


def _at_size(
    line: FittedLine, sizes: FloatArray, size: float, count: int, extrapolate: bool
) -> Prediction:
    span = f"{size_text(int(sizes[0]))} to {size_text(int(sizes[-1]))}"
    predicted = line.at(size)
    state: State = "within"
    remark = None
    if not sizes[0] <= size <= sizes[-1]:
        state, remark = "extrapolated", f"from {span}: the line is continued"
        if not extrapolate:
            state = "not measured"
            remark = beyond("sizes", span)
    if state != "not measured" and predicted.value <= 0:
        state, remark = "no figure", f"the line from {span} gives no latency above 0"
    known = state in ("within", "extrapolated")
    latency = figure(predicted, "ns", count) if known else None
    return Prediction(at=size, latency=latency, loss=None, state=state, remark=remark)


def rate_model(
    measured: MeasuredSweep, asked: Sequence[float], *, extrapolate: bool
) -> tuple[RateModel | None, list[LeftOut]]:
    """Return the model, if there is one, with its predictions at the rates `asked` for; and why
    there is none of latency, or of loss."""
    made = {"latency": curve_of(LATENCY, measured), "loss": curve_of(LOSS, measured)}
    if not any(made.values()):
        return None, [_too_few(measured.sweep, "rates", len(measured.points), MIN_RATES)]
    known, left_out = usable(made, measured.sweep)
    if not known:
        return None, left_out
    curves = {name: known.get(name) for name in made}
    found = RateModel(
        sweep=measured.sweep,
        **fields(curves),
        carried=_carried(measured),
        points=[
            RatePoint(
                rate_hz=rate,
                written_per_s=over_rounds(
                    [row["written_per_s"] for row in rows.values()], "1/s", _total(rows, "sent")
                ),
                **fields_at(curves, rate),
            )
            for rate, rows in zip(measured.points, measured.rows, strict=True)
        ],
        predictions=[
            predicted(
                curves,
                rate,
                "rates",
                _span,
                "latency there depends on how long a round lasts",
                extrapolate=extrapolate,
            )
            for rate in asked
        ],
    )
    return found, left_out


def _carried(measured: MeasuredSweep) -> Figure | None:
    """Return the greatest of the rates that arrive at a reader."""

    def arriving(row: Row) -> float | None:
        lost, written = loss(row), row["written_per_s"]
        return None if lost is None or written is None else written * (1.0 - lost)

    found = [
        over_rounds([arriving(row) for row in rows.values()], "1/s", _total(rows, "received"))
        for rows in measured.rows
    ]
    return max((f for f in found if f is not None), key=lambda f: f.value, default=None)


def _total(rows: dict[int, Row], column: str) -> int:
    return sum(row[column] or 0 for row in rows.values())


def _span(curve: LoadCurve) -> str:
    return f"{value_text('', curve.rates[0])} to {value_text('rate_hz', curve.rates[-1])}"


SWEEP_OF_SIZES = "[matrix] with size = [64, 1024, 8192, 32768]"
SWEEP_OF_RATES = "[matrix] with rate_hz = [1000, 3000, 10000, 30000, 100000]"
SWEEPS_OF_LOADS = {
    "cpu": '[matrix] with load = ["", "cpu 25%", "cpu 50%", "cpu 75%"]',
    "net": '[matrix] with load = ["", "net 50mbit", "net 200mbit", "net 500mbit"]',
    "disk": '[matrix] with load = ["", "disk 10MB", "disk 30MB", "disk 100MB"]',
}


def predict(
    result: Result,
    sizes: Sequence[float] = (),
    rates: Sequence[float] = (),
    *,
    loads: Sequence[tuple[str, float]] = (),
    extrapolate: bool = False,
) -> Predictions:
    """Fit a model to every sweep of sizes, rates and background loads, and predict at what is asked
    for.

    `sizes` are bytes, `rates` samples per second, `loads` kinds of load with a level
    each. Beyond what was measured a prediction has no figure, unless `extrapolate`.

    Raises:
        UserError: if there is no model, or none for what is asked.
    """
    by_size: list[SizeModel] = []
    by_rate: list[RateModel] = []
    left_out: list[LeftOut] = []
    for measured in sweeps(result, "size"):
        of_size = size_model(measured, sizes, extrapolate=extrapolate, seed=result.manifest.seed)
        if isinstance(of_size, LeftOut):
            left_out.append(of_size)
        else:
            by_size.append(of_size)
    for measured in sweeps(result, "rate_hz"):
        of_rate, without = rate_model(measured, rates, extrapolate=extrapolate)
        left_out += without
        if of_rate is not None:
            by_rate.append(of_rate)
    # A model of no use is an answer, that there is none an error.
    unusable = {
        "size" if "size" not in each.sweep.params else "rate" for each in left_out if each.unusable
    }
    by_load: list[LoadModel] = []
    loads_with_model: set[str] = set()
    for levels in load_sweeps(result):
        wanted = [level for kind, level in loads if kind == levels.kind]
        of_load, without = load_model(levels, wanted, extrapolate=extrapolate)
        left_out += without
        if of_load is not None:
            by_load.append(of_load)
        if of_load is not None or any(each.unusable for each in without):
            loads_with_model.add(levels.kind)
    _require(
        result,
        left_out,
        sizes=bool(by_size) or "size" in unusable,
        rates=bool(by_rate) or "rate" in unusable,
        loads=loads_with_model,
        asked=(bool(sizes), bool(rates), [kind for kind, _ in loads]),
    )
    return Predictions(
        name=str(result.manifest.scenario.get("name") or "unnamed campaign"),
        confidence=CONFIDENCE,
        sizes=by_size,
        rates=by_rate,
        loads=by_load,
        left_out=left_out,
    )


def _require(
    result: Result,
    left_out: Sequence[LeftOut],
    *,
    sizes: bool,
    rates: bool,
    loads: set[str],
    asked: tuple[bool, bool, Sequence[str]],
) -> None:
    """Check that there is a model for what is asked, and one at all."""
    for_size, for_rate, for_loads = asked
    why = "".join(f"; {each.sweep.label}, {each.sweep.where}: {each.reason}" for each in left_out)
    where = str(result.directory)
    problems = [
        (for_size and not sizes,
         "latency cases that differ only in size, so none can be predicted for a size",
         SWEEP_OF_SIZES),
        (for_rate and not rates,
         "cases that differ only in rate, so nothing can be predicted for a rate", SWEEP_OF_RATES),
        *((kind not in loads,
           f"cases that differ only in the background load {kind}, so nothing can be predicted for "
           "one", SWEEPS_OF_LOADS[kind])
          for kind in for_loads),
        (not sizes and not rates and not loads,
         "cases that differ only in size, only in rate or only in one background load, so no model "
         "can be fitted", f"{SWEEP_OF_SIZES}, or {SWEEP_OF_RATES}, or {SWEEPS_OF_LOADS['cpu']}"),
    ]  # fmt: skip
    for missing, what, sweep in problems:
        if missing:
            raise UserError(
                f"no {what}{why}", where=where, remedy=f"Run a scenario that has {sweep}."
            )


@dataclass(frozen=True, slots=True)
class Levels:
    """A sweep of the levels of one kind of load."""

    kind: str
    measured: MeasuredSweep
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
    measured = MeasuredSweep(sweep, [point[0] for point in points], [point[3] for point in points])
    return Levels(kind, measured, [point[1] for point in points], [point[2] for point in points])


def load_model(
    levels: Levels, asked: Sequence[float], *, extrapolate: bool
) -> tuple[LoadModel | None, list[LeftOut]]:
    """Return the model, if there is one, with its predictions at the levels `asked` for; and why
    there is none, or none of latency, goodput or loss."""
    measured = levels.measured
    if len(measured.points) < MIN_RATES:
        what = f"{levels.kind} levels"
        return None, [_too_few(measured.sweep, what, len(measured.points), MIN_RATES)]
    if flaw := levels.flaw():
        return None, [no_model(measured.sweep, flaw, f" against the load {levels.kind}")]
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
                partial(_levels_text, levels.kind),
                "latency has left its floor there",
                extrapolate=extrapolate,
            )
            for level in asked
        ],
    )
    return found, left_out


def _levels_text(kind: str, curve: LoadCurve) -> str:
    return " to ".join(level_text(kind, end) for end in (curve.rates[0], curve.rates[-1]))
