"""Distributions of latency and its jitter: curves of one series by case, and boxes by round.

The points are rows of the table of series. The null adapter's curve, or a line at its median, is
drawn where it is near.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import nan

from busmark.compare.campaign import Campaign
from busmark.estimate.case import CaseSummary
from busmark.estimate.series import Curve as Points
from busmark.model.text import number, samples, scale_for
from busmark.present.charts import look, panels
from busmark.present.charts.look import MICRO
from busmark.present.charts.panels import Keys
from busmark.present.charts.shapes import (
    WIDEST,
    Axis,
    Box,
    Boxes,
    Cell,
    Curve,
    Picture,
    Point,
    Reference,
)

QUANTITIES = {
    "half_round_trip": "RTT/2",
    "round_trip": "round trip",
    "one_way": "one-way latency",
    "half_round_trip_jitter": "RTT/2",
    "round_trip_jitter": "the round trip",
    "one_way_jitter": "one-way latency",
}
"""What an axis is of; of jitter with its sign likewise."""

WITHIN = (0.5, 99.5)
"""Per cent between which most values are: the rest would flatten the curves."""

SHORT_TAIL = 1.5
"""Up to this ratio of the slowest sample to where most values end, all are shown."""

FEW = 3
"""Cases up to which areas are filled: more would hide each other."""

REACH = 0.8
"""How far an axis goes beyond the whiskers, in lengths from the smallest sample to the upper
whisker."""

MOST_LINEAR = 8
"""Times that whiskers may differ on a linear axis."""

AROUND = 1.25
"""How far a logarithmic axis goes beyond them, as a factor."""


def _quantity(of: str) -> str:
    return QUANTITIES[of.replace("ipdv", "jitter")]


def axis_of(quantity: str) -> str:
    """Return the title of an axis of this quantity."""
    is_jitter = quantity.endswith(("jitter", "ipdv"))
    return f"{'jitter of ' if is_jitter else ''}{_quantity(quantity)}, µs"


@dataclass(frozen=True, slots=True)
class Measure:
    """One quantity of one test. `name` begins the names of its charts."""

    name: str
    test: str
    title: str
    samples: str
    """What a case must have."""
    is_jitter: bool = False
    """Jitter may be negative: no logarithm of it is drawn."""

    def curve(self, case: CaseSummary, kind: str = "percentiles") -> Points | None:
        """Return the curve of this kind, of all counted rounds together; percentiles to the last
        sample, for jitter of its magnitude."""
        found = case.curves(kind, is_jitter=self.is_jitter, scope="case")
        return found[0] if found else None

    def shape(self, case: CaseSummary) -> Points | None:
        """Return the quantiles, where single samples are known; jitter is signed."""
        return self.curve(case, "quantiles")

    def boxes(self, case: CaseSummary) -> list[Points]:
        """Return a box for each counted round; for jitter, of its magnitude."""
        return case.curves("box", is_jitter=self.is_jitter)

    def axis(self, cases: Iterable[CaseSummary]) -> str:
        """Return the title of an axis of it: under load the round trip where one way is unknown."""
        found = self._of(cases)
        return axis_of(found) if found else ""

    def magnitude(self, cases: Iterable[CaseSummary]) -> str:
        """Return the same where signs are left out."""
        found = self._of(cases)
        return f"{'|jitter| of ' if self.is_jitter else ''}{_quantity(found)}, µs" if found else ""

    def _of(self, cases: Iterable[CaseSummary]) -> str:
        found = (self.curve(case) or self.shape(case) for case in cases)
        first = next((one for one in found if one), None)
        return first.quantity if first else ""

    @property
    def needs(self) -> str:
        """Return what a campaign must have, for the list of what was left out."""
        return f"{self.test} cases with {self.samples}"


MEASURES = (
    Measure("latency", "latency", "Latency", "round trips"),
    Measure("jitter", "latency", "Jitter", "two consecutive round trips", is_jitter=True),
    Measure("load-latency", "throughput", "Latency under load", "timed samples"),
    Measure("load-jitter", "throughput", "Jitter under load", "two consecutive timed samples",
            is_jitter=True),
)  # fmt: skip
"""Jitter is the change of latency from a sample to the next (RFC 3393)."""

Draw = Callable[[Measure, Campaign, Keys, Sequence[CaseSummary]], Picture]
Lines = Callable[[Measure, CaseSummary], Iterator[tuple[str, Sequence[Point]]]]
"""The curves of a case: what stands behind its name in the legend, and points."""
Axes = Callable[[Measure, Sequence[CaseSummary]], tuple[Axis, Axis, str]]
"""Both axes, and a sentence where one does not reach all samples."""


def curves(
    lines: Lines, axes: Axes, *, steps: bool = False, remark: str = "", last: str = ""
) -> Draw:
    """Return what draws curves that reach far: the floor is one of them where it is near.

    Args:
        remark: follows rounds and samples in the caption; `last`, where it is known which samples
            they are.
    """

    def draw(
        measure: Measure, campaign: Campaign, keys: Keys, members: Sequence[CaseSummary]
    ) -> Picture:
        shown, floor = _with_floor(campaign, members, measure)
        found = [
            Curve(f"{case.label}{more}", look.label_of(campaign, case), points, marks=False,
                  steps=steps and not more, thin=bool(more))
            for case in shown for more, points in lines(measure, case)
        ]  # fmt: skip
        x, y, beyond = axes(measure, members)
        # One point stands for all samples where these are equal.
        many = any(len(curve.points) > 1 for curve in found)
        note = last if many and all(map(measure.shape, members)) else ""
        text = f"{_counted(members, measure)}{remark}{note}.{panels.back_text(members)}"
        return Picture(keys, members, x, y, found, f"{text}{beyond}{floor}")

    return draw


def shares(
    title: str, points: Callable[[Measure, CaseSummary], Sequence[Point]],
    remark: Callable[[Measure, Sequence[CaseSummary]], str], *, filled: bool = False,
) -> Draw:  # fmt: skip
    """Return what draws how frequent values are, `title` says in what unit. The floor is a line at
    its median where that is among them, for its own shape would dwarf all others."""

    def draw(
        measure: Measure, campaign: Campaign, keys: Keys, members: Sequence[CaseSummary]
    ) -> Picture:
        known = [case for case in members if measure.shape(case)]
        found = [
            Curve(case.label, look.label_of(campaign, case), points(measure, case), marks=False,
                  steps=filled, fill=0.25 if filled and len(known) <= FEW else 0.0)
            for case in known
        ]  # fmt: skip
        text = f"{_counted(members, measure)}. {remark(measure, members)}"
        text += panels.back_text(members)
        every, lines = [p for curve in found for p in curve.points], []
        if every and (floor := _floor_median(campaign, members[0], measure)):
            name, at = floor
            if min(p.x for p in every) <= at <= max(p.x for p in every):
                ends = ((at, 0.0), (at, max(p.y for p in every)))
                lines.append(Reference(name, "dash", ends))
                text += panels.floor_note(members[0])
        return Picture(
            keys, members, Axis(measure.axis(members)), Axis(title, from_zero=True), found, text,
            lines, apart=filled,
        )  # fmt: skip

    return draw


def pairs(measure: Measure, case: CaseSummary, kind: str) -> list[tuple[float, float]]:
    """Return x and y of a series of values, in µs."""
    of = measure.curve(case, kind)
    return [(x or 0.0, (y or 0.0) / MICRO) for x, y in zip(of.x, of.y, strict=True)] if of else []


def percentiles(measure: Measure, case: CaseSummary) -> Iterator[tuple[str, list[Point]]]:
    """Yield the curve to the last sample. A logarithmic axis has no place for equal stamps."""
    if of := pairs(measure, case, "percentiles"):
        yield "", [Point(x, y) for x, y in of if y > 0]


def survival(measure: Measure, case: CaseSummary) -> Iterator[tuple[str, list[Point]]]:
    """Yield the share that is slower, over the value."""
    if of := pairs(measure, case, "percentiles"):
        yield "", [Point(y, 100 - x) for x, y in of if y > 0 and x < 100]


def quantiles(measure: Measure, case: CaseSummary) -> Iterator[tuple[str, list[Point]]]:
    """Yield the values at even steps of per cent."""
    if of := pairs(measure, case, "quantiles"):
        yield "", [Point(x, y) for x, y in of]


def ecdf(measure: Measure, case: CaseSummary) -> Iterator[tuple[str, list[Point]]]:
    """Yield the distribution function as it was observed, and smoothed by a Gaussian kernel."""
    if of := pairs(measure, case, "quantiles"):
        yield "", [Point(y, x) for x, y in of]
        smooth = None if case.is_floor else measure.curve(case, "smoothed_ecdf")
        if smooth:
            yield ", smoothed", [Point((x or 0.0) / MICRO, 100 * (y or 0.0))
                                 for x, y in zip(smooth.x, smooth.y, strict=True)]  # fmt: skip


def log_histogram(measure: Measure, case: CaseSummary) -> Iterator[tuple[str, list[Point]]]:
    """Yield steps along bins; a logarithmic axis has no place for a bin without samples."""
    if of := measure.curve(case, "log_histogram"):
        yield "", _steps(of, empty=nan)


def histogram(measure: Measure, case: CaseSummary) -> list[Point]:
    """Return steps along bins between the 5th and the 95th percentile."""
    of = measure.curve(case, "histogram")
    return _steps(of) if of else []


def _steps(of: Points, empty: float = 0.0) -> list[Point]:
    """Return steps in per cent of all samples, those in the open bins at both ends included."""
    counts = [int(count or 0) for count in of.y]
    total, inner = sum(counts), counts[1:-1]
    return [
        Point((edge or 0.0) / MICRO, 100 * count / total if count else empty, note=samples(count))
        for edge, count in zip((of.low or [])[1:], (*inner, inner[-1]), strict=True)
    ]


def density(kind: str) -> Draw:
    """Return what draws the Gaussian kernel densities of a kind of series."""

    def points(measure: Measure, case: CaseSummary) -> list[Point]:
        return [Point(*each) for each in density_points(measure, case, kind)]

    def remark(measure: Measure, members: Sequence[CaseSummary]) -> str:
        found = (measure.curve(case, kind) for case in members)
        widths = [of.bandwidth for of in found if of and of.bandwidth is not None]
        scale = scale_for([min(widths)])
        ends = dict.fromkeys(number(end / scale.factor) for end in (min(widths), max(widths)))
        return (
            f"Gaussian kernel, bandwidth {' to '.join(ends)} {scale.unit}, cut off at the smallest "
            "and the largest sample; the central 99 %, of what came back."
        )

    return shares("density, 1/µs", points, remark)


def density_points(measure: Measure, case: CaseSummary, kind: str) -> list[tuple[float, float]]:
    """Return places (µs) and density (1/µs) where there are samples: what the kernel spreads beyond
    the smallest and the largest is cut off, unless nothing would remain."""
    reach = [value for _, value in pairs(measure, case, "quantiles")]
    of = measure.curve(case, kind)
    every = [((x or 0.0) / MICRO, (y or 0.0) * MICRO)
             for x, y in zip(of.x, of.y, strict=True)] if of else []  # fmt: skip
    inside = [point for point in every if reach[0] <= point[0] <= reach[-1]]
    return inside if len(inside) > 1 else every


def values(measure: Measure, members: Sequence[CaseSummary]) -> tuple[Axis, str]:
    """Return the axis of the values, logarithmic unless they are signed, and a sentence where it
    does not reach all samples."""
    title = measure.axis(members)
    shapes = [shape for case in members if (shape := measure.shape(case))]
    if measure.is_jitter:
        return Axis(title, "signed", middle=_middle(shapes, *WITHIN)), ""
    most = max((shape.y[-1] or 0.0 for shape in shapes), default=0.0)
    inner = _middle(shapes, 0.0, WITHIN[1])
    if not inner or inner[0] <= 0 or most <= inner[1] * MICRO * SHORT_TAIL:
        return Axis(title, "log"), ""
    beyond = (
        f" The axis ends at the largest {WITHIN[1]}th percentile; the slowest sample took "
        f"{_time(most)}."
    )
    return Axis(title, "log", middle=inner), beyond


def _middle(shapes: Iterable[Points], low: float, high: float) -> tuple[float, float] | None:
    """Return between which values, in µs, these per cent of what was sent are, in all shapes."""
    inner = [
        (value or 0.0) / MICRO for shape in shapes
        for percent, value in zip(shape.x, shape.y, strict=True) if low <= (percent or 0.0) <= high
    ]  # fmt: skip
    return (min(inner), max(inner)) if inner else None


def _counted(members: Sequence[CaseSummary], measure: Measure) -> str:
    known = [each for case in members if (each := measure.curve(case) or measure.shape(case))]
    counts = panels.counts_text([case.rounds.ok for case in members], [of.count for of in known])
    return f"{counts}, all counted rounds together"


def _with_floor(
    campaign: Campaign, members: Sequence[CaseSummary], measure: Measure
) -> tuple[list[CaseSummary], str]:
    """Return the cases, with their floor where its distribution is near, and how its case
    differs."""
    floor = panels.floor_of(campaign, members[0])
    if not floor or not measure.curve(floor):
        return list(members), ""
    others = [y for case in members for _, y in pairs(measure, case, "percentiles")]
    own = pairs(measure, floor, "percentiles")
    if not panels.near([y for _, y in own], others):
        return list(members), ""
    return [*members, floor], panels.floor_note(members[0])


def _floor_median(
    campaign: Campaign, case: CaseSummary, measure: Measure
) -> tuple[str, float] | None:
    """Return name and place of the line that stands for the floor. Jitter lies about 0 anyway."""
    floor = panels.floor_of(campaign, case)
    if not floor or not floor.rtt_2 or measure.is_jitter:
        return None
    return f"{floor.label}, median", floor.rtt_2.median.value / MICRO


def _time(nanoseconds: float) -> str:
    scale = scale_for([nanoseconds])
    return f"{number(nanoseconds / scale.factor)} {scale.unit}"


def boxes(
    measure: Measure, campaign: Campaign, keys: Keys, members: Sequence[CaseSummary]
) -> Boxes:
    """Return a box and a violin for each round of each case."""
    title = measure.magnitude(members)
    cells = [_cell(campaign, case, measure, title) for case in members]
    counts = [sum(box.count or 0 for box in measure.boxes(case)) for case in members]
    text = panels.counts_text([case.rounds.ok for case in members], counts)
    text += ". Box: quartiles and median; whiskers: 5th and 95th percentile; points: smallest "
    text += "and largest; area: density of the round."
    if back := panels.back_text(members):
        text += f"{back} A percentile among the lost is drawn at the largest."
    if beyond := [value for cell in cells for _, value in cell.beyond()]:
        text += f" Largest sample beyond the axis: {_time(max(beyond) * MICRO)}."
    if any(cell.references for cell in cells):
        text += panels.floor_note(members[0])
    return Boxes(keys, members, "round", cells, text)


def _cell(campaign: Campaign, case: CaseSummary, measure: Measure, title: str) -> Cell:
    found = measure.boxes(case)
    axis, lines = _around(title, found, is_jitter=measure.is_jitter), []
    if of_floor := _floor_median(campaign, case, measure):
        name, at = of_floor
        low, high = axis.ends or (at, at)
        if low <= at <= high:
            lines.append(Reference(name, "dash", ((-0.5, at), (len(found) - 0.5, at))))
    shapes = {of.round: of for of in case.curves("density", found[0].quantity, scope="round")}
    drawn = [_box(box, shapes.get(box.round)) for box in found]
    return Cell(look.label_of(campaign, case), drawn, axis, lines)


def ends(box: Points) -> list[float]:
    """Return smallest, percentiles and largest of a round, ns: a percentile among the lost at the
    latest that came back, where the record ends."""
    most = box.y[-1] or 0.0
    return [most if value is None else value for value in box.y]


def _box(box: Points, shape: Points | None) -> Box:
    low, p5, p25, median, p75, p95, high = (value / MICRO for value in ends(box))
    outline = []
    if shape and (peak := max((per or 0.0 for per in shape.y), default=0.0)):
        outline = [
            ((at or 0.0) / MICRO, WIDEST * (per or 0.0) / peak)
            for at, per in zip(shape.x, shape.y, strict=True)
            if low <= (at or 0.0) / MICRO <= high
        ]
    return Box(str(box.round), (p5, p95), (p25, median, p75), (low, high), outline)


def _around(title: str, found: Sequence[Points], *, is_jitter: bool) -> Axis:
    """Return an axis on which boxes and whiskers can be read: linear unless they differ by much.
    Jitter begins near 0, which no logarithmic axis has."""
    drawn = [ends(box) for box in found]
    low, high = min(values[0] for values in drawn), max(values[-2] for values in drawn)
    if high <= low:
        return Axis(title)
    if not is_jitter and 0 < low * MOST_LINEAR < high:
        return Axis(title, "log", ends=(low / AROUND / MICRO, high * AROUND / MICRO))
    top = min(max(values[-1] for values in drawn), high + REACH * (high - low))
    margin = 0.06 * (top - low)
    return Axis(title, ends=((low - margin) / MICRO, (top + margin) / MICRO))
