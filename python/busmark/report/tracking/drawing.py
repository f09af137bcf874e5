"""The charts of a history's page: one for each figure of each case, as places on it."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, floor, log10

from busmark.analysis.words import text
from busmark.report.tracking import words
from busmark.track.commit import short
from busmark.track.model import Point, Tracked, TrackedSeries

WIDTH, HEIGHT = 640.0, 190.0
LEFT, RIGHT, TOP, BOTTOM = 90.0, 12.0, 14.0, 34.0

WIDE = 4.0
"""An interval further out than this many times the spread of the values is cut off by the axis."""


@dataclass(frozen=True, slots=True)
class Mark:
    """A result."""

    x: float
    y: float
    low: float
    high: float
    told: str


@dataclass(frozen=True, slots=True)
class Level:
    """Between two steps."""

    x1: float
    x2: float
    y: float


@dataclass(frozen=True, slots=True)
class StepMark:
    """Where the level changes."""

    x: float
    from_x: float
    to_x: float
    """Where else it may be."""
    kind: str
    label: str
    anchor: str
    told: str


@dataclass(frozen=True, slots=True)
class Tick:
    """Tick of an axis."""

    at: float
    text: str


@dataclass(frozen=True, slots=True)
class Drawing:
    """A chart."""

    title: str
    adapter: str
    caption: str
    marks: list[Mark]
    levels: list[Level]
    steps: list[StepMark]
    y_ticks: list[Tick]
    x_ticks: list[Tick]


def drawing(tracked: Tracked, series: TrackedSeries) -> Drawing:
    """The chart of a series: results in the order of commits, evenly spaced."""
    values = [point.value for point in series.points]
    low, high = _ends(series)
    unit = _scale(series, values)

    def x(place: float) -> float:
        between = (WIDTH - LEFT - RIGHT) / max(1, len(values))
        return round(LEFT + (place + 0.5) * between, 1)

    def y(value: float) -> float:
        share = (min(max(value, low), high) - low) / (high - low)
        return round(HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM), 1)

    return Drawing(
        title=words.of_what(tracked, series),
        adapter=series.adapter,
        caption=_caption(tracked, series),
        marks=[_mark(series, point, x(n), y) for n, point in enumerate(series.points)],
        levels=_levels(series, x, y),
        steps=_steps(tracked, series, x),
        y_ticks=[Tick(y(at), f"{text.number(at / unit.factor, 9).rstrip('0').rstrip('.')} "
                             f"{unit.unit}".strip()) for at in _ticks(low, high, unit)],
        x_ticks=_commits(series, x),
    )  # fmt: skip


def _ends(series: TrackedSeries) -> tuple[float, float]:
    """Ends of the axis: all values, and intervals that are not much wider."""
    values = [point.value for point in series.points]
    least, most = min(values), max(values)
    if least == most == 0.0:
        return 0.0, 0.001
    spread = (most - least) or abs(most) * 0.02
    lows = [p.low for p in series.points if p.low is not None]
    highs = [p.high for p in series.points if p.high is not None]
    low = max(min([least, *lows]), least - WIDE * spread)
    high = min(max([most, *highs]), most + WIDE * spread)
    room = (high - low or spread) * 0.06
    return max(low - room, 0.0) if least >= 0.0 else low - room, high + room


def _scale(series: TrackedSeries, values: list[float]) -> text.Scale:
    if series.unit == "1":
        return text.Scale("%", 0.01)
    return text.scale_for([abs(value) for value in values], text.SCALES[series.unit])


def _ticks(low: float, high: float, unit: text.Scale) -> list[float]:
    """Three to six round numbers within the ends, in the unit."""
    low, high = low / unit.factor, high / unit.factor
    step = 10.0 ** floor(log10((high - low) / 3))
    step *= next((m for m in (1, 2, 5) if (high - low) / (m * step) <= 6), 10)
    first = ceil(low / step)
    return [n * step * unit.factor for n in range(first, int(high // step) + 1)]


def _mark(series: TrackedSeries, point: Point, x: float, y) -> Mark:  # type: ignore[no-untyped-def]
    own = words.level_text(series, point.value)
    told = f"{words.commit_text(point)}, {words.when(point)}: {own}"
    low = point.value if point.low is None else point.low
    high = point.value if point.high is None else point.high
    return Mark(x, y(point.value), y(low), y(high), told)


def _levels(series: TrackedSeries, x, y) -> list[Level]:  # type: ignore[no-untyped-def]
    if not series.steps:
        return []
    edges = [0, *(step.first_after for step in series.steps), len(series.points)]
    heights = [series.steps[0].before, *(step.after for step in series.steps)]
    return [
        Level(x(begin - 0.4), x(end - 0.6), y(height))
        for begin, end, height in zip(edges, edges[1:], heights, strict=False)
    ]


def _steps(tracked: Tracked, series: TrackedSeries, x) -> list[StepMark]:  # type: ignore[no-untyped-def]
    found = []
    for step in series.steps:
        at = x(step.first_after - 0.5)
        open_ = not step.confirmed and step.kind != "small"
        kind = "floor" if series.is_floor else "unconfirmed" if open_ else step.kind
        anchor = "end" if at > WIDTH * 0.7 else "start"
        label = words.change_text(series, step).partition(" [")[0] + (" ?" if open_ else "")
        found.append(
            StepMark(
                at,
                x(step.earliest - 0.5),
                x(step.latest - 0.5),
                kind,
                label,
                anchor,
                words.sentence(tracked, series, step),
            )
        )
    return found


def _commits(series: TrackedSeries, x) -> list[Tick]:  # type: ignore[no-untyped-def]
    """The first and the last, and those behind steps where there is room."""
    places = [0, *(step.first_after for step in series.steps), len(series.points) - 1]
    ticks: list[Tick] = []
    for place in dict.fromkeys(places):
        at = x(place)
        if not ticks or at - ticks[-1].at > 90:
            point = series.points[place]
            ticks.append(Tick(at, f"{short(point.commit)[:10]} {words.when(point)[5:]}"))
    return ticks


def _caption(tracked: Tracked, series: TrackedSeries) -> str:
    results = text.plural(len(series.points), "result")
    rounds = sorted({point.rounds for point in series.points})
    of = f"{rounds[0]}" if len(rounds) == 1 else f"{rounds[0]} to {rounds[-1]}"
    told = f"{results} of {of} rounds, with the interval of each by itself."
    if not series.tested:
        told += f" Too few for a step: {2 * tracked.least} are needed."
    return told
