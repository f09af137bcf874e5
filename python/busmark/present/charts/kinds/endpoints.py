"""Endpoints that have found each other, over time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from busmark.analysis.model import Campaign, CaseSummary
from busmark.analysis.words import text
from busmark.present.charts import look, panels
from busmark.present.charts.kinds.kind import ChartKind
from busmark.present.charts.shapes import Axis, Curve, Picture, Point

MILLI = 1e6


def _draw(campaign: Campaign, cases: Sequence[CaseSummary]) -> Iterator[Picture]:
    for keys, members in panels.split(cases, panels.where):
        curves, told = [], []
        for case in members:
            found = case.meeting
            if found is None:
                continue
            points = [
                Point(at / MILLI, count)
                for at, count in zip(found.t_ns, found.found, strict=True)
            ]  # fmt: skip
            of = look.label_of(campaign, case)
            curves.append(Curve(case.label, of, points, marks=len(points) == 1, steps=True))
            told.append(f"{case.label} {_told(case)}")
        yield Picture(
            keys, members, Axis("ms since the last endpoint was created", "linear"),
            Axis("endpoints with all their counterparts", from_zero=True), curves,
            f"From the creation of the last until all had matched: {'; '.join(told)}.",
        )  # fmt: skip


def _told(case: CaseSummary) -> str:
    """When all had, of how many, and what of it is not known exactly."""
    found = case.meeting
    assert found is not None
    assert found.last is not None
    counts = (
        f"{text.plural(found.endpoints, 'endpoint')}, {text.plural(found.last.rounds, 'round')}"
    )
    vague = [
        f"{text.count(number)} {what}"
        for number, what in (
            (found.limits, "known by an upper limit only"),
            (found.unknown, "not counted by the adapter"),
        )
        if number
    ]
    # These are of all rounds, and may be more than one round has endpoints.
    of_all = f"; in all rounds {', '.join(vague)}" if vague else ""
    return f"{text.figure_text(found.last, text.TIME)} ({counts}{of_all})"


CHART = ChartKind(
    "endpoints-discovered", "Endpoints discovered over time", "throughput",
    "How many endpoints had matched all that there was to match for them; a typical round: the "
    "median over rounds of when so many had. Before 0 endpoints were still being created.",
    "streams with three endpoints or more, of adapters that count matches, on one clock",
    lambda case: case.meeting, _draw, figures=("discovery",),
)  # fmt: skip
