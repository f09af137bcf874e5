"""The document of `busmark predict`: models, their errors on points held out, and predictions.

`Predictions.model_json_schema()` is the schema of `busmark predict --json`. Latency is the median
of RTT/2 in nanoseconds, sizes are bytes of the body, rates samples per second of one writer, loss
is a share from 0 to 1. What is not known is null, never 0.
"""

from __future__ import annotations

from typing import Any, Literal

from busmark.analysis.figures import Figure, Frozen

VERSION = 1
"""Of this document; raised when a reader of the older one would misread it."""

LATENCY_RISE = 0.2
"""Latency has left its floor when it is so much higher, relative; rounds usually differ by less."""

LOSS_RISE = 0.01
"""Loss has left its floor when so much more is lost, as a share of what was sent."""


State = Literal["within", "past the knee", "extrapolated", "not measured", "no figure"]
"""within: between points that were measured; past the knee: so too, but latency has left its floor;
extrapolated: beyond them, as asked for; not measured: beyond them, hence no figure; no figure: the
model gives none that is possible."""


class Sweep(Frozen):
    """Cases that differ only in size, or only in rate."""

    label: str
    """Adapter and choices, as in every table of the campaign."""
    where: str
    """Placement and what else is equal in all, in words."""
    adapter: str
    test: str
    params: dict[str, Any]
    """Parameters that all cases share."""
    cases: list[str]
    """In the order of the points."""


class Prediction(Frozen):
    """At a size or rate that was asked for."""

    at: float
    """Bytes, or samples per second."""
    latency: Figure | None
    """No interval where nothing supports one."""
    loss: Figure | None
    """Null for a size: it is predicted from rates only."""
    state: State
    remark: str | None
    """What the state means here; null within."""


class SizePoint(Frozen):
    """One size that was measured."""

    size: int
    latency_ns: float
    """Median over rounds of the round's median."""
    rounds: int
    held_out: float
    """Error of the line through all other sizes: predicted / measured - 1."""


class SizeModel(Frozen):
    """latency = overhead + slope · size."""

    sweep: Sweep
    overhead: Figure
    """Latency of a body of no bytes, ns; its interval may reach below 0."""
    slope: Figure
    """Time per byte of the body, ns/B."""
    bandwidth: Figure | None
    """The slope as a bandwidth, Mbit/s; null unless the slope's interval lies above 0."""
    departure: float
    """Standard deviation of the sizes' departures from the line, relative to their latency; it is
    in every interval."""
    points: list[SizePoint]
    predictions: list[Prediction]


class Knee(Frozen):
    """The offered load at which a curve leaves its floor, samples per second."""

    value: float | None
    """By interpolation between two rates; null when the curve does not stay above the floor."""
    low: float
    """Up to here it is shown to be on the floor."""
    high: float | None
    """From here on it is shown to have left it; null when that is shown nowhere."""
    confidence: float
    rounds: int


class RatePoint(Frozen):
    """One rate that was measured."""

    rate_hz: float
    """Offered, as the scenario says."""
    written_per_s: Figure | None
    """What the writers made of it, all together."""
    latency: Figure | None
    """Geometric mean over rounds of the round's median, ns."""
    loss: Figure | None
    latency_held_out: float | None
    """Error when predicted from the neighbours, relative: predicted / measured - 1; null at both
    ends, which have a neighbour on one side only."""
    loss_held_out: float | None
    """The same for the share lost, as a difference: nothing is relative to a loss of 0."""


class RateModel(Frozen):
    """Latency and loss against offered load: a floor, a knee, and straight pieces between the
    measured rates."""

    sweep: Sweep
    latency_floor: Figure | None
    """At the rate with the lowest latency; null where too few rates have a latency."""
    latency_knee: Knee | None
    loss_floor: Figure | None
    """At the rate with the least loss."""
    loss_knee: Knee | None
    carried: Figure | None
    """The greatest rate that arrived at a reader: what is written less what is lost. Being the
    greatest of several, it is rather too high than too low."""
    points: list[RatePoint]
    predictions: list[Prediction]


class LeftOut(Frozen):
    """A sweep without a model."""

    sweep: Sweep
    reason: str


class Predictions(Frozen):
    """Models of a result."""

    version: int = VERSION
    name: str
    confidence: float
    latency_rise: float = LATENCY_RISE
    """By how much latency must exceed its floor to have left it, relative."""
    loss_rise: float = LOSS_RISE
    """By how much loss must exceed its floor to have left it, as a share."""
    sizes: list[SizeModel]
    rates: list[RateModel]
    left_out: list[LeftOut]

    @property
    def all_predicted(self) -> bool:
        """Whether each size and rate that was asked for has a figure from one model at least."""
        found: dict[tuple[type, float], bool] = {}
        models: list[SizeModel | RateModel] = [*self.sizes, *self.rates]
        for model in models:
            for each in model.predictions:
                key = type(model), each.at
                found[key] = found.get(key, False) or bool(each.latency or each.loss)
        return all(found.values())
