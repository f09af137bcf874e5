"""Latency and loss against offered load: the model of a sweep of rates."""

from __future__ import annotations

from collections.abc import Sequence

from busmark import stats
from busmark.model.figure import Figure, over_rounds
from busmark.model.naming import value_text
from busmark.predict import model
from busmark.predict.curves import MIN_RATES, LatencyCurve, LoadCurve, LossCurve
from busmark.predict.model import LeftOut, Prediction, RateModel, RatePoint, State
from busmark.predict.sweeps import Measured, Row, loss_share


def rate_model(
    measured: Measured, asked: Sequence[float], *, extrapolate: bool
) -> tuple[RateModel | None, list[LeftOut]]:
    """The model, if there is one, with its predictions at the rates `asked` for; and why there is
    none of latency, or of loss."""
    latency, loss = LatencyCurve.of(measured), LossCurve.of(measured)
    if latency is None and loss is None:
        reason = f"results at {len(measured.points)} rates; a curve needs {MIN_RATES} at least"
        return None, [LeftOut(sweep=measured.sweep, reason=reason)]
    left_out = []
    for name, curve in (("latency", latency), ("loss", loss)):
        flaw = curve.flaw() if curve else None
        if flaw:
            reason = f"no usable model of {name}: {flaw}"
            left_out.append(LeftOut(sweep=measured.sweep, reason=reason, unusable=True))
    latency = None if latency and latency.flaw() else latency
    loss = None if loss and loss.flaw() else loss
    if latency is None and loss is None:
        return None, left_out
    found = RateModel(
        sweep=measured.sweep,
        latency_floor=latency.floor if latency else None,
        latency_knee=_knee(latency.knee) if latency else None,
        loss_floor=loss.floor if loss else None,
        loss_knee=_knee(loss.knee) if loss else None,
        carried=_carried(measured),
        points=_points(measured, latency, loss),
        predictions=[_prediction(latency, loss, rate, extrapolate) for rate in asked],
    )
    return found, left_out


def _knee(knee: stats.Knee) -> model.Knee:
    return model.Knee(
        value=knee.value, low=knee.low, high=knee.high, confidence=knee.confidence,
        rounds=knee.rounds,
    )  # fmt: skip


def _carried(measured: Measured) -> Figure | None:
    """The greatest of the rates that arrive at a reader."""

    def arriving(row: Row) -> float | None:
        loss, written = loss_share(row), row["written_per_s"]
        return None if loss is None or written is None else written * (1.0 - loss)

    found = [
        over_rounds([arriving(row) for row in rows.values()], "1/s", _total(rows, "received"))
        for rows in measured.rows
    ]
    return max((f for f in found if f is not None), key=lambda f: f.value, default=None)


def _total(rows: dict[int, Row], column: str) -> int:
    return sum(row[column] or 0 for row in rows.values())


def _points(
    measured: Measured, latency: LatencyCurve | None, loss: LossCurve | None
) -> list[RatePoint]:
    late, lost = _held_out(latency), _held_out(loss)
    points = []
    for rate, rows in zip(measured.points, measured.rows, strict=True):
        written = [row["written_per_s"] for row in rows.values()]
        points.append(
            RatePoint(
                rate_hz=rate,
                written_per_s=over_rounds(written, "1/s", _total(rows, "sent")),
                latency=latency.at(rate) if latency and rate in latency.rates else None,
                loss=loss.at(rate) if loss and rate in loss.rates else None,
                latency_held_out=late.get(rate),
                loss_held_out=lost.get(rate),
            )
        )
    return points


def _held_out(curve: LoadCurve | None) -> dict[float, float]:
    return dict(zip(curve.rates[1:-1], curve.held_out(), strict=True)) if curve else {}


def _prediction(
    latency: LatencyCurve | None, loss: LossCurve | None, rate: float, extrapolate: bool
) -> Prediction:
    curves = [curve for curve in (latency, loss) if curve]
    outside = [curve for curve in curves if not curve.covers(rate)]
    state: State = "within"
    remark = None
    if outside:
        first, last = outside[0].rates[0], outside[0].rates[-1]
        span = f"{value_text('', first)} to {value_text('rate_hz', last)}"
        state, remark = "extrapolated", f"from {span}: the curve is continued as it ends"
        if not extrapolate:
            state = "not measured"
            remark = f"rates are {span}; --extrapolate continues the curve"
    elif latency and latency.knee.high is not None and rate > (latency.knee.value or 0.0):
        state, remark = "past the knee", "latency there depends on how long a round lasts"

    vague: list[str] = []

    def told(curve: LoadCurve | None) -> Figure | None:
        if curve is None or not (extrapolate or curve.covers(rate)):
            return None
        found = curve.at(rate)
        why = curve.vague(found)
        if why is None:
            return found
        vague.append(why)
        return None

    figures = {"latency": told(latency), "loss": told(loss)}
    if vague:
        remark = "; ".join([*vague, *([remark] if remark else [])])
        state = state if any(figures.values()) else "no figure"
    return Prediction(at=rate, **figures, state=state, remark=remark)
