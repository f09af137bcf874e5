"""The document of `busmark predict`: models, their cross-validation errors, and predictions.

`Predictions.model_json_schema()` is the schema of `busmark predict --json`. Latency is the median
of RTT/2 in nanoseconds, sizes are bytes of the body, rates samples per second of one writer, loss
is a share from 0 to 1. What is not known is null, never 0.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, Literal

from pydantic import Field

from busmark import stats
from busmark.model.figure import Figure, Frozen

VERSION = 1
"""Version of this document; raised when a reader of the older one would misread it."""

LATENCY_RISE = 0.2
"""Relative rise by which latency has left its floor; rounds usually differ by less."""

MAX_ERROR = 0.25
"""Typical relative cross-validation error beyond which a line is of no use."""

MAX_REACH = 0.5
"""Typical relative half-width of a line's intervals, beyond which it is of no use."""

MAX_FACTOR = 4.0
"""Ratio of the limits of a latency, upper over lower, typical of the rates of a curve: beyond it
rounds disagree so much that the curve is of no use."""

MAX_FACTOR_OF_ONE = 10.0
"""Ratio of the limits beyond which a single prediction, which may lie in a bend, is of no use."""

MAX_LOSS_REACH = 0.25
"""Typical length of a loss's interval, as a share, beyond which a curve is of no use."""

MAX_LOSS_REACH_OF_ONE = 0.5
"""Length of a loss's interval, as a share, beyond which a single prediction is of no use."""

GOODPUT_FALL = 0.2
"""Relative fall by which goodput has left its best."""

LOSS_RISE = 0.01
"""Rise by which loss has left its floor, as a share of what was sent."""


State = Literal["within", "past the knee", "extrapolated", "not measured", "no figure"]
"""within: between points that were measured; past the knee: so too, but latency has left its floor;
extrapolated: beyond them, as asked for; not measured: beyond them, hence no figure; no figure: the
model gives none that is possible or of use."""


class Sweep(Frozen):
    """Cases that differ only in size, only in rate, or only in one background load."""

    label: str
    """Label as in every table of the campaign."""
    label_title: str = "Middleware"
    """Heading of the column of labels, for what a label names: the middleware, a choice."""
    where: str
    """Placement and what else is equal in all, in words."""
    adapter: str
    test: str
    params: dict[str, Any]
    """Parameters that all cases share."""
    cases: list[str]
    """Cases in the order of the points."""


class Prediction(Frozen):
    """A prediction at a size, rate or background load that was asked for."""

    at: float
    """Bytes, samples per second, or the level of the load in the unit of its model."""
    latency: Figure | None
    """No interval where nothing supports one."""
    loss: Figure | None
    """Share lost; null for a size: it is predicted from rates and loads only."""
    goodput: Figure | None = None
    """Predicted from loads at full speed only."""
    state: State
    remark: str | None
    """Meaning of the state here; null within."""


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
    """The knee at which a curve leaves its floor: the offered load, samples per second, or the
    level of a background load."""

    value: float | None
    """Place of the knee by interpolation between two points; null when the curve does not stay
    above the floor."""
    low: float
    """Up to here it is shown to be on the floor."""
    high: float | None
    """Value from which on it is shown to have left the floor; null when that is shown nowhere."""
    confidence: float
    rounds: int

    @classmethod
    def from_knee(cls, knee: stats.Knee | None) -> Knee | None:
        """Return the knee of a curve; None without a curve."""
        if knee is None:
            return None
        names = ("value", "low", "high", "confidence", "rounds")
        return cls(**{name: getattr(knee, name) for name in names})


class RatePoint(Frozen):
    """One rate that was measured."""

    rate_hz: float
    """Offered rate of a writer, as the scenario says."""
    written_per_s: Figure | None
    """Samples that the writers wrote at this rate, all together."""
    latency: Figure | None
    """Median of a typical round, ns."""
    loss: Figure | None
    latency_held_out: float | None
    """Error when predicted from the neighbours, relative: predicted / measured - 1; null at both
    ends, which have a neighbour on one side only."""
    loss_held_out: float | None
    """Error of the predicted share lost, as a difference: nothing is relative to a loss of 0."""


class RateModel(Frozen):
    """Latency and loss against offered load: a floor, a knee, and straight pieces between the
    measured rates."""

    sweep: Sweep
    latency_floor: Figure | None
    """Latency at the rate with the lowest; null where too few rates have a latency."""
    latency_knee: Knee | None
    loss_floor: Figure | None
    """Loss at the rate with the least."""
    loss_knee: Knee | None
    carried: Figure | None
    """The greatest rate that arrived at a reader: what is written less what is lost. Being the
    greatest of several, it is rather too high than too low."""
    points: list[RatePoint]
    predictions: list[Prediction]


class LoadPoint(Frozen):
    """One level of a background load that was measured."""

    load: str | None
    """Load as it was asked for; null: none."""
    level: float
    """Achieved, mean of the rounds; 0 without the load."""
    least: float
    most: float
    """Highest level of the rounds."""
    latency: Figure | None = None
    """Median of a typical round, ns."""
    goodput: Figure | None = None
    loss: Figure | None = None
    latency_held_out: float | None = None
    """Error when predicted from the neighbours, relative; null at both ends."""
    goodput_held_out: float | None = None
    loss_held_out: float | None = None
    """Error of the predicted share lost, as a difference."""


class LoadModel(Frozen):
    """Latency, goodput and loss against the achieved level of one background load."""

    sweep: Sweep
    kind: str
    """cpu, net or disk."""
    unit: str
    """Unit of levels: 1 is a share of each CPU."""
    latency_floor: Figure | None
    """Latency at the level with the lowest; null without a curve of latency."""
    latency_knee: Knee | None
    goodput_best: Figure | None
    """Goodput at the level with the greatest, and so rather too high; null except for streams at
    full speed."""
    goodput_knee: Knee | None
    loss_floor: Figure | None
    loss_knee: Knee | None
    points: list[LoadPoint]
    predictions: list[Prediction]


class LeftOut(Frozen):
    """A sweep without a model, or without one of latency, of goodput or of loss."""

    sweep: Sweep
    reason: str
    unusable: bool = False
    """Whether it was measured and its model is of no use; otherwise there was nothing to fit one
    to."""


class Predictions(Frozen):
    """Models of a result."""

    version: int = VERSION
    name: str
    confidence: float
    latency_rise: float = LATENCY_RISE
    """Relative amount by which latency must exceed its floor to have left it."""
    loss_rise: float = LOSS_RISE
    """Share by which loss must exceed its floor to have left it."""
    goodput_fall: float = GOODPUT_FALL
    """Relative amount by which goodput must be below its best to have left it."""
    sizes: list[SizeModel]
    rates: list[RateModel]
    loads: list[LoadModel] = Field(default=[])
    left_out: list[LeftOut]

    def exit_code(self, *, sizes: bool, rates: bool, loads: Collection[str] = ()) -> int:
        """Return exit code of a command that asked for sizes, for rates, for levels of these kinds
        of load, or for none: 0 if each has a figure from one model at least; 1 if there is no
        usable model, or none with a usable figure; 2 if it is beyond what was measured."""
        states: dict[tuple[str, float], set[State | None]] = {}
        models: list[SizeModel | RateModel | LoadModel] = [*self.sizes, *self.rates, *self.loads]
        for model in models:
            variable = model.kind if isinstance(model, LoadModel) else type(model).__name__
            for each in model.predictions:
                known = states.setdefault((variable, each.at), set())
                figures = (each.latency, each.goodput, each.loss)
                known.add(None if any(figures) else each.state)
        without = [found for found in states.values() if None not in found]
        missing = (sizes and not self.sizes) or (rates and not self.rates) or not models
        missing = missing or not {*loads} <= {model.kind for model in self.loads}
        if missing or any("no figure" in found for found in without):
            return 1
        return 2 if without else 0
