"""A sheet for each test of a publisher and a subscriber over several sizes."""

from __future__ import annotations

from collections.abc import Sequence

from busmark.analysis.across.dimensions import placement_short, placement_text
from busmark.analysis.across.pairs import Pair, PairRow
from busmark.analysis.across.perftest import PERCENTS
from busmark.analysis.words.naming import described
from busmark.report.workbook import charts, table
from busmark.report.workbook.book import FIRST_ROW, Book, Sheet
from busmark.report.workbook.names import LONGEST_NAME, told_apart
from busmark.report.workbook.styles import Kind
from busmark.report.workbook.table import Column, Value, micros

MODES = {"latency": "latency mode", "throughput": "throughput mode"}
EMPTY = "Empty: not enough samples to tell."
QUANTITIES = {"half_round_trip": "RTT/2", "one_way": "one-way", "round_trip": "round trip"}


def sheets(book: Book, pairs: Sequence[Pair]) -> dict[str, str]:
    """The sheets; by case, the name of its sheet."""
    found: dict[str, str] = {}
    numbers = max((len(str(pair.number)) for pair in pairs), default=1)
    names = told_apart([_parts(pair) for pair in pairs], LONGEST_NAME - numbers - 1)
    for pair, own in zip(pairs, names, strict=True):
        name = _sheet(book, pair, own).name
        found |= {row.case: name for row in pair.rows}
    return found


def _parts(pair: Pair) -> tuple[str, ...]:
    """What a pair is, in few words: of those with one label, by what they differ."""
    return (
        pair.label, pair.test, "" if pair.is_floor else placement_short(pair.placement),
        described(pair.workload), pair.part.partition(" (")[0],
    )  # fmt: skip


def _sheet(book: Book, pair: Pair, name: str) -> Sheet:
    where = f"{MODES[pair.test]}, {placement_text(pair.placement)}"
    where += f", {described(pair.workload)}" if described(pair.workload) else ""
    where += f", {pair.part}" if pair.part else ""
    sheet = book.sheet(
        f"{pair.number} {name}",
        f"Test {pair.number}: {pair.label}",
        f"{where}; latency (A) and throughput (B) by size",
        note=f"{where[0].upper()}{where[1:]}. {_note(pair)}",
    )
    columns = _columns(pair)
    shown, _ = table.write(sheet, FIRST_ROW, columns, pair.rows, frozen=1, pages=1)
    first = FIRST_ROW + 2
    last = first + len(pair.rows) - 1
    _charts(sheet, pair, {column.title: n for n, column in enumerate(shown)}, first, last)
    return sheet


def _quantities(pair: Pair) -> str:
    told = dict.fromkeys(row.publisher.quantity for row in pair.rows if row.publisher)
    return " and ".join(QUANTITIES.get(quantity, quantity) for quantity in told)


def _note(pair: Pair) -> str:
    if pair.test == "latency":
        return (
            "A: half of each round trip of a ping. B: the pings that arrived; a ping waits for its "
            f"pong, so this is no goodput. {EMPTY}"
        )
    return (
        "A: latency of samples within the stream that are echoed, as half a round trip, or one-way "
        "where nothing is echoed. B: what arrived of the stream; rates are of a typical round. "
        + EMPTY
    )


def _columns(pair: Pair) -> list[Column[PairRow]]:
    a = f"{pair.number}A  Publisher: latency ({_quantities(pair) or 'none measured'})"
    b = f"{pair.number}B  Subscriber: throughput"

    def latency(title: str, field: str) -> Column[PairRow]:
        def value(row: PairRow) -> Value:
            return micros(getattr(row.publisher, field)) if row.publisher else None

        return Column(title, "us", value, a)

    def percentile(percent: float) -> Column[PairRow]:
        def value(row: PairRow) -> Value:
            return micros(row.publisher.percentiles_ns.get(percent)) if row.publisher else None

        return Column(f"{percent:g} %", "us", value, a, keep=True)

    def arrived(title: str, kind: Kind, field: str) -> Column[PairRow]:
        def value(row: PairRow) -> Value:
            return getattr(row.subscriber, field) if row.subscriber else None

        return Column(title, kind, value, b, keep=True)

    return [
        Column("Size", "bytes", lambda row: row.size),
        latency("Average", "mean_ns"),
        latency("Std", "std_ns"),
        latency("Min", "min_ns"),
        latency("Max", "max_ns"),
        *(percentile(percent) for percent in PERCENTS),
        Column("Count", "count", lambda row: row.publisher.count if row.publisher else None, a),
        arrived("Total samples", "count", "samples"),
        arrived("Average samples/s", "rate", "samples_per_s"),
        arrived("Average Mbit/s", "mbit", "mbit_per_s"),
        arrived("Lost samples", "count", "lost"),
        arrived("Lost", "share", "loss_share"),
    ]


def _charts(sheet: Sheet, pair: Pair, shown: dict[str, int], first: int, last: int) -> None:
    """Latency and throughput over size; `shown` is where columns stand, by title."""
    book = sheet.book
    label = charts.label_of(book.campaign, pair.label)
    sizes = [float(row.size) for row in pair.rows]

    def curves(wanted: Sequence[str]) -> list[charts.Curve]:
        head = FIRST_ROW + 1
        return [
            charts.Curve(
                label.model_copy(update={"variant": label.variant + number}),
                sheet.cells(shown[title], head, head),
                sheet.cells(0, first, last),
                sheet.cells(shown[title], first, last),
            )
            for number, title in enumerate(wanted)
        ]  # fmt: skip

    told = [row.publisher for row in pair.rows if row.publisher]
    latencies = [v / table.MICRO for p in told for v in (p.min_ns, p.max_ns) if v]
    rates = [r.subscriber.mbit_per_s for r in pair.rows if r.subscriber and r.subscriber.mbit_per_s]
    below = last + 2
    if told:
        quantity = _quantities(pair)
        chart = charts.over_size(
            book, f"{pair.number}A  Latency over size", f"{quantity}, µs",
            curves(["Average", "Min", "50 %", "99 %", "Max"]), sizes, latencies,
        )  # fmt: skip
        charts.place(sheet, below, 0, chart)
    if rates:
        chart = charts.over_size(
            book, f"{pair.number}B  Throughput over size", "Mbit/s", curves(["Average Mbit/s"]),
            sizes, rates,
        )  # fmt: skip
        chart.set_legend({"none": True})
        charts.place(sheet, below, 1, chart)
