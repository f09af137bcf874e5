"""Cases that differ in size only, as a test of two parties in the columns of RTI Perftest: what the
publisher reports of latency (A), and what the subscriber reports of throughput (B)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from busmark.compare.campaign import Campaign
from busmark.model.case import CaseSummary
from busmark.model.naming import Label, described, placement_text
from busmark.model.quantities.stream import GOODPUT, LOSS, LOST, READ, RECEIVED, SENT
from busmark.present.charts import look
from busmark.present.charts.shapes import Axis, DrawnCurve, Picture, Plot, Point
from busmark.present.document import ABSENT, Block, Cell, Chart, Column, Kind, Row, Section, Table
from busmark.present.figures import quantity_name

TESTS = ("latency", "throughput")
"""Tests with a publisher and a subscriber."""

PERCENTS = (50.0, 90.0, 99.0, 99.99, 99.9999)
"""Percentiles in the publisher's columns."""

DRAWN = ("Average", "Min", "50 %", "99 %", "Max")
"""Figures of the publisher that have a curve."""

ARRIVALS: dict[str, tuple[Kind, str]] = {
    "Total samples": ("count", ""),
    "Average samples/s": ("number", ""),
    "Average": ("number", "Mbit/s"),
    "Lost samples": ("count", ""),
    "Lost": ("number", "1"),
}
"""Columns of the subscriber: kind and unit."""


Figures = dict[str, float | None]
"""Figures by the heading of their column."""


@dataclass(frozen=True, slots=True)
class Size:
    """One size of a test: latency as the publisher sees it, and what arrived at the subscriber."""

    case: str
    size: int
    quantity: str = ""
    """Half the round trips of pings, or of a stream's echoed probes; one-way where nothing is
    echoed; empty where nothing is timed."""
    count: int | None = None
    latencies: Figures = field(default_factory=dict)
    arrivals: Figures = field(default_factory=dict)
    """Figures of the subscriber, in the rounds that count. Rates are of a typical round."""


@dataclass(frozen=True, slots=True)
class TestPair:
    """One test over several sizes. Its halves are called A, the publisher's, and B."""

    number: int
    """Number from 1."""
    test: str
    first: CaseSummary
    rows: list[Size]
    """Rows in order of size."""


def pairs(campaign: Campaign) -> list[TestPair]:
    """Return the tests that have several sizes, in the order of the groups; floors last."""
    by_id = {case.id: case for case in campaign.cases}
    members = [by_id[c] for group in campaign.groups for c in group.cases]
    floors = [by_id[c] for group in campaign.groups for c in group.floors]
    scans: dict[tuple[object, ...], dict[str, CaseSummary]] = {}
    for case in [*members, *floors]:
        if case.test in TESTS and case.size is not None:
            key = (case.test, case.placement, case.label, *case.workload.items())
            scans.setdefault(key, {})[case.id] = case
    wanted = [
        sorted(scan.values(), key=lambda case: (case.size or 0, case.id))
        for scan in scans.values()
        if len({case.size for case in scan.values() if case.has_pings or case.has_stream}) > 1
    ]
    return [
        TestPair(number, scan[0].test, scan[0], [_size(case) for case in scan])
        for number, scan in enumerate(wanted, 1)
    ]


def _size(case: CaseSummary) -> Size:
    found = case.rtt_2
    if case.has_stream:
        found = case.round_trip.halved() if case.round_trip else case.one_way
    if found is None:
        return Size(case.id, case.size or 0, arrivals=_arrivals(case))
    percentiles = {rung.percent: rung.value_ns for rung in found.percentiles}
    latencies = publisher_figures(
        found.mean.value, found.std_ns, found.min_ns, found.max_ns, percentiles
    )
    return Size(case.id, case.size or 0, found.quantity, found.count, latencies, _arrivals(case))


def publisher_figures(
    mean_ns: float,
    std_ns: float | None,
    min_ns: float | None,
    max_ns: float | None,
    percentiles_ns: Mapping[float, float | None],
) -> Figures:
    """Return figures of the publisher, ns, by the headings of their columns."""
    shown = {f"{percent:g} %": percentiles_ns.get(percent) for percent in PERCENTS}
    return {"Average": mean_ns, "Std": std_ns, "Min": min_ns, "Max": max_ns, **shown}


def _arrivals(case: CaseSummary) -> Figures:
    """Return what arrived. Pings are no stream, but this is what the subscriber sees of them."""
    if case.has_stream:
        rate, goodput, loss = (case.whole.value(one) for one in (READ, GOODPUT, LOSS))
        counts = RECEIVED.value(case), LOST.value(case)
        return dict(zip(ARRIVALS, (counts[0], rate, goodput, counts[1], loss), strict=True))
    if not case.has_pings:
        return {}
    counted = [a for a in case.attempts if a.status == "ok" and a.received is not None]
    # The rate of a round belongs to the background stream, if there is one.
    # The measured time is from the first ping to the last pong: at a rate it has a period less
    # than there are pings.
    less = 1 if case.params.rate_hz else 0
    rates = [
        max(a.received - less, 0) / a.measured_s
        for a in counted
        if a.received is not None and a.measured_s
    ]
    rate = sum(rates) / len(rates) if rates else None
    lost, sent = LOST.value(case), SENT.value(case)
    return dict(
        zip(
            ARRIVALS,
            (
                sum(a.received or 0 for a in counted) if counted else None,
                rate,
                None if rate is None or case.size is None else rate * case.size * 8e-6,
                lost,
                lost / sent if lost is not None and sent else None,
            ),
            strict=True,
        )
    )


def tests(campaign: Campaign) -> Iterator[Section]:
    """Return a section for each test over several sizes: its table, and two charts."""
    for pair in pairs(campaign):
        first = pair.first
        label = next(label for label in campaign.labels if label.text == first.label)
        parts = (
            f"{pair.test} mode",
            placement_text(first.placement),
            described(first.workload),
        )
        yield Section(
            f"Test {pair.number}: {first.label}",
            [_table(pair), *_charts(pair, label)],
            summary=", ".join(filter(None, parts)),
            detail=True,
            key=f"test-{pair.number}-{first.label}",
        )


def _quantity(pair: TestPair) -> str:
    found = dict.fromkeys(row.quantity for row in pair.rows if row.quantity)
    return " and ".join(map(quantity_name, found))


def _table(pair: TestPair) -> Table:
    publisher = f"{pair.number}A {_quantity(pair) or 'latency, not measured'}"
    # A ping waits for its pong, so what arrived of them is no goodput.
    what = "pings that arrived" if pair.test == "latency" else "throughput"
    subscriber = f"{pair.number}B {what}"
    columns = [Column("Size, B", [Cell(row.size) for row in pair.rows], "count")]
    for title in dict.fromkeys(title for row in pair.rows for title in row.latencies):
        cells = [Cell(row.latencies.get(title)) for row in pair.rows]
        columns.append(Column(title, cells, "number", "ns", group=publisher, scale="Average"))
    counts = [Cell(row.count) if row.latencies else ABSENT for row in pair.rows]
    columns.append(Column("Count", counts, "count", group=publisher))
    for title, (kind, unit) in ARRIVALS.items():
        cells = [Cell(row.arrivals[title]) if row.arrivals else ABSENT for row in pair.rows]
        columns.append(Column(title, cells, kind, unit, group=subscriber))
    rows = [Row("floor" if pair.first.is_floor else "", case=row.case) for row in pair.rows]
    return Table(columns, rows, key=f"test-{pair.number}")


def _charts(pair: TestPair, label: Label) -> Iterator[Block]:
    """Yield latency and throughput over size, each where it is known."""
    latencies: dict[str, list[Point]] = {}
    rates: list[Point] = []
    for row in pair.rows:
        for title in DRAWN:
            if value := row.latencies.get(title):
                latencies.setdefault(title, []).append(Point(row.size, value / look.MICRO))
        if goodput := row.arrivals.get("Average"):
            rates.append(Point(row.size, goodput))
    for half, title, axis, drawn in (
        ("A", "Latency over size", f"{_quantity(pair)}, µs", latencies),
        ("B", "Throughput over size", "Mbit/s", {"goodput": rates} if rates else {}),
    ):
        curves = [
            DrawnCurve(name, label.model_copy(update={"variant": label.variant + place}), points)
            for place, (name, points) in enumerate(drawn.items())
        ]
        if curves:
            plot = Plot(Axis("size of the body", "sizes"), Axis(axis, "log"), curves)
            shape = Picture((), (), [plot], "")
            name = f"{pair.number}{half}"
            key = re.sub(r"\W+", "-", f"test-{name}-{label.text}").lower()
            yield Chart(key, f"{name} {title}, {label.text}", [shape])
