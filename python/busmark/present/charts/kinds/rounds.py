"""Boxes and violins by round: whether rounds of one case are alike."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from busmark.analysis.case.shapes import RoundBox
from busmark.analysis.model import Campaign, CaseSummary
from busmark.analysis.words.text import number, scale_for
from busmark.present.charts import look, panels
from busmark.present.charts.kinds.distributions import floor_median, floor_told, place
from busmark.present.charts.kinds.kind import ChartKind
from busmark.present.charts.kinds.measures import MEASURES, Measure
from busmark.present.charts.panels import Keys
from busmark.present.charts.shapes import WIDEST, Axis, Box, Boxes, Cell, Reference

REACH = 0.8
"""How far an axis goes beyond the whiskers, in lengths from the smallest sample to the upper
whisker."""

MOST_LINEAR = 8
"""Times that whiskers may differ on a linear axis."""

AROUND = 1.25
"""How far a logarithmic axis goes beyond them, as a factor."""


def _chart(measure: Measure) -> ChartKind:
    def of(campaign: Campaign, keys: Keys, members: Sequence[CaseSummary]) -> Boxes:
        title = measure.magnitude(members)
        cells = [_cell(campaign, case, measure, title) for case in members]
        counts = [sum(box.count for box in measure.boxes(case)) for case in members]
        told = panels.counts_text([case.rounds.ok for case in members], counts)
        told += ". Box: quartiles and median; whiskers: 5th and 95th percentile; points: smallest "
        told += "and largest; area: density of the round."
        if back := panels.back_text(members):
            told += f"{back} A percentile among the lost is drawn at the largest."
        if beyond := [value for cell in cells for _, value in cell.beyond()]:
            told += f" Largest sample beyond the axis: {_time(max(beyond))}."
        if found := floor_median(campaign, members[0], measure):
            told += floor_told(members[0], *found)
        return Boxes(keys, members, "round", cells, told)

    def draw(campaign: Campaign, cases: Sequence[CaseSummary]) -> Iterator[Boxes]:
        for keys, members in panels.split(cases, panels.where):
            yield of(campaign, keys, members)

    def apart(campaign: Campaign, cases: Sequence[CaseSummary]) -> Iterator[Boxes]:
        for case in cases:
            yield of(campaign, panels.of_one(case), [case])

    return ChartKind(
        f"{measure.name}-rounds", f"{measure.title}: round by round", measure.test,
        "Rounds that differ show that the start of a process decides. For jitter: its magnitude. "
        "Percentiles count what was sent: one among the lost is drawn at the largest sample that "
        "came back.",
        measure.needs, measure.boxes, draw,
        apart=apart, shape=Boxes, of_series=True, place=place(measure, "by round"),
    )  # fmt: skip


def _cell(campaign: Campaign, case: CaseSummary, measure: Measure, title: str) -> Cell:
    boxes = measure.boxes(case)
    lines = []
    if found := floor_median(campaign, case, measure):
        floor, median = found
        at, (first, last) = median.value / look.MICRO, (-0.5, len(boxes) - 0.5)
        name = f"{floor.label}, median"
        lines.append(Reference(name, "dash", ((first, at), (last, at)), fits_axis=False))
    axis = _axis(title, boxes, is_jitter=measure.is_jitter)
    return Cell(look.label_of(campaign, case), [_box(box) for box in boxes], axis, lines)


def _box(box: RoundBox) -> Box:
    p5, p25, median, p75, p95 = (
        box.drawn(name) / look.MICRO
        for name in ("p5_ns", "p25_ns", "median_ns", "p75_ns", "p95_ns")
    )
    peak = max(box.density.per_ns, default=0.0)
    outline = [
        (at / look.MICRO, WIDEST * per / peak)
        for at, per in zip(box.density.at_ns, box.density.per_ns, strict=True)
        if peak and box.min_ns <= at <= box.max_ns
    ]
    ends = (box.min_ns / look.MICRO, box.max_ns / look.MICRO)
    return Box(str(box.round), (p5, p95), (p25, median, p75), ends, outline)


def _axis(title: str, boxes: Sequence[RoundBox], *, is_jitter: bool) -> Axis:
    """On which boxes and whiskers can be read: linear unless they differ by much. Jitter begins
    near 0, which no logarithmic axis has."""
    low, high = min(box.min_ns for box in boxes), max(box.drawn("p95_ns") for box in boxes)
    if high <= low:
        return Axis(title)
    if not is_jitter and 0 < low * MOST_LINEAR < high:
        return Axis(title, "log", ends=_micro(low / AROUND, high * AROUND))
    top = min(max(box.max_ns for box in boxes), high + REACH * (high - low))
    margin = 0.06 * (top - low)
    return Axis(title, ends=_micro(low - margin, top + margin))


def _micro(low: float, high: float) -> tuple[float, float]:
    return low / look.MICRO, high / look.MICRO


def _time(value: float) -> str:
    scale = scale_for([value * look.MICRO])
    return f"{number(value * look.MICRO / scale.factor)} {scale.unit}"


CHARTS = tuple(map(_chart, MEASURES))
