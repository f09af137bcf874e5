"""Distributions of latency and its jitter: curves of one series by case, and boxes by round.

The points are rows of the table of series. The null adapter's curve, or a line at its median, is
drawn where it is near.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import nan

from numpy import interp

from busmark.model.case import CaseSummary
from busmark.model.case import Curve as Points
from busmark.model.naming import Label
from busmark.model.text import number, samples, scale_for
from busmark.present.charts import panels
from busmark.present.charts.look import MICRO
from busmark.present.charts.panels import Choice
from busmark.present.charts.shapes import (
    WIDEST,
    Axis,
    Box,
    Boxes,
    CaseBoxes,
    DrawnCurve,
    Picture,
    Point,
    Reference,
    points,
)
from busmark.present.figures import quantity_name

WITHIN = (0.5, 99.5)
"""Per cent between which most values are: the rest would flatten the curves."""

SHORT_TAIL = 1.5
"""Up to this ratio of the slowest sample to where most values end, all are shown."""

FEW = 3
"""Cases up to which areas are filled: more would hide each other."""

BODY, WIDENED = (5.0, 95.0), 0.5
"""Per cent between which the body of a distribution is, and the part of its width by which an axis
of densities is wider."""

REACH = 0.8
"""Length of an axis beyond the whiskers, as a multiple of the length from the smallest sample to
the upper whisker."""

MOST_LINEAR = 8
"""Times that whiskers may differ on a linear axis."""

AROUND = 1.25
"""Length of a logarithmic axis beyond the whiskers, as a factor."""


@dataclass(frozen=True, slots=True)
class ChartMeasure:
    """One quantity of one test. `name` begins the names of its charts."""

    name: str
    test: str
    title: str
    samples: str
    """Requirement on a case, in words."""
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
        """Return the title of an axis of it: under load the round trip where one way is unknown;
        jitter with its sign is the IPDV."""
        return _title(self.shape(case) or self.curve(case) for case in cases)

    def magnitude(self, cases: Iterable[CaseSummary]) -> str:
        """Return the same where signs are left out."""
        return _title(map(self.curve, cases)).replace("jitter", "|jitter|")

    @property
    def needs(self) -> str:
        """Return what a campaign must have, for the list of what was left out."""
        return f"{self.test} cases with {self.samples}"


def _title(found: Iterable[Points | None]) -> str:
    first = next((one for one in found if one), None)
    return f"{quantity_name(first.quantity)}, µs" if first else ""


MEASURES = (
    ChartMeasure("latency", "latency", "Latency", "round trips"),
    ChartMeasure("jitter", "latency", "Jitter", "two consecutive round trips", is_jitter=True),
    ChartMeasure("response-time", "service", "Response time", "responses"),
    ChartMeasure("load-latency", "throughput", "Latency under load", "timed samples"),
    ChartMeasure("load-jitter", "throughput", "Jitter under load", "two consecutive timed samples",
            is_jitter=True),
)  # fmt: skip
"""Jitter is the change of latency from a sample to the next (RFC 3393)."""

Lines = Callable[[ChartMeasure, CaseSummary], list[Point]]
"""The points of a case; none where it has no such series."""
Axes = Callable[[ChartMeasure, Sequence[CaseSummary]], tuple[Axis, Axis, str]]
"""Both axes, and a sentence where one does not reach all samples."""
OfMeasure = Callable[[ChartMeasure, Choice], Iterator[Picture]]


def curves(
    lines: Lines,
    axes: Axes,
    *,
    thin: Lines | None = None,
    steps: bool = False,
    remark: str = "",
    last: str = "",
) -> OfMeasure:
    """Return what draws curves that reach far: the floor is one of them where it is near.

    Args:
        lines: the points of each curve.
        axes: both axes.
        thin: the points of a smoothed curve that goes with each but the floor's.
        steps: whether a value holds up to the next.
        remark: follows rounds and samples in the caption; `last`, where it is known which samples
            they are.
    """

    def draw(measure: ChartMeasure, choice: Choice) -> Iterator[Picture]:
        shown, floor = _with_floor(measure, choice)
        found = []
        for case in shown:
            label, drawn = choice.label(case), lines(measure, case)
            if drawn or not case.is_floor:
                found.append(DrawnCurve(case.label, label, drawn, marks=False, steps=steps))
            if smooth := thin(measure, case) if thin and not case.is_floor else []:
                found.append(
                    DrawnCurve(f"{case.label}, smoothed", label, smooth, marks=False, thin=True)
                )
        x, y, beyond = axes(measure, choice.members)
        # One point stands for all samples where these are equal.
        many = any(len(curve.points) > 1 for curve in found)
        note = last if many and all(map(measure.shape, choice.members)) else ""
        back = panels.back_text(choice.members)
        text = f"{_counted(choice.members, measure)}{remark}{note}.{back}{beyond}{floor}"
        yield choice.picture(x, y, found, text)

    return draw


def shares(
    title: str,
    lines: Lines,
    remark: Callable[[ChartMeasure, Sequence[CaseSummary]], str],
    *,
    filled: bool = False,
    body: bool = False,
) -> OfMeasure:
    """Return what draws how frequent values are, `title` says in what unit. The floor is a line at
    its median where that is among them, for its own shape would dwarf all others. `body`: the axis
    has the body of the distributions, for a tail would squeeze it."""

    def draw(measure: ChartMeasure, choice: Choice) -> Iterator[Picture]:
        members = choice.members
        known = [case for case in members if measure.shape(case)]
        found = [
            DrawnCurve(
                case.label,
                choice.label(case),
                lines(measure, case),
                marks=False,
                steps=filled,
                fill=0.25 if filled and len(known) <= FEW else 0.0,
            )
            for case in known
        ]
        text = f"{_counted(members, measure)}. {remark(measure, members)}"
        reach, beyond = _body(measure, known) if body else (None, "")
        if reach:
            low, high = reach
            found = [
                replace(curve, points=[p for p in curve.points if low <= p.x <= high])
                for curve in found
            ]
        text += f"{beyond}{panels.back_text(members)}"
        every, lines_of = [p for curve in found for p in curve.points], []
        if every and (floor := _floor_median(measure, choice)):
            name, at = floor
            if min(p.x for p in every) <= at <= max(p.x for p in every):
                ends = ((at, 0.0), (at, max(p.y for p in every)))
                lines_of.append(Reference(name, "dash", ends))
                text += choice.floor_note
        yield choice.picture(
            Axis(measure.axis(members), ends=reach),
            Axis(title, from_zero=True),
            found,
            text,
            lines_of,
            apart=filled,
        )

    return draw


def pairs(measure: ChartMeasure, case: CaseSummary, kind: str) -> list[tuple[float, float]]:
    """Return x and y of a series of values, in µs."""
    return [(point.x, point.y) for point in points(measure.curve(case, kind), MICRO)]


def percentiles(measure: ChartMeasure, case: CaseSummary) -> list[Point]:
    """Return the curve to the last sample. A logarithmic axis has no place for equal stamps."""
    return [Point(x, y) for x, y in pairs(measure, case, "percentiles") if y > 0]


def survival(measure: ChartMeasure, case: CaseSummary) -> list[Point]:
    """Return the share that is slower, over the value."""
    return [Point(p.y, 100 - p.x) for p in percentiles(measure, case) if p.x < 100]


def quantiles(measure: ChartMeasure, case: CaseSummary) -> list[Point]:
    """Return the values at even steps of per cent."""
    return points(measure.shape(case), MICRO)


def ecdf(measure: ChartMeasure, case: CaseSummary) -> list[Point]:
    """Return the distribution function as it was observed."""
    return [Point(point.y, point.x) for point in quantiles(measure, case)]


def smoothed_ecdf(measure: ChartMeasure, case: CaseSummary) -> list[Point]:
    """Return the distribution function, smoothed by a Gaussian kernel."""
    return [Point(p.x / MICRO, p.y) for p in points(measure.curve(case, "smoothed_ecdf"), 0.01)]


def log_histogram(measure: ChartMeasure, case: CaseSummary) -> list[Point]:
    """Return steps along bins; a logarithmic axis has no place for a bin without samples."""
    return _steps(measure.curve(case, "log_histogram"), empty=nan)


def histogram(measure: ChartMeasure, case: CaseSummary) -> list[Point]:
    """Return steps along bins between the 5th and the 95th percentile."""
    return _steps(measure.curve(case, "histogram"))


def _steps(of: Points | None, empty: float = 0.0) -> list[Point]:
    """Return steps in per cent of all samples, those in the open bins at both ends included."""
    if not of:
        return []
    counts = [int(count or 0) for count in of.y]
    total, inner = sum(counts), counts[1:-1]
    return [
        Point((edge or 0.0) / MICRO, 100 * count / total if count else empty, note=samples(count))
        for edge, count in zip((of.low or [])[1:], (*inner, inner[-1]), strict=True)
    ]


def density(kind: str) -> OfMeasure:
    """Return what draws the Gaussian kernel densities of a kind of series."""

    def lines(measure: ChartMeasure, case: CaseSummary) -> list[Point]:
        return [Point(*each) for each in density_points(measure, case, kind)]

    def remark(measure: ChartMeasure, members: Sequence[CaseSummary]) -> str:
        found = (measure.curve(case, kind) for case in members)
        widths = [of.bandwidth for of in found if of and of.bandwidth is not None]
        scale = scale_for([min(widths)])
        ends = dict.fromkeys(number(end / scale.factor) for end in (min(widths), max(widths)))
        return (
            f"Gaussian kernel, bandwidth {' to '.join(ends)} {scale.unit}, cut off at the smallest "
            "and the largest sample; the central 99 %, of what came back."
        )

    return shares("density, 1/µs", lines, remark, body=True)


def _body(
    measure: ChartMeasure, members: Sequence[CaseSummary]
) -> tuple[tuple[float, float] | None, str]:
    """Return the ends of an axis, µs, that has the bodies of all distributions, and a sentence on
    what is beyond it; no ends where all samples are near."""
    of = [pairs(measure, case, "quantiles") for case in members]
    inner = [y for own in of for x, y in own if BODY[0] <= x * 100 / own[-1][0] <= BODY[1]]
    if not inner or min(inner) == max(inner):
        return None, ""
    room = WIDENED / 2 * (max(inner) - min(inner))
    low = max(min(inner) - room, min(own[0][1] for own in of))
    high = min(max(inner) + room, max(own[-1][1] for own in of))
    outside = [100 - _percent(own, low, high) for own in of]
    if max(outside) <= 0:
        return None, ""
    ends = dict.fromkeys(f"{share:.2g}" for share in (min(outside), max(outside)))
    return (low, high), (
        " The axis has the central 90 % of every case and half as much again; beyond it are "
        f"about {' to '.join(ends)} % of the samples{' of a case' if len(members) > 1 else ''}."
    )


def _percent(of: Sequence[tuple[float, float]], low: float, high: float) -> float:
    """Return how many per cent of what came back is between these values, by quantiles."""
    places, reached = [x for x, _ in of], [y for _, y in of]
    before = 0.0 if low <= reached[0] else interp(low, reached, places)
    upto = places[-1] if high >= reached[-1] else interp(high, reached, places)
    return float(100 * (upto - before) / places[-1])


def density_points(
    measure: ChartMeasure, case: CaseSummary, kind: str
) -> list[tuple[float, float]]:
    """Return places (µs) and density (1/µs) where there are samples: what the kernel spreads beyond
    the smallest and the largest is cut off, unless nothing would remain."""
    reach = [value for _, value in pairs(measure, case, "quantiles")]
    every = [(p.x / MICRO, p.y) for p in points(measure.curve(case, kind), 1 / MICRO)]
    inside = [point for point in every if reach[0] <= point[0] <= reach[-1]]
    return inside if len(inside) > 1 else every


def values(measure: ChartMeasure, members: Sequence[CaseSummary]) -> tuple[Axis, str]:
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
    inner = [p.y for shape in shapes for p in points(shape, MICRO) if low <= p.x <= high]
    return (min(inner), max(inner)) if inner else None


def _counted(members: Sequence[CaseSummary], measure: ChartMeasure) -> str:
    known = [each for case in members if (each := measure.curve(case) or measure.shape(case))]
    counts = panels.counts_text([case.rounds.ok for case in members], [of.count for of in known])
    return f"{counts}, all counted rounds together"


def _with_floor(measure: ChartMeasure, choice: Choice) -> tuple[list[CaseSummary], str]:
    """Return the cases, with their floor where its distribution is near, and how its case
    differs."""
    floor, members = choice.floor, [*choice.members]
    if not floor or not measure.curve(floor):
        return members, ""
    others = [y for case in members for _, y in pairs(measure, case, "percentiles")]
    own = pairs(measure, floor, "percentiles")
    if not panels.near([y for _, y in own], others):
        return members, ""
    return [*members, floor], choice.floor_note


def _floor_median(measure: ChartMeasure, choice: Choice) -> tuple[str, float] | None:
    """Return name and place of the line that stands for the floor. Jitter lies about 0 anyway."""
    floor = choice.floor
    if not floor or not floor.rtt_2 or measure.is_jitter:
        return None
    return f"{floor.label}, median", floor.rtt_2.median.value / MICRO


def _time(nanoseconds: float) -> str:
    scale = scale_for([nanoseconds])
    return f"{number(nanoseconds / scale.factor)} {scale.unit}"


def boxes(measure: ChartMeasure, choice: Choice) -> Iterator[Boxes]:
    """Draw a box and a violin for each round of each case."""
    members, title = choice.members, measure.magnitude(choice.members)
    floor = _floor_median(measure, choice)
    cells = [_cell(choice.label(case), measure, case, title, floor) for case in members]
    counts = [sum(box.count or 0 for box in measure.boxes(case)) for case in members]
    text = panels.counts_text([case.rounds.ok for case in members], counts)
    text += ". Box: quartiles and median; whiskers: 5th and 95th percentile; points: smallest "
    text += "and largest; area: density of the round."
    if back := panels.back_text(members):
        text += f"{back} A percentile among the lost is drawn at the largest."
    if beyond := [value for cell in cells for _, value in cell.beyond()]:
        text += f" Largest sample beyond the axis: {_time(max(beyond) * MICRO)}."
    if any(cell.references for cell in cells):
        text += choice.floor_note
    yield Boxes(choice.keys, members, "round", cells, text)


def _cell(
    label: Label,
    measure: ChartMeasure,
    case: CaseSummary,
    title: str,
    floor: tuple[str, float] | None,
) -> CaseBoxes:
    found = measure.boxes(case)
    axis, lines = _around(title, found, is_jitter=measure.is_jitter), []
    if floor:
        name, at = floor
        low, high = axis.ends or (at, at)
        if low <= at <= high:
            lines.append(Reference(name, "dash", ((-0.5, at), (len(found) - 0.5, at))))
    shapes = {of.round: of for of in case.curves("density", found[0].quantity, scope="round")}
    drawn = [_box(box, shapes.get(box.round)) for box in found]
    return CaseBoxes(label, drawn, axis, lines)


def ends(box: Points) -> list[float]:
    """Return smallest, percentiles and largest of a round, ns: a percentile among the lost at the
    latest that came back, where the record ends."""
    most = box.y[-1] or 0.0
    return [most if value is None else value for value in box.y]


def _box(box: Points, shape: Points | None) -> Box:
    low, p5, p25, median, p75, p95, high = (value / MICRO for value in ends(box))
    outline, every = [], points(shape)
    if peak := max((p.y for p in every), default=0.0):
        outline = [(p.x / MICRO, WIDEST * p.y / peak) for p in every if low <= p.x / MICRO <= high]
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
