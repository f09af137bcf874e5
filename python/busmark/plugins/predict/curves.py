"""Latency, goodput and loss as functions of the offered load, or of the level of a background load.

Each has a floor, which they leave at a knee. The knee is found without a law of queues
(`stats.knee`): medians of a few rounds at four to ten rates cannot distinguish one law from
another. Between two measured rates the curve is a straight piece (`stats.curve_between`):

- of the latency on two logarithmic scales, where a power of the load is straight;
- of the rate that arrives against the rate offered. Then a server that carries c samples per second
  and drops the rest, the fluid limit of a queue without room (Newell 1982, "Applications of
  Queueing Theory", chapter 2), is two straight pieces, and its loss 1 - c / rate is met exactly;
- of the logarithms of latency and goodput, and of the share lost, against a level, which may be 0.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from math import exp, inf, log
from typing import Any

import numpy as np

from busmark import stats
from busmark.model.figure import CONFIDENCE, Figure, FloatArray
from busmark.plugins.predict.model import (
    GOODPUT_FALL,
    LATENCY_RISE,
    LOSS_RISE,
    MAX_FACTOR,
    MAX_FACTOR_OF_ONE,
    MAX_LOSS_REACH,
    MAX_LOSS_REACH_OF_ONE,
    Knee,
    LeftOut,
    Prediction,
    State,
    Sweep,
)
from busmark.plugins.predict.sweeps import MeasuredSweep, Row, goodput, latency_ns, loss

MIN_RATES = 4
"""Fewest rates of a curve: two of them are left out in turn, with a neighbour on each side."""

FLAT = {"latency": "floor", "goodput": "best", "loss": "floor"}
"""Names of each quantity's value before its knee, in fields of models."""


@dataclass(frozen=True, slots=True)
class Quantity:
    """The quantity of a curve: how it is read from rounds, and the scale in which the curve is
    straight."""

    name: str
    unit: str
    of_round: Callable[[Row], float | None]
    counted: str
    """Column with the samples of a round."""
    rise: float
    """Rise above its floor beyond the knee, as heights."""
    widest: tuple[float, float]
    """Widest interval, typical and of one figure, with which it is of use."""
    width: Callable[[Figure], float]
    width_text: str
    value: Callable[[float, float], float]
    """Function that returns the value from the scale in which the curve is straight, at a rate."""
    heights: Callable[[FloatArray], FloatArray] = lambda table: table
    """Function that returns the values in the scale in which the knee is looked for."""
    straight: Callable[[FloatArray, FloatArray], FloatArray] = lambda heights, _: heights
    """Heights at these rates, in the scale in which it is straight."""
    x: Callable[[Any], Any] = lambda rate: rate
    """Rates in that scale."""
    falls: bool = False
    """Whether its value falls where the straight scale rises."""
    possible: Callable[[Figure], Figure] = lambda figure: figure
    """A figure within what its value can be."""
    onward: Callable[[float, float, float], float] = lambda straight, _rate, _first: straight
    """Function that returns the straight value beyond the measured rates, at a rate, by the first
    that was measured."""
    errors: Callable[[FloatArray, FloatArray], FloatArray] = lambda errors, _: errors
    """Errors of what is straight as errors of the quantity: relative, or differences of shares."""


def _factor(figure: Figure) -> float:
    """Return the upper limit over the lower; 1 without limits."""
    if figure.low is None or figure.high is None:
        return 1.0
    return figure.high / figure.low if figure.low > 0.0 else inf


def _points(figure: Figure) -> float:
    """Return the length of the interval in percentage points; 0 without one."""
    if figure.low is None or figure.high is None:
        return 0.0
    return 100 * (figure.high - figure.low)


def _rising(table: FloatArray, _rates: FloatArray) -> FloatArray:
    """Pool medians that fall, and shift values with them: more load loses no smaller share."""
    medians = np.nanmedian(table, axis=0)
    return table + (stats.rising(medians) - medians)


def _share(figure: Figure) -> Figure:
    """Return a share from 0 to 1 with limits no closer than its count of samples allows."""
    share, low, high = min(max(figure.value, 0.0), 1.0), figure.low, figure.high
    if low is not None and high is not None:
        count = figure.count or 0
        chance = stats.share_interval(round(share * count), count, CONFIDENCE)
        assert chance.low is not None and chance.high is not None
        low, high = max(0.0, min(low, chance.low, share)), min(1.0, max(high, chance.high, share))
    return figure.model_copy(update={"value": share, "low": low, "high": high})


LATENCY_AT_LEVEL = Quantity(
    "latency",
    "ns",
    latency_ns,
    "samples",
    log(1.0 + LATENCY_RISE),
    (MAX_FACTOR, MAX_FACTOR_OF_ONE),
    _factor,
    "a factor of {:.3g}",
    lambda y, _: exp(y),
    heights=np.log,
    errors=lambda errors, _: np.expm1(errors),
)
LATENCY = replace(LATENCY_AT_LEVEL, x=np.log)
GOODPUT_AT_LEVEL = replace(
    LATENCY_AT_LEVEL,
    name="goodput",
    unit="Mbit/s",
    of_round=goodput,
    counted="received",
    rise=-log(1.0 - GOODPUT_FALL),
    heights=lambda table: -np.log(table),
    value=lambda y, _: exp(-y),
    falls=True,
    errors=lambda errors, _: np.expm1(-errors),
)
LOSS_AT_LEVEL = Quantity(
    "loss",
    "1",
    loss,
    "expected",
    LOSS_RISE,
    (100 * MAX_LOSS_REACH, 100 * MAX_LOSS_REACH_OF_ONE),
    _points,
    "{:.0f} percentage points",
    lambda y, _: y,
    straight=_rising,
    possible=_share,
)
LOSS = replace(
    LOSS_AT_LEVEL,
    straight=lambda table, rates: rates * (1.0 - _rising(table, rates)),
    value=lambda y, rate: 1.0 - y / rate,
    falls=True,
    onward=lambda y, rate, first: y * rate / first if rate < first else min(max(y, 0.0), rate),
    errors=lambda errors, rates: 0.0 - errors / rates,
)


@dataclass(frozen=True, slots=True)
class LoadCurve:
    """A quantity against the rates offered, or against the levels of a background load."""

    of: Quantity
    rates: list[float]
    """Rates at which it was measured, ascending: samples per second, or levels."""
    counts: list[int]
    """Samples at each rate."""
    curve: stats.SweepCurve
    """Curve in the scales in which it is straight."""
    knee: stats.Knee

    @property
    def floor(self) -> Figure:
        """Its least value."""
        return self.at(self.rates[self.knee.floor])

    def covers(self, rate: float) -> bool:
        """Return whether it was measured on both sides of this rate."""
        return self.rates[0] <= rate <= self.rates[-1]

    def held_out(self) -> dict[float, float]:
        """Return the errors of cross-validation at all rates but the first and the last: relative,
        predicted / measured - 1, or differences of shares."""
        errors = self.of.errors(self.curve.held_out, self.curve.x[1:-1])
        return dict(zip(self.rates[1:-1], errors.tolist(), strict=True))

    def flaw(self) -> str | None:
        """Return why the curve is of no use: intervals are too wide at most rates."""
        width = float(np.median([self.of.width(self.at(rate)) for rate in self.rates]))
        if width <= self.of.widest[0]:
            return None
        return (
            f"rounds differ so much that {self.of.name} is typically known within "
            f"{self.of.width_text.format(width)} only ({self.of.widest[0]:g} is the limit)"
        )

    def vague(self, figure: Figure) -> str | None:
        """Return why one of its figures is of no use: its interval is too wide."""
        width = self.of.width(figure)
        if width <= self.of.widest[1]:
            return None
        return f"{self.of.name} there is known within {self.of.width_text.format(width)} only"

    def at(self, rate: float) -> Figure:
        """Return the figure at a rate; without an interval beyond the measured rates."""
        right = min(bisect_left(self.rates, rate), len(self.rates) - 1)
        if self.rates[right] == rate:
            # The point itself: a logarithm taken twice may differ in its last digit.
            x = float(self.curve.x[right])
            return self._figure(self.curve.at(x), rate, self.counts[right])
        left = max(right - 1, 0)
        count = sum(self.counts[left : right + 1])
        if self.covers(rate):
            x = min(max(self.of.x(rate), self.curve.x[0]), self.curve.x[-1])
            return self._figure(self.curve.at(float(x)), rate, count)
        # Straight beyond the measured rates: as at the first, and the last piece continued.
        (x0, x1), (y0, y1) = self.curve.x[-2:], np.nanmedian(self.curve.values[:, -2:], axis=0)
        straight = float(y1 + (y1 - y0) / (x1 - x0) * (self.of.x(rate) - x1))
        if rate < self.rates[0]:
            straight = float(np.nanmedian(self.curve.values[:, 0]))
        value = stats.Estimate(
            self.of.onward(straight, rate, self.rates[0]), None, None, None, 0, 0
        )
        return self._figure(value, rate, count)

    def _figure(self, straight: stats.Estimate, rate: float, count: int) -> Figure:
        low, high = (
            None if end is None else self.of.value(end, rate)
            for end in (straight.low, straight.high)
        )
        if self.of.falls:
            low, high = high, low
        return self.of.possible(
            Figure(
                value=self.of.value(straight.value, rate),
                low=low,
                high=high,
                confidence=straight.confidence,
                count=count,
                rounds=straight.rounds,
                unit=self.of.unit,
            )
        )


def curve_of(of: Quantity, measured: MeasuredSweep) -> LoadCurve | None:
    """Return the curve of a quantity; None where too few rates have a value."""
    table = measured.table(of.of_round)
    known = ~np.isnan(table).all(axis=0)
    rates = np.array(measured.points)[known]
    if len(rates) < MIN_RATES:
        return None
    counts = np.nansum(measured.table(lambda row: row[of.counted])[:, known], axis=0)
    heights = of.heights(table[:, known])
    curve = stats.curve_between(of.x(rates), of.straight(heights, rates), CONFIDENCE)
    knee = stats.knee(rates, heights, of.rise, CONFIDENCE)
    return LoadCurve(of, rates.tolist(), counts.astype(int).tolist(), curve, knee)


def no_model(sweep: Sweep, flaw: str, what: str) -> LeftOut:
    """Return that the model of this is of no use."""
    return LeftOut(sweep=sweep, unusable=True, reason=f"no usable model{what}: {flaw}")


def beyond(points: str, span: str) -> str:
    """Return what was measured where a point lies outside."""
    remark = f"{points} are {span}; --extrapolate continues the curve"
    return remark


def usable(
    made: Mapping[str, LoadCurve | None], sweep: Sweep, against: str = ""
) -> tuple[dict[str, LoadCurve], list[LeftOut]]:
    """Return the curves that are of use, and why others are not."""
    curves = {name: curve for name, curve in made.items() if curve}
    flaws = {name: flaw for name, curve in curves.items() if (flaw := curve.flaw())}
    left_out = [no_model(sweep, flaw, f" of {name}{against}") for name, flaw in flaws.items()]
    return {name: curve for name, curve in curves.items() if name not in flaws}, left_out


def fields(curves: Mapping[str, LoadCurve | None]) -> dict[str, Any]:
    """Return floors and knees by the fields of models."""
    found: dict[str, Any] = {}
    for name, curve in curves.items():
        found[f"{name}_{FLAT[name]}"] = curve.floor if curve else None
        found[f"{name}_knee"] = Knee.from_knee(curve.knee if curve else None)
    return found


def fields_at(curves: Mapping[str, LoadCurve | None], rate: float) -> dict[str, Any]:
    """Return figures and errors at a measured rate by the fields of points."""
    found: dict[str, Any] = {}
    for name, curve in curves.items():
        found[name] = curve.at(rate) if curve and rate in curve.rates else None
        found[f"{name}_held_out"] = curve.held_out().get(rate) if curve else None
    return found


def predicted(
    curves: Mapping[str, LoadCurve | None],
    at: float,
    points: str,
    span: Callable[[LoadCurve], str],
    past: str,
    *,
    extrapolate: bool,
) -> Prediction:
    """Return the figures of all curves at a point. `points` and `span`: what was measured, in
    words; `past`: what holds beyond the knee of latency."""
    known = {name: curve for name, curve in curves.items() if curve}
    latency = known.get("latency")
    state: State = "within"
    remark = None
    if outside := [curve for curve in known.values() if not curve.covers(at)]:
        state = "extrapolated" if extrapolate else "not measured"
        remark = beyond(points, span(outside[0]))
        if extrapolate:
            remark = f"from {span(outside[0])}: the curve is continued as it ends"
    elif latency and latency.knee.high is not None and at > (latency.knee.value or inf):
        state, remark = "past the knee", past
    figures: dict[str, Figure | None] = {"latency": None, "loss": None}
    vague = []
    for name, curve in known.items():
        if extrapolate or curve.covers(at):
            figure = curve.at(at)
            why = curve.vague(figure)
            figures[name] = None if why else figure
            vague += [why] if why else []
    if vague:
        remark = "; ".join([*vague, *([remark] if remark else [])])
        state = state if any(figures.values()) else "no figure"
    return Prediction(at=at, **figures, state=state, remark=remark)
