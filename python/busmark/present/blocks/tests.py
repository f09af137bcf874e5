"""Cases that differ in size only, as a test of two parties in the columns of RTI Perftest: what the
publisher reports of latency (A), and what the subscriber reports of throughput (B)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from busmark import stats
from busmark.compare.campaign import Campaign
from busmark.documents.perftest_2023.tables import number_of
from busmark.estimate.repeated import PERCENTS
from busmark.model.naming import Label, described, placement_text
from busmark.present.blocks.tests import Arrived, Pair, Told, pairs
from busmark.present.charts import look
from busmark.present.charts.panels import Keys
from busmark.present.charts.shapes import Axis, Curve, Picture, Point, Stack
from busmark.present.charts.shapes import Row as Plot
from busmark.present.document import ABSENT, Block, Cell, Chart, Column, Kind, Row, Section, Table

QUANTITIES = {"half_round_trip": "RTT/2", "one_way": "one-way", "round_trip": "round trip"}

DRAWN = ("Average", "Min", "50 %", "99 %", "Max")
"""Figures of the publisher that have a curve."""

ARRIVALS: tuple[tuple[str, Kind, str, Callable[[Arrived], float | None]], ...] = (
    ("Total samples", "count", "", lambda of: of.samples),
    ("Average samples/s", "number", "", lambda of: of.samples_per_s),
    ("Average", "number", "Mbit/s", lambda of: of.mbit_per_s),
    ("Lost samples", "count", "", lambda of: of.lost),
    ("Lost", "number", "1", lambda of: of.loss_share),
)


def tests(campaign: Campaign) -> Iterator[Section]:
    """Return a section for each test over several sizes: its table, and two charts."""
    for pair in pairs(campaign):
        parts = (f"{pair.test} mode", placement_text(pair.placement), described(pair.workload),
                 pair.part)  # fmt: skip
        yield Section(
            f"Test {pair.number}: {pair.label}",
            [_table(pair), *_charts(pair, _label(campaign, pair))],
            summary=", ".join(filter(None, parts)), detail=True,
            key=f"test-{pair.number}-{pair.label}",
        )  # fmt: skip


def _label(campaign: Campaign, pair: Pair) -> Label:
    return next(label for label in campaign.labels if label.text == pair.label)


def _quantity(pair: Pair) -> str:
    found = dict.fromkeys(row.publisher.quantity for row in pair.rows if row.publisher)
    return " and ".join(QUANTITIES.get(quantity, quantity) for quantity in found)


def _latencies(found: Told) -> dict[str, float | None]:
    """Figures of the publisher, in the order of the columns."""
    percentiles = {f"{percent:g} %": found.percentiles_ns.get(percent) for percent in PERCENTS}
    return {"Average": found.mean_ns, "Std": found.std_ns, "Min": found.min_ns,
            "Max": found.max_ns, **percentiles}  # fmt: skip


def _table(pair: Pair) -> Table:
    publisher = f"{pair.number}A latency, {_quantity(pair) or 'not measured'}"
    # A ping waits for its pong, so what arrived of them is no goodput.
    what = "pings that arrived" if pair.test == "latency" else "throughput"
    subscriber = f"{pair.number}B {what}"
    columns = [Column("Size, B", [Cell(row.size) for row in pair.rows], "count")]
    found = [_latencies(row.publisher) if row.publisher else {} for row in pair.rows]
    for title in dict.fromkeys(title for each in found for title in each):
        cells = [Cell(each.get(title)) for each in found]
        columns.append(Column(title, cells, "number", "ns", group=publisher, scale="Average"))
    counts = [Cell(row.publisher.count) if row.publisher else ABSENT for row in pair.rows]
    columns.append(Column("Count", counts, "count", group=publisher))
    for title, kind, unit, arrival in ARRIVALS:
        cells = [Cell(arrival(row.subscriber)) if row.subscriber else ABSENT for row in pair.rows]
        columns.append(Column(title, cells, kind, unit, group=subscriber))
    rows = [Row("floor" if pair.is_floor else "", case=row.case) for row in pair.rows]
    return Table(columns, rows, key=f"test-{pair.number}")


def _charts(pair: Pair, label: Label) -> Iterator[Block]:
    """Latency and throughput over size, each where it is known."""
    latencies: dict[str, list[Point]] = {}
    rates: list[Point] = []
    for row in pair.rows:
        known = _latencies(row.publisher) if row.publisher else {}
        for title in DRAWN:
            if value := known.get(title):
                latencies.setdefault(title, []).append(Point(row.size, value / look.MICRO))
        if row.subscriber and row.subscriber.mbit_per_s:
            rates.append(Point(row.size, row.subscriber.mbit_per_s))
    for half, title, axis, drawn in (
        ("A", "Latency over size", f"{_quantity(pair)}, µs", latencies),
        ("B", "Throughput over size", "Mbit/s", {"goodput": rates} if rates else {}),
    ):
        curves = [
            Curve(name, label.model_copy(update={"variant": label.variant + place}), points)
            for place, (name, points) in enumerate(drawn.items())
        ]
        if curves:
            shape = Picture(
                (), (), Axis("size of the body", "sizes"), Axis(axis, "log"), curves, ""
            )
            name = f"{pair.number}{half}"
            key = re.sub(r"\W+", "-", f"test-{name}-{pair.label}").lower()
            yield Chart(key, f"{name} {title}, {pair.label}", [shape])


FIRST = 3
"""Sizes that a zoomed plot leaves out: the thesis of 2023 takes them for a start of their own."""

VALUES: tuple[tuple[str, str, tuple[tuple[str, str], ...]], ...] = (
    ("A", "latency", (("Average", "average, µs"), ("Std", "standard deviation, µs"),
                      ("Min", "minimum, µs"), ("Max", "maximum, µs"))),
    ("B", "throughput", (("Total samples", "samples"), ("Average samples/s", "samples/s"),
                         ("Average", "Mbit/s"))),
)  # fmt: skip
"""Side, what it reports, and its columns with the titles of their axes; the distribution is of the
last but for latency, whose average comes first."""


def value_by_value(campaign: Campaign) -> Iterator[Section]:
    """Return a section for each data set: every column over the size, whole and without the first
    sizes, and the distribution of its averages over sizes, exact and smoothed."""
    for pair in pairs(campaign):
        label = _label(campaign, pair)
        for side, what, columns in VALUES:
            known = _columns(pair, side)
            drawn = [(title, axis, known[title]) for title, axis in columns if known.get(title)]
            if not drawn:
                continue
            name = f"{number_of(pair)}{side}"
            key = re.sub(r"\W+", "-", f"{name}-{pair.label}").lower()
            keys = (("Test", f"{name}, {pair.label}"),)
            values = known.get("Average")
            title = f"{name} {what}, {pair.test} mode, {pair.label}"
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
            yield Section(title, charts, detail=True, key=f"values-{key}",
                          part="Charts of the data sets", folded=True)  # fmt: skip


def _columns(pair: Pair, side: str) -> dict[str, list[Point]]:
    """The values of a side by their column, over the size, as far as they are known."""
    found: dict[str, list[Point]] = {}
    for row in pair.rows:
        if side == "A" and row.publisher:
            values = {name: None if value is None else value / look.MICRO
                      for name, value in _latencies(row.publisher).items()}  # fmt: skip
        elif side == "B" and row.subscriber:
            values = {name: of(row.subscriber) for name, _, _, of in ARRIVALS}
        else:
            continue
        for name, value in values.items():
            if value is not None:
                found.setdefault(name, []).append(Point(row.size, value))
    return found


def _plots(keys: Keys, drawn: Sequence[tuple[str, str, list[Point]]], label: Label) -> Stack:
    x = Axis("size of the body", "sizes")
    return Stack(keys, (), [
        Plot(title, x, Axis(axis), [Curve("", label, points)]) for title, axis, points in drawn
    ], "a point for each size")  # fmt: skip


def _distribution(keys: Keys, axis: str, points: Sequence[Point], label: Label) -> Picture:
    values = sorted(point.y for point in points)
    exact = [Point(y, 100 * at / len(values)) for at, y in enumerate(values, 1)]
    exact.insert(0, Point(values[0], 0.0))
    curves = [Curve("exact", label, exact, marks=False, steps=True, dash="solid")]
    if smooth := stats.kernel_estimate(np.asarray(values), window=(1.0, 99.0)):
        shares = zip(smooth.at, 100 * smooth.cumulative, strict=True)
        curves.append(Curve("smoothed by a Gaussian kernel", label,
                            [Point(float(x), float(y)) for x, y in shares],
                            marks=False, dash="dot"))  # fmt: skip
    return Picture(keys, (), Axis(axis), Axis("share of sizes at or below, %", ends=(0.0, 100.0)),
                   curves, f"of {len(values)} sizes")  # fmt: skip
