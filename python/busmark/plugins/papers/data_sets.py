"""The data sets of a document: tests of a publisher and a subscriber, value by value over the
size."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from busmark import stats
from busmark.compare.campaign import Campaign
from busmark.model.case import CaseSummary
from busmark.model.naming import Label
from busmark.model.text import number, plural, size_text
from busmark.plugins.papers.rounds import Half
from busmark.present.blocks.tests import (
    ARRIVALS,
    PERCENTS,
    Figures,
    Size,
    TestPair,
    publisher_figures,
)
from busmark.present.blocks.tests import pairs as whole_pairs
from busmark.present.charts import look
from busmark.present.charts.shapes import Axis, DrawnCurve, Keys, Picture, Plot, Point
from busmark.present.document import Chart, Section

FIRST = 3
"""Sizes that a zoomed plot leaves out: the thesis of 2023 takes them for a start of their own."""

VALUES: tuple[tuple[str, str, tuple[tuple[str, str], ...]], ...] = (
    ("A", "latency", (("Average", "average, µs"), ("Std", "standard deviation, µs"),
                      ("Min", "minimum, µs"), ("Max", "maximum, µs"))),
    ("B", "throughput", (("Total samples", "samples"), ("Average samples/s", "samples/s"),
                         ("Average", "Mbit/s"), ("Lost samples", "lost samples"))),
)  # fmt: skip
"""Side, what it reports, and its columns with the titles of their axes; the distribution is of the
column "Average"."""


@dataclass(frozen=True, slots=True)
class PaperPair(TestPair):
    """A test of the thesis over several sizes."""

    part: str = ""
    """Campaign of the thesis, which is half of all rounds; empty: the whole."""

    @property
    def of_thesis(self) -> int:
        """Number of the test in the thesis; of a campaign that has no halves the first of its
        mode."""
        return self.number if self.part else 1 + (self.test == "latency")


def pairs(campaign: Campaign) -> list[PaperPair]:
    """Return the tests of the thesis, throughput mode first, the first campaign before the second;
    where no publisher has figures of halves, the tests of the whole campaign."""
    scans: dict[tuple[int, str], list[tuple[CaseSummary, Half]]] = {}
    for case in campaign.cases:
        part = case.plugins.get("papers")
        for place, half in enumerate(part.halves if part else ()):
            number = place * 2 + (1 if case.test == "throughput" else 2)
            scans.setdefault((number, case.label), []).append((case, half))
    if not any(half.publisher for scan in scans.values() for _, half in scan):
        return [
            PaperPair(each.number, each.test, each.first, each.rows)
            for each in whole_pairs(campaign)
        ]
    order = sorted(scans.items(), key=lambda scan: scan[0][0])
    return [
        _pair(number, sorted(scan, key=lambda entry: entry[0].size or 0))
        for (number, _), scan in order
    ]


def _pair(number: int, scan: Sequence[tuple[CaseSummary, Half]]) -> PaperPair:
    first = scan[0][0]
    rounds = plural(max(half.rounds for _, half in scan), "round")
    mode = "throughput" if first.test == "throughput" else "latency"
    part = f"campaign {(number + 1) // 2} ({rounds})"
    return PaperPair(number, mode, first, [_row(case, half) for case, half in scan], part)


def _row(case: CaseSummary, half: Half) -> Size:
    arrived = half.subscriber.model_dump()
    arrivals: Figures = dict(zip(ARRIVALS, arrived.values(), strict=True))
    if (found := half.publisher) is None:
        return Size(case.id, case.size or 0, arrivals=arrivals)
    percentiles = dict(zip(PERCENTS, found.percentiles_ns, strict=True))
    latencies = publisher_figures(
        found.ave_ns, found.std_ns, found.min_ns, found.max_ns, percentiles
    )
    return Size(case.id, case.size or 0, "half_round_trip", found.count, latencies, arrivals)


def value_by_value(campaign: Campaign) -> Iterator[Section]:
    """Return a section for each data set: every column over the size, whole and without the first
    sizes, and the distribution of its averages over sizes, exact and smoothed."""
    labels = {label.text: label for label in campaign.labels}
    for pair in pairs(campaign):
        label = labels[pair.first.label]
        for side, what, columns in VALUES:
            known = _columns(pair, side)
            drawn = [(title, axis, known[title]) for title, axis in columns if known.get(title)]
            if not drawn:
                continue
            name = f"{pair.of_thesis}{side}"
            key = re.sub(r"\W+", "-", f"{name}-{label.text}").lower()
            keys = (("Test", f"{name}, {label.text}"),)
            values = known.get("Average")
            title = f"{name} {what}, {pair.test} mode, {label.text}"
            zoomed = [(head, axis, points[FIRST:]) for head, axis, points in drawn]
            shapes = [_plots((*keys, ("Sizes", "all")), drawn, label)]
            if all(points for *_, points in zoomed):
                words = f"without the {FIRST} smallest"
                shapes.append(_plots((*keys, ("Sizes", words)), zoomed, label))
            charts = [Chart(f"values-{key}", f"Value by value: {title}", shapes)]
            if values:
                axis = dict(columns)["Average"]
                share = f"Distribution of {axis} over sizes: {title}"
                shape = _distribution(keys, axis, values, label)
                charts.append(Chart(f"shares-{key}", share, [shape]))
            yield Section(
                title,
                charts,
                detail=True,
                key=f"values-{key}",
                part="Charts of the data sets",
                folded=True,
            )


def _columns(pair: TestPair, side: str) -> dict[str, list[Point]]:
    """Return the values of a side by their column, over the size, as far as they are known."""
    found: dict[str, list[Point]] = {}
    for row in pair.rows:
        factor = look.MICRO if side == "A" else 1.0
        for name, value in (row.latencies if side == "A" else row.arrivals).items():
            if value is not None:
                found.setdefault(name, []).append(Point(row.size, value / factor))
    return found


def _plots(keys: Keys, drawn: Sequence[tuple[str, str, list[Point]]], label: Label) -> Picture:
    x = Axis("size of the body", "sizes")
    plots = [
        Plot(x, Axis(axis), [DrawnCurve("", label, points)], heading=title)
        for title, axis, points in drawn
    ]
    return Picture(keys, (), plots, "; ".join(_range(title, points) for title, _, points in drawn))


def _range(title: str, points: Sequence[Point]) -> str:
    """Return least and greatest value of a column, each with its size."""
    least, most = (end(points, key=lambda point: point.y) for end in (min, max))
    if least.y == most.y:
        return f"{title}: {number(least.y)} at all {len(points)} sizes"
    ends = (f"{number(each.y)} at {size_text(round(each.x))}" for each in (least, most))
    return f"{title}: from {' to '.join(ends)}"


def _distribution(keys: Keys, axis: str, points: Sequence[Point], label: Label) -> Picture:
    values = sorted(point.y for point in points)
    exact = [Point(y, 100 * at / len(values)) for at, y in enumerate(values, 1)]
    exact.insert(0, Point(values[0], 0.0))
    curves = [DrawnCurve("exact", label, exact, marks=False, steps=True, dash="solid")]
    if smooth := stats.kernel_estimate(np.asarray(values), window=(1.0, 99.0)):
        shares = zip(smooth.at, 100 * smooth.cumulative, strict=True)
        curves.append(
            DrawnCurve(
                "smoothed by a Gaussian kernel",
                label,
                [Point(float(x), float(y)) for x, y in shares],
                marks=False,
                dash="dot",
            )
        )
    y = Axis("share of sizes at or below, %", ends=(0.0, 100.0))
    half = values[(len(values) - 1) // 2]
    caption = f"{len(values)} sizes; at half of them {axis} is at most {number(half)}"
    return Picture(keys, (), [Plot(Axis(axis), y, curves)], caption)
