"""Latency and its jitter over the time of one round, and its last samples one by one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from busmark.analysis.case.series import Timeline
from busmark.analysis.model import Campaign, CaseSummary, Label
from busmark.analysis.words import text
from busmark.present.charts import look, panels
from busmark.present.charts.kinds import floors
from busmark.present.charts.kinds.kind import ChartKind, Place
from busmark.present.charts.kinds.measures import axis_of
from busmark.present.charts.shapes import Axis, Curve, Point, Reference, Row, Stack

LOST = look.series("lost", look.LOST)

WHEN = Axis("time since the first sample, s")


def _chart(
    key: str, title: str, needs: str, of: str, pick: Callable[[CaseSummary], Timeline | None]
) -> ChartKind:
    def draw(campaign: Campaign, cases: Sequence[CaseSummary]) -> Iterator[Stack]:
        for case in cases:
            if shown := pick(case):
                floor, told = _floor(campaign, case, shown)
                rows = _rows(look.label_of(campaign, case), shown, floor)
                yield Stack(panels.of_one(case), [case], rows, f"{_told(shown)}.{told}")

    return ChartKind(
        key, title, "latency",
        "The round whose median is nearest to the middle one. The line keeps the smallest and the "
        "largest sample of every stretch, so its density means nothing; points are samples. "
        "Jitter is the change from a sample to the next.",
        needs, pick, draw, of_series=True,
        place=Place("latency-time", "Over time", (("Of", of),)), shape=Stack,
    )  # fmt: skip


def _rows(label: Label, shown: Timeline, floor: Sequence[tuple[str, float]]) -> list[Row]:
    """The whole round, where there is more of it than its last samples, and those."""
    signed = shown.quantity.endswith("jitter")
    y = Axis(axis_of(shown.quantity), "linear" if signed else "log")
    top = max((*shown.value_ns, *shown.detail_value_ns)) / look.MICRO
    line = _points(shown.t_s, shown.value_ns)
    dots = _points(shown.detail_t_s, shown.detail_value_ns)
    rows = []
    if line:
        whole = Curve("", label, line, marks=False, thin=True, dash="solid")
        curves = [whole, *_lost(shown.lost_t_s, top)]
        heading = "the whole round: smallest and largest of every stretch"
        rows.append(Row(heading, WHEN, y, curves, _lines(floor, line)))
    heading = "every sample"
    lost: Sequence[float] = shown.lost_t_s
    if line:
        heading = f"its last {text.count(len(dots))} samples, every one"
        lost = [at for at in lost if at >= dots[0].x]
    curves = [Curve("", label, dots, line=False, dots=True), *_lost(lost, top)]
    return [*rows, Row(heading, WHEN, y, curves, _lines(floor, dots))]


def _points(times: Sequence[float], values_ns: Sequence[float]) -> list[Point]:
    return [Point(at, value / look.MICRO) for at, value in zip(times, values_ns, strict=True)]


def _lost(times: Sequence[float], top: float) -> list[Curve]:
    """Crosses where samples were sent that never came back."""
    points = [Point(at, top) for at in times]
    return [Curve(LOST.text, LOST, points, line=False, only_x=True)] if points else []


def _lines(floor: Sequence[tuple[str, float]], points: Sequence[Point]) -> list[Reference]:
    return [Reference(name, "dash", ((points[0].x, at), (points[-1].x, at))) for name, at in floor]


def _floor(
    campaign: Campaign, case: CaseSummary, shown: Timeline
) -> tuple[list[tuple[str, float]], str]:
    """The floor's median as a line across, or as a sentence where it would flatten the plot."""
    floor = panels.floor_of(campaign, case)
    if not floor or not floor.rtt_2 or shown.quantity != "half_round_trip":
        return [], ""
    median = floor.rtt_2.median
    if floors.near([median.value], (*shown.value_ns, *shown.detail_value_ns)):
        return [(f"{floor.label}, median", median.value / look.MICRO)], panels.floor_note(case)
    told = f" Below the axis: {floor.label}, median {text.figure_text(median)}."
    return [], told + panels.floor_note(case)


def _told(shown: Timeline) -> str:
    told = f"round {shown.round}, the one whose median is nearest to the middle one; "
    told += text.plural(shown.count, "sample")
    if shown.lost_t_s:
        told += f", {text.count(shown.lost)} lost"
        if len(shown.lost_t_s) < shown.lost:
            told += f", of which {text.count(len(shown.lost_t_s))} are marked"
    return told


CHARTS = (
    _chart(
        "latency-timeline", "Latency over time", "latency cases with samples over time", "latency",
        lambda case: case.series.timeline if case.series else None,
    ),
    _chart(
        "jitter-timeline", "Jitter over time", "latency cases with two consecutive samples",
        "jitter", lambda case: case.series.jitter_timeline if case.series else None,
    ),
)  # fmt: skip
