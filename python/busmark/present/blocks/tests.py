"""Cases that differ in size only, as a test of two parties in the columns of RTI Perftest: what the
publisher reports of latency (A), and what the subscriber reports of throughput (B)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from busmark.compare.campaign import Campaign
from busmark.estimate.repeated import PERCENTS
from busmark.model.naming import Label, described, placement_text
from busmark.present.blocks.tests import Arrived, Pair, Told, pairs
from busmark.present.charts import look
from busmark.present.charts.shapes import Axis, Curve, Picture, Point
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
