"""From a result directory to its models."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from busmark.errors import UserError
from busmark.model.figure import CONFIDENCE
from busmark.predict.loads import load_model, load_sweeps
from busmark.predict.model import LeftOut, LoadModel, Predictions, RateModel, SizeModel
from busmark.predict.rate import rate_model
from busmark.predict.size import size_model
from busmark.predict.sweeps import sweeps
from busmark.store import Result

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
    of_loads, with_loads = _loads(result, loads, extrapolate=extrapolate)
    # A model of no use is an answer, that there is none an error.
    unusable = {"size" if "size" not in each.sweep.params else "rate" for each in left_out
                if each.unusable}  # fmt: skip
    left_out += with_loads.left_out
    _require(result, left_out, sizes=bool(by_size) or "size" in unusable,
             rates=bool(by_rate) or "rate" in unusable, loads=with_loads.kinds,
             asked=(bool(sizes), bool(rates), [kind for kind, _ in loads]))  # fmt: skip
    return Predictions(
        name=str(result.manifest.scenario.get("name") or "unnamed campaign"),
        confidence=CONFIDENCE,
        sizes=by_size,
        rates=by_rate,
        loads=of_loads,
        left_out=left_out,
    )


@dataclass(frozen=True)
class _WithLoads:
    """What sweeps of loads gave besides models."""

    left_out: list[LeftOut]
    kinds: set[str]
    """Kinds of load with a model, even an unusable one."""


def _loads(
    result: Result, asked: Sequence[tuple[str, float]], *, extrapolate: bool
) -> tuple[list[LoadModel], _WithLoads]:
    models: list[LoadModel] = []
    found = _WithLoads([], set())
    for levels in load_sweeps(result):
        wanted = [level for kind, level in asked if kind == levels.kind]
        model, without = load_model(levels, wanted, extrapolate=extrapolate)
        found.left_out.extend(without)
        if model is not None:
            models.append(model)
        if model is not None or any(each.unusable for each in without):
            found.kinds.add(levels.kind)
    return models, found


def _require(
    result: Result, left_out: Sequence[LeftOut], *, sizes: bool, rates: bool, loads: set[str],
    asked: tuple[bool, bool, Sequence[str]],
) -> None:  # fmt: skip
    """Models for what is asked, and one at all."""
    for_size, for_rate, for_loads = asked
    why = "".join(f"; {each.sweep.label}, {each.sweep.where}: {each.reason}" for each in left_out)
    where = str(result.directory)
    if for_size and not sizes:
        raise UserError(
            f"no latency cases that differ only in size, so none can be predicted for a size{why}",
            where=where, remedy=f"Run a scenario that has {SWEEP_OF_SIZES}.",
        )  # fmt: skip
    if for_rate and not rates:
        raise UserError(
            f"no cases that differ only in rate, so nothing can be predicted for a rate{why}",
            where=where, remedy=f"Run a scenario that has {SWEEP_OF_RATES}.",
        )  # fmt: skip
    for kind in for_loads:
        if kind not in loads:
            raise UserError(
                f"no cases that differ only in the background load {kind}, so nothing can be "
                f"predicted for one{why}",
                where=where, remedy=f"Run a scenario that has {SWEEPS_OF_LOADS[kind]}.",
            )  # fmt: skip
    if not sizes and not rates and not loads:
        raise UserError(
            "no cases that differ only in size, only in rate or only in one background load, so "
            f"no model can be fitted{why}",
            where=where,
            remedy=f"Run a scenario that has {SWEEP_OF_SIZES}, or {SWEEP_OF_RATES}, or "
            f"{SWEEPS_OF_LOADS['cpu']}.",
        )
