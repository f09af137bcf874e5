"""Latency and loss against offered load: the model of a sweep of rates."""

from __future__ import annotations

from collections.abc import Sequence

from busmark import stats
from busmark.analysis.dimensions import value_text
from busmark.analysis.figures import Figure, over_rounds
from busmark.predict import model
from busmark.predict.curves import MIN_RATES, LatencyCurve, LoadCurve, LossCurve
from busmark.predict.model import Prediction, RateModel, RatePoint, State
from busmark.predict.sweeps import Measured, Row, loss_share


def rate_model(measured: Measured, asked: Sequence[float], *, extrapolate: bool) -> RateModel | str:
    """The model and its predictions at the rates `asked` for; or why there is none."""
    latency, loss = LatencyCurve.of(measured), LossCurve.of(measured)
    if latency is None and loss is None:
        return f"results at {len(measured.points)} rates; a curve needs {MIN_RATES} at least"
    return RateModel(
        sweep=measured.sweep,
        latency_floor=latency.floor if latency else None,
        latency_knee=_knee(latency.knee) if latency else None,
        loss_floor=loss.floor if loss else None,
        loss_knee=_knee(loss.knee) if loss else None,
        carried=_carried(measured),
        points=_points(measured, latency, loss),
        predictions=[_prediction(latency, loss, rate, extrapolate) for rate in asked],
    )


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
        state, remark = "extrapolated", f"from {span}: the curve is taken to go on as it ends"
        if not extrapolate:
            state = "not measured"
            remark = f"rates are {span}; --extrapolate takes the curve to go on"
    elif latency and latency.knee.high is not None and rate > (latency.knee.value or 0.0):
        state, remark = "past the knee", "latency there depends on how long a round lasts"

    def told(curve: LoadCurve | None) -> Figure | None:
        if curve is None or not (extrapolate or curve.covers(rate)):
            return None
        return curve.at(rate)

    return Prediction(at=rate, latency=told(latency), loss=told(loss), state=state, remark=remark)
