"""The quantities whose distribution is drawn: latency and its jitter, by pings and under load."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from busmark.analysis.case.curve import Curve
from busmark.analysis.case.shapes import RoundBox, Shape
from busmark.analysis.model import CaseSummary
from busmark.present.charts.look import MICRO

QUANTITIES = {
    "half_round_trip": "RTT/2",
    "round_trip": "round trip",
    "one_way": "one-way latency",
    "half_round_trip_jitter": "RTT/2",
    "round_trip_jitter": "the round trip",
    "one_way_jitter": "one-way latency",
}
"""What an axis is of."""


def axis_of(quantity: str) -> str:
    """Title of an axis of this quantity."""
    return f"{'jitter of ' if quantity.endswith('jitter') else ''}{QUANTITIES[quantity]}, µs"


@dataclass(frozen=True, slots=True)
class Measure:
    """One quantity of one test. `name` begins the names of its figures."""

    name: str
    test: str
    title: str
    samples: str
    """What a case must have."""
    is_jitter: bool = False
    """Jitter may be negative: no logarithm of it is drawn."""

    def shape(self, case: CaseSummary) -> Shape | None:
        """Histograms and densities; jitter is signed."""
        if not case.series:
            return None
        return case.series.jitter if self.is_jitter else case.series.shape

    def shapes(self, cases: Iterable[CaseSummary]) -> list[tuple[CaseSummary, Shape]]:
        """Shapes of the cases that have one."""
        return [(case, shape) for case in cases if (shape := self.shape(case))]

    def curve(self, case: CaseSummary) -> Curve | None:
        """Percentiles to the last sample; of jitter, of its magnitude."""
        if not case.series:
            return None
        return case.series.jitter_curve if self.is_jitter else case.series.curve

    def boxes(self, case: CaseSummary) -> list[RoundBox]:
        """Boxes of each counted round; for jitter, of its magnitude."""
        if not case.series:
            return []
        return case.series.jitter_boxes if self.is_jitter else case.series.boxes

    def axis(self, cases: Iterable[CaseSummary]) -> str:
        """Title of an axis of it: under load the round trip where one way is not known."""
        found = self._of(cases)
        return axis_of(found) if found else ""

    def magnitude(self, cases: Iterable[CaseSummary]) -> str:
        """The same where signs are left out."""
        found = self._of(cases)
        return f"{'|jitter| of ' if self.is_jitter else ''}{QUANTITIES[found]}, µs" if found else ""

    def _of(self, cases: Iterable[CaseSummary]) -> str:
        found = (self.curve(case) or self.shape(case) for case in cases)
        first = next((one for one in found if one), None)
        return first.quantity if first else ""

    @property
    def needs(self) -> str:
        """For the list of what was left out."""
        return f"{self.test} cases with {self.samples}"


MEASURES = (
    Measure("latency", "latency", "Latency", "round trips"),
    Measure("jitter", "latency", "Jitter", "two consecutive round trips", is_jitter=True),
    Measure("load-latency", "throughput", "Latency under load", "timed samples"),
    Measure("load-jitter", "throughput", "Jitter under load", "two consecutive timed samples",
            is_jitter=True),
)  # fmt: skip
"""Jitter is the change of latency from a sample to the next (RFC 3393)."""


def middle(shapes: Iterable[Shape], low: float, high: float) -> tuple[float, float] | None:
    """Between which values, in µs, these per cent of what was sent are, in all shapes together."""
    inner = [
        value / MICRO for shape in shapes
        for percent, value in zip(shape.quantiles.percent, shape.quantiles.value_ns, strict=True)
        if low <= percent <= high
    ]  # fmt: skip
    return (min(inner), max(inner)) if inner else None
