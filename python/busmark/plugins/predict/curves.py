"""Latency and loss as functions of the offered load, in units of a user.

Both have a floor, which they leave at a knee. The knee is found without a law of queues
(`stats.knee`): medians of a few rounds at four to ten rates cannot distinguish one law from
another. Between two measured rates the curve is a straight piece (`stats.curve_between`):

- of the latency on two logarithmic scales, where a power of the load is straight;
- of the rate that arrives against the rate offered. Then a server that carries c samples per second
  and drops the rest, the fluid limit of a queue without room (Newell 1982, "Applications of
  Queueing Theory", chapter 2), is two straight pieces, and its loss 1 - c / rate is met exactly.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from bisect import bisect_left
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import exp, inf, log
from typing import ClassVar

import numpy as np

from busmark import stats
from busmark.model.figure import CONFIDENCE, Figure, FloatArray
from busmark.plugins.predict.model import (
    LATENCY_RISE,
    LOSS_RISE,
    MAX_FACTOR,
    MAX_FACTOR_OF_ONE,
    MAX_LOSS_REACH,
    MAX_LOSS_REACH_OF_ONE,
    Prediction,
    State,
)
from busmark.plugins.predict.sweeps import Measured, Row, latency_ns, loss_share

MIN_RATES = 4
"""Fewest rates of a curve: two of them are left out in turn, with a neighbour on each side."""


@dataclass(frozen=True, slots=True)
class LoadCurve(ABC):
    """A quantity against offered load."""

    rates: list[float]
    """At which it was measured, ascending, samples per second."""
    counts: list[int]
    """Samples at each rate."""
    curve: stats.Curve
    """In the scales in which it is straight."""
    knee: stats.Knee

    @abstractmethod
    def _figure(self, straight: stats.Estimate, rate: float, count: int) -> Figure:
        """Return a figure from a value on the scales in which the curve is straight."""

    @abstractmethod
    def _onward(self, rate: float) -> float:
        """Return its value, where it is straight, beyond the measured rates."""

    @abstractmethod
    def flaw(self) -> str | None:
        """Return why the curve is of no use."""

    @abstractmethod
    def vague(self, figure: Figure) -> str | None:
        """Return why one of its figures is of no use."""

    @abstractmethod
    def held_out(self) -> list[float]:
        """Return errors at all rates but the first and the last, predicted from their
        neighbours."""

    def _x(self, rate: float) -> float:
        """Return the rate, in the scale in which the curve is straight."""
        return rate

    @property
    def floor(self) -> Figure:
        """Its least."""
        return self.at(self.rates[self.knee.floor])

    def covers(self, rate: float) -> bool:
        """Return whether it was measured on both sides of this rate."""
        return self.rates[0] <= rate <= self.rates[-1]

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
            x = min(max(self._x(rate), self.curve.x[0]), self.curve.x[-1])
            return self._figure(self.curve.at(float(x)), rate, count)
        value = stats.Estimate(self._onward(rate), None, None, None, 0, 0)
        return self._figure(value, rate, count)

    def _last_piece(self, x: float) -> float:
        """Return the last straight piece, continued."""
        (x0, x1), (y0, y1) = self.curve.x[-2:], np.nanmedian(self.curve.values[:, -2:], axis=0)
        return float(y1 + (y1 - y0) / (x1 - x0) * (x - x1))


class LatencyCurve(LoadCurve):
    """Curve of the median of RTT/2: logarithm of nanoseconds against logarithm of the rate."""

    what: ClassVar[str] = "latency"

    @classmethod
    def of(cls, measured: Measured) -> LatencyCurve | None:
        """Return the curve; None where too few rates have a value."""
        table, rates, counts = known_points(measured, measured.table(latency_ns), "samples")
        if len(rates) < MIN_RATES:
            return None
        logs = np.log(table)
        knee = stats.knee(rates, logs, log(1.0 + LATENCY_RISE), CONFIDENCE)
        return cls(rates, counts, stats.curve_between(np.log(rates), logs, CONFIDENCE), knee)

    def flaw(self) -> str | None:
        """Return the reason where its limits are too far apart at most rates."""
        factor = float(np.median([_factor(self.at(rate)) for rate in self.rates]))
        if factor <= MAX_FACTOR:
            return None
        return (
            f"rounds differ so much that {self.what} is typically known within a factor of "
            f"{factor:.3g} only ({MAX_FACTOR:g} is the limit)"
        )

    def vague(self, figure: Figure) -> str | None:
        """Return the reason where its limits are too far apart."""
        factor = _factor(figure)
        if factor <= MAX_FACTOR_OF_ONE:
            return None
        return f"{self.what} there is known within a factor of {factor:.3g} only"

    def held_out(self) -> list[float]:
        """Return relative: predicted / measured - 1."""
        errors: list[float] = np.expm1(self.curve.held_out).tolist()
        return errors

    def _x(self, rate: float) -> float:
        return log(rate)

    def _onward(self, rate: float) -> float:
        if rate < self.rates[0]:
            return float(np.nanmedian(self.curve.values[:, 0]))
        return self._last_piece(self._x(rate))

    def _figure(self, straight: stats.Estimate, rate: float, count: int) -> Figure:
        low, high = (None if v is None else exp(v) for v in (straight.low, straight.high))
        return Figure(
            value=exp(straight.value), low=low, high=high, confidence=straight.confidence,
            count=count, rounds=straight.rounds, unit="ns",
        )  # fmt: skip


class LossCurve(LoadCurve):
    """Curve of the share lost: what arrives of the offered rate against that rate."""

    @classmethod
    def of(cls, measured: Measured) -> LossCurve | None:
        """Return the curve; None where too few rates have a value."""
        table, rates, counts = known_points(measured, measured.table(loss_share), "expected")
        if len(rates) < MIN_RATES:
            return None
        # More load loses no smaller share: rates at which the medians say otherwise are pooled.
        levels = np.nanmedian(table, axis=0)
        rising = table + (stats.rising(levels) - levels)
        curve = stats.curve_between(rates, np.array(rates) * (1.0 - rising), CONFIDENCE)
        return cls(rates, counts, curve, stats.knee(rates, table, LOSS_RISE, CONFIDENCE))

    def flaw(self) -> str | None:
        """Return the reason where its limits are too far apart at most rates."""
        reach = float(np.median([_length(self.at(rate)) for rate in self.rates]))
        if reach <= MAX_LOSS_REACH:
            return None
        return (
            f"rounds differ so much that loss is typically known within {100 * reach:.0f} "
            f"percentage points only ({100 * MAX_LOSS_REACH:.0f} is the limit)"
        )

    def vague(self, figure: Figure) -> str | None:
        """Return the reason where its limits are too far apart."""
        reach = _length(figure)
        if reach <= MAX_LOSS_REACH_OF_ONE:
            return None
        return f"loss there is known within {100 * reach:.0f} percentage points only"

    def held_out(self) -> list[float]:
        """Return differences of shares: of what arrives, with the sign turned."""
        errors: list[float] = (0.0 - self.curve.held_out / self.curve.x[1:-1]).tolist()
        return errors

    def _onward(self, rate: float) -> float:
        if rate < self.rates[0]:
            return float(np.nanmedian(self.curve.values[:, 0])) * rate / self.rates[0]
        return min(max(self._last_piece(rate), 0.0), rate)

    def _figure(self, straight: stats.Estimate, rate: float, count: int) -> Figure:
        """Return a figure from a value on the scales in which the curve is straight."""
        share = min(max(1.0 - straight.value / rate, 0.0), 1.0)
        least, most = (None if v is None else 1.0 - v / rate for v in (straight.high, straight.low))
        low, high = share_limits(share, least, most, count)
        return Figure(
            value=share, low=low, high=high, confidence=straight.confidence, count=count,
            rounds=straight.rounds, unit="1",
        )  # fmt: skip


def predicted(
    curves: Mapping[str, LoadCurve | None], at: float, points: str,
    span: Callable[[LoadCurve], str], past: str, *, extrapolate: bool,
) -> Prediction:  # fmt: skip
    """Return the figures of all curves at a point. `points` and `span`: what was measured, in
    words; `past`: what holds beyond the knee of latency."""
    known = {name: curve for name, curve in curves.items() if curve}
    latency = known.get("latency")
    state: State = "within"
    remark = None
    if outside := [curve for curve in known.values() if not curve.covers(at)]:
        state = "extrapolated" if extrapolate else "not measured"
        remark = f"{points} are {span(outside[0])}; --extrapolate continues the curve"
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


def share_limits(
    share: float, low: float | None, high: float | None, count: int
) -> tuple[float | None, float | None]:
    """Return limits of a share of `count` samples with these limits over rounds: no closer than
    that count allows."""
    if low is None or high is None:
        return None, None
    chance = stats.share_interval(round(share * count), count, CONFIDENCE)
    assert chance.low is not None and chance.high is not None
    return max(0.0, min(low, chance.low, share)), min(1.0, max(high, chance.high, share))


def _factor(figure: Figure) -> float:
    """Return upper over lower limit; 1 without limits."""
    if figure.low is None or figure.high is None:
        return 1.0
    return figure.high / figure.low if figure.low > 0.0 else inf


def _length(figure: Figure) -> float:
    """Return length of the interval; 0 without one."""
    return 0.0 if figure.low is None or figure.high is None else figure.high - figure.low


def known_points(
    measured: Measured, table: FloatArray, count: str
) -> tuple[FloatArray, list[float], list[int]]:
    """Return the part of a table with rates that have a value, these rates, and their samples."""

    def number(row: Row) -> float | None:
        return row[count]  # type: ignore[no-any-return]

    known = ~np.isnan(table).all(axis=0)
    totals = np.nansum(measured.table(number)[:, known], axis=0)
    rates = np.array(measured.points)[known].tolist()
    return table[:, known], rates, totals.astype(int).tolist()
