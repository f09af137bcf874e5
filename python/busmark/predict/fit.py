"""From a result directory to its models."""

from __future__ import annotations

from collections.abc import Sequence

from busmark.analysis.figures import CONFIDENCE
from busmark.errors import UserError
from busmark.predict.model import LeftOut, Predictions, RateModel, SizeModel
from busmark.predict.rate import rate_model
from busmark.predict.size import size_model
from busmark.predict.sweeps import sweeps
from busmark.store import Result

SWEEP_OF_SIZES = "[matrix] with size = [64, 1024, 8192, 32768]"
SWEEP_OF_RATES = "[matrix] with rate_hz = [1000, 3000, 10000, 30000, 100000]"


def predict(
    result: Result,
    sizes: Sequence[float] = (),
    rates: Sequence[float] = (),
    *,
    extrapolate: bool = False,
) -> Predictions:
    """Fit a model to every sweep of sizes and of rates, and predict at what is asked for.

    `sizes` are bytes, `rates` samples per second. Beyond what was measured a prediction has no
    figure, unless `extrapolate`.

    Raises:
        UserError: if there is no model, or none for what is asked.
    """
    by_size: list[SizeModel] = []
    by_rate: list[RateModel] = []
    left_out: list[LeftOut] = []
    for measured in sweeps(result, "size"):
        of_size = size_model(measured, sizes, extrapolate=extrapolate, seed=result.manifest.seed)
        if isinstance(of_size, str):
            left_out.append(LeftOut(sweep=measured.sweep, reason=of_size))
        else:
            by_size.append(of_size)
    for measured in sweeps(result, "rate_hz"):
        of_rate = rate_model(measured, rates, extrapolate=extrapolate)
        if isinstance(of_rate, str):
            left_out.append(LeftOut(sweep=measured.sweep, reason=of_rate))
        else:
            by_rate.append(of_rate)
    _require(result, left_out, sizes=bool(by_size), rates=bool(by_rate),
             asked=(bool(sizes), bool(rates)))  # fmt: skip
    return Predictions(
        name=str(result.manifest.scenario.get("name") or "unnamed campaign"),
        confidence=CONFIDENCE,
        sizes=by_size,
        rates=by_rate,
        left_out=left_out,
    )


def _require(
    result: Result, left_out: Sequence[LeftOut], *, sizes: bool, rates: bool,
    asked: tuple[bool, bool],
) -> None:  # fmt: skip
    """Models for what is asked, and one at all."""
    for_size, for_rate = asked
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
    if not sizes and not rates:
        raise UserError(
            f"no cases that differ only in size or only in rate, so no model can be fitted{why}",
            where=where,
            remedy=f"Run a scenario that has {SWEEP_OF_SIZES}, or {SWEEP_OF_RATES}.",
        )  # fmt: skip
