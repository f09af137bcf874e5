"""Trials of a search for capacity: what was offered, and what arrived."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from busmark.analysis.model import Campaign, Capacity, CaseSummary, Label
from busmark.analysis.words.text import MBIT, figure_text
from busmark.present.charts import look, panels
from busmark.present.charts.kinds.kind import ChartKind
from busmark.present.charts.kinds.limits import limits
from busmark.present.charts.shapes import Axis, Curve, Picture, Point


def _draw(campaign: Campaign, cases: Sequence[CaseSummary]) -> Iterator[Picture]:
    """A point for each trial, filled where it met the criterion."""
    for keys, members in panels.split(cases, panels.where):
        known = [(case, case.capacity) for case in members if case.capacity]
        curves = [
            curve for case, found in known
            for curve in _curves(case.label, look.label_of(campaign, case), found)
        ]  # fmt: skip
        offered = [point.x for curve in curves if not curve.thin for point in curve.points]
        if not offered:
            continue
        told = "; ".join(f"{case.label} {_told(found)}" for case, found in known)
        yield Picture(
            keys, members,
            Axis("offered, Mbit/s", "log"), Axis("goodput, Mbit/s", "log"), curves,
            f"{told}. Vertical: the greatest rate that was sustained.",
            limits(
                "offered", offered,
                (found.rated_mbit_per_s for _, found in known),
                (found.practical_mbit_per_s for _, found in known),
            ),
        )  # fmt: skip


def _told(found: Capacity) -> str:
    result = figure_text(found.sustained, MBIT) if found.sustained else "not found"
    return f"{result}, {found.confirmed} of {found.confirm} trials confirm it"


def _curves(name: str, label: Label, found: Capacity) -> list[Curve]:
    """Trials that met the criterion, those that did not, and the rate that was found."""
    trials = [t for t in found.trials if t.rate_hz and t.mbit_per_s]
    curves = []
    for passed in (True, False):
        points = [
            Point(t.offered_mbit_per_s, t.mbit_per_s or 0.0, note=t.shortfall or "met")
            for t in trials if (t.shortfall is None) == passed
        ]  # fmt: skip
        told = name if passed else f"{name}, not met"
        curves.append(Curve(told, label, points, line=False, hollow=not passed))
    carried = [t.mbit_per_s for t in trials if t.mbit_per_s]
    if found.sustained and carried:
        at = found.sustained.value
        ends = [Point(at, min(carried)), Point(at, max(carried))]
        curves.append(Curve(f"{name}, sustained", label, ends, marks=False, thin=True))
    return [curve for curve in curves if curve.points]


CHART = ChartKind(
    "capacity-trials", "Trials of the search for capacity", "capacity",
    "Each trial offers samples at a rate; filled: it met the criterion, hollow: it did not. On the "
    "dotted line everything offered arrives. Vertical: the greatest rate that was sustained.",
    "cases of the test capacity with a finished trial", lambda case: case.capacity, _draw,
)  # fmt: skip
