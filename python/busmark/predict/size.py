"""Latency against size: overhead + slope · size, by `stats.robust_line` over medians of rounds."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from busmark.model.figure import CONFIDENCE, Figure, FloatArray, figure
from busmark.model.text import size_text
from busmark.predict.model import (
    MAX_ERROR,
    MAX_REACH,
    LeftOut,
    Prediction,
    SizeModel,
    SizePoint,
    State,
)
from busmark.predict.sweeps import Measured, latency_ns
from busmark.stats import MIN_POINTS, Line, robust_line

BIT_PER_NS = 8e3
"""1 B/ns in Mbit/s."""


def size_model(
    measured: Measured, asked: Sequence[float], *, extrapolate: bool, seed: int
) -> SizeModel | LeftOut:
    """The model and its predictions at the sizes `asked` for; or why there is none."""
    table = measured.table(latency_ns)
    known = ~np.isnan(table).all(axis=0)
    sizes = np.array(measured.points)[known]
    if sizes.size < MIN_POINTS:
        reason = f"latency at {sizes.size} sizes; a line needs {MIN_POINTS} at least"
        return LeftOut(sweep=measured.sweep, reason=reason)
    table = table[:, known]
    line = robust_line(sizes, table, confidence=CONFIDENCE, seed=seed)
    flaw = _flaw(line, sizes)
    if flaw:
        return LeftOut(sweep=measured.sweep, reason=f"no usable model: {flaw}", unusable=True)
    samples = measured.table(lambda row: row["samples"])
    count = int(np.nansum(samples[:, known]))
    slope = figure(line.slope, "ns/B", count, signed=True)
    level = np.nanmedian(table, axis=0)
    rounds = np.isfinite(table).sum(axis=0)
    return SizeModel(
        sweep=measured.sweep,
        overhead=figure(line.intercept, "ns", count, signed=True),
        slope=slope,
        bandwidth=_bandwidth(slope),
        departure=line.departure,
        points=[
            SizePoint(size=int(size), latency_ns=at, rounds=int(n), held_out=error)
            for size, at, n, error in zip(
                sizes.tolist(), level.tolist(), rounds, line.held_out.tolist(), strict=True
            )
        ],
        predictions=[_prediction(line, sizes, size, count, extrapolate) for size in asked],
    )


def _flaw(line: Line, sizes: FloatArray) -> str | None:
    """Why the line is of no use."""
    slope = line.slope
    if slope.high is not None and slope.high < 0.0:
        return "latency falls as bodies grow, so the time per byte is undefined"
    error = float(np.median(np.abs(line.held_out)))
    if error > MAX_ERROR:
        return (
            f"at a size that it was not fitted to the line is typically off by {error:.0%} "
            f"({sizes.size} tried; {MAX_ERROR:.0%} is the limit)"
        )
    reaches = [line.at(float(size)).relative_half_width for size in sizes]
    known = [reach for reach in reaches if reach is not None]
    reach = float(np.median(known)) if known else 0.0
    if reach > MAX_REACH:
        return (
            f"rounds and sizes leave its latencies open by typically ±{reach:.0%} "
            f"(±{MAX_REACH:.0%} is the limit)"
        )
    return None


def _bandwidth(slope: Figure) -> Figure | None:
    """The slope's inverse; a slope that may be 0 has none."""
    if slope.low is None or slope.high is None or slope.low <= 0:
        return None
    limits = {"low": BIT_PER_NS / slope.high, "high": BIT_PER_NS / slope.low}
    return slope.model_copy(update={"value": BIT_PER_NS / slope.value, "unit": "Mbit/s", **limits})


def _prediction(
    line: Line, sizes: FloatArray, size: float, count: int, extrapolate: bool
) -> Prediction:
    span = f"{size_text(int(sizes[0]))} to {size_text(int(sizes[-1]))}"
    predicted = line.at(size)
    state: State = "within"
    remark = None
    if not sizes[0] <= size <= sizes[-1]:
        state, remark = "extrapolated", f"from {span}: the line is continued"
        if not extrapolate:
            state = "not measured"
            remark = f"sizes are {span}; --extrapolate continues the line"
    if state != "not measured" and predicted.value <= 0:
        state, remark = "no figure", f"the line from {span} gives no latency above 0"
    known = state in ("within", "extrapolated")
    latency = figure(predicted, "ns", count) if known else None
    return Prediction(at=size, latency=latency, loss=None, state=state, remark=remark)
