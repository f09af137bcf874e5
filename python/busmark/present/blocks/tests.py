"""Cases that differ in size only, as a test of two parties in the columns of RTI Perftest: what the
publisher reports of latency (A), and what the subscriber reports of throughput (B)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from busmark.compare.campaign import Campaign
from busmark.estimate.case import CaseSummary
from busmark.estimate.repeated import PERCENTS, PerftestTest, PublisherRow
from busmark.model.figure import Distribution, Frozen, Quantity, halved
from busmark.model.naming import Label, described, placement_text
from busmark.model.text import plural
from busmark.present.charts import look
from busmark.present.charts.shapes import Axis, Curve, Picture, Point
from busmark.present.document import ABSENT, Block, Cell, Chart, Column, Kind, Row, Section, Table

TESTS = ("latency", "throughput")
"""Those that have two parties in this sense."""


class Arrived(Frozen):
    """At the subscriber, in the rounds that count. Rates are of a typical round."""

    samples: int | None
    samples_per_s: float | None
    mbit_per_s: float | None
    """Bits of bodies."""
    lost: int | None
    loss_share: float | None
    """Share of the samples sent, 0 to 1."""


class Told(Frozen):
    """Latency as the publisher sees it: half the round trips of pings, or of a stream's echoed
    probes; one-way where nothing is echoed."""

    quantity: Quantity
    count: int | None
    """Null where an imported source does not say; so are the others."""
    mean_ns: float
    std_ns: float | None
    min_ns: float | None
    max_ns: float | None
    percentiles_ns: dict[float, float | None]
    """By percent; null where the count does not support it."""


class PairRow(Frozen):
    """One size."""

    case: str
    size: int
    publisher: Told | None
    subscriber: Arrived | None


class Pair(Frozen):
    """One test over several sizes. Its halves are called A, the publisher's, and B."""

    number: int
    """From 1; of the tests of a document its number there."""
    test: str
    part: str
    """Part of the campaign, such as its first half; empty: the whole."""
    label: str
    placement: str
    workload: dict[str, str]
    is_floor: bool
    rows: list[PairRow]
    """In order of size."""


def pairs(campaign: Campaign) -> list[Pair]:
    """The tests of a campaign that have several sizes, in the order of its groups; floors last."""
    by_id = {case.id: case for case in campaign.cases}
    if campaign.perftest:
        order = sorted(campaign.perftest, key=lambda test: test.number)
        return [_numbered(test, by_id) for test in order if test.subscriber]
    members = [by_id[c] for group in campaign.groups for c in group.cases]
    floors = [by_id[c] for group in campaign.groups for c in group.floors]
    scans: dict[tuple[object, ...], dict[str, CaseSummary]] = {}
    for case in [*members, *floors]:
        if case.test in TESTS and case.size is not None:
            key = (case.test, case.placement, case.label, *case.workload.items())
            scans.setdefault(key, {})[case.id] = case
    wanted = [[*scan.values()] for scan in scans.values() if _has_sizes(scan.values())]
    return [_pair(number, scan) for number, scan in enumerate(wanted, 1)]


def _has_sizes(scan: Iterable[CaseSummary]) -> bool:
    return len({case.size for case in scan if case.latency or case.throughput}) > 1


def _pair(number: int, cases: list[CaseSummary]) -> Pair:
    first = cases[0]
    return Pair(
        number=number,
        test=first.test,
        part="",
        label=first.label,
        placement=first.placement,
        workload=first.workload,
        is_floor=first.is_floor,
        rows=[
            PairRow(
                case=case.id,
                size=case.size or 0,
                publisher=_latency(case),
                subscriber=_stream(case),
            )
            for case in sorted(cases, key=lambda case: (case.size or 0, case.id))
        ],
    )


def _numbered(test: PerftestTest, by_id: dict[str, CaseSummary]) -> Pair:
    """A test of the document that the campaign repeats, as its tables have it."""
    first = by_id[test.subscriber[0].case]
    told = {row.case: row for row in test.publisher}
    return Pair(
        number=test.number,
        test=test.mode,
        part=f"campaign {test.campaign} ({plural(test.rounds, 'round')})",
        label=test.label,
        placement=first.placement,
        workload=first.workload,
        is_floor=first.is_floor,
        rows=[
            PairRow(
                case=row.case,
                size=row.length,
                publisher=_as_printed(told[row.case]) if row.case in told else None,
                subscriber=Arrived(
                    samples=row.samples,
                    samples_per_s=row.samples_per_s,
                    mbit_per_s=row.mbit_per_s,
                    lost=row.lost,
                    loss_share=row.lost_share,
                ),
            )
            for row in test.subscriber
        ],
    )


def _as_printed(row: PublisherRow) -> Told:
    return Told(
        quantity="half_round_trip",
        count=row.count,
        mean_ns=row.ave_ns,
        std_ns=row.std_ns,
        min_ns=row.min_ns,
        max_ns=row.max_ns,
        percentiles_ns=dict(zip(PERCENTS, row.percentiles_ns, strict=True)),
    )


def _latency(case: CaseSummary) -> Told | None:
    found = case.rtt_2
    if case.throughput:
        found = halved(case.throughput.probe_round_trip) or case.throughput.probe_one_way
    return _told(found) if found else None


def _told(found: Distribution) -> Told:
    return Told(
        quantity=found.quantity,
        count=found.count,
        mean_ns=found.mean.value,
        std_ns=found.std_ns,
        min_ns=found.min_ns,
        max_ns=found.max_ns,
        percentiles_ns={rung.percent: rung.value_ns for rung in found.percentiles},
    )


def _stream(case: CaseSummary) -> Arrived | None:
    stream = case.throughput
    if stream:
        return Arrived(
            samples=stream.received,
            samples_per_s=stream.samples_per_s.value if stream.samples_per_s else None,
            mbit_per_s=stream.mbit_per_s.value if stream.mbit_per_s else None,
            lost=stream.lost,
            loss_share=stream.loss_share.value if stream.loss_share else None,
        )
    return _pinged(case) if case.latency else None


def _pinged(case: CaseSummary) -> Arrived:
    """Pings that arrived: they are no stream, but this is what the subscriber sees of them."""
    counted = [a for a in case.attempts if a.status == "ok" and a.received is not None]
    # The rate of a round belongs to the stream beside the pings, if there is one.
    rates = [a.received / a.measured_s for a in counted if a.received is not None and a.measured_s]
    rate = sum(rates) / len(rates) if rates else None
    lost, sent = (case.latency.lost, case.latency.sent) if case.latency else (None, None)
    return Arrived(
        samples=sum(a.received or 0 for a in counted) if counted else None,
        samples_per_s=rate,
        mbit_per_s=None if rate is None or case.size is None else rate * case.size * 8e-6,
        lost=lost,
        loss_share=lost / sent if lost is not None and sent else None,
    )


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
