"""Latency, goodput and loss as functions of a background load's level, straight in the level."""

from __future__ import annotations

from math import exp, log
from typing import ClassVar

import numpy as np

from busmark import stats
from busmark.model.figure import CONFIDENCE, Figure
from busmark.predict.curves import MIN_RATES, LatencyCurve, LossCurve, known_points, share_limits
from busmark.predict.model import GOODPUT_FALL, LATENCY_RISE, LOSS_RISE
from busmark.predict.sweeps import Measured, goodput, latency_ns, loss_share


class LatencyAtLevel(LatencyCurve):
    """Curve of the median of RTT/2: logarithm of nanoseconds against the level, which may be 0."""

    @classmethod
    def of(cls, measured: Measured) -> LatencyAtLevel | None:
        """None where too few levels have a latency."""
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
        """None where too few levels have a goodput."""
        table, levels, counts = known_points(measured, measured.table(goodput), "received")
        if len(levels) < MIN_RATES:
            return None
        logs = -np.log(table)
        knee = stats.knee(levels, logs, -log(1.0 - GOODPUT_FALL), CONFIDENCE)
        return cls(levels, counts, stats.curve_between(levels, logs, CONFIDENCE), knee)

    def held_out(self) -> list[float]:
        """Relative: predicted / measured - 1."""
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
        """None where too few levels have a loss."""
        table, levels, counts = known_points(measured, measured.table(loss_share), "expected")
        if len(levels) < MIN_RATES:
            return None
        # More load loses no smaller share: levels at which the medians say otherwise are pooled.
        medians = np.nanmedian(table, axis=0)
        curve = stats.curve_between(levels, table + (stats.rising(medians) - medians), CONFIDENCE)
        return cls(levels, counts, curve, stats.knee(levels, table, LOSS_RISE, CONFIDENCE))

    def held_out(self) -> list[float]:
        """Differences of shares."""
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
