"""The data sets of a document: tests of a publisher and a subscriber, value by value over the
size."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import numpy as np

from busmark import stats
from busmark.compare.campaign import Campaign
from busmark.model.naming import Label
from busmark.model.text import number, size_text
from busmark.present.blocks.tests import Pair, pairs
from busmark.present.charts import look
from busmark.present.charts.shapes import Axis, Curve, Keys, Picture, Plot, Point
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


def number_of(pair: Pair) -> int:
    """Return the test of the thesis; of a campaign that has no halves the first of its mode."""
    return pair.number if pair.part else 1 + (pair.test == "latency")


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
            name = f"{number_of(pair)}{side}"
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


def _columns(pair: Pair, side: str) -> dict[str, list[Point]]:
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
        Plot(x, Axis(axis), [Curve("", label, points)], heading=title)
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
    curves = [Curve("exact", label, exact, marks=False, steps=True, dash="solid")]
    if smooth := stats.kernel_estimate(np.asarray(values), window=(1.0, 99.0)):
        shares = zip(smooth.at, 100 * smooth.cumulative, strict=True)
        curves.append(
            Curve(
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
