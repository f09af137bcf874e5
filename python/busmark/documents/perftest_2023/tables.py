"""Tables 0 to 7 of the thesis, its tests 1A to 4B, in Perftest's own columns."""

from __future__ import annotations

from busmark.compare.campaign import Campaign
from busmark.documents.table import Table
from busmark.estimate.repeated import PERCENTS
from busmark.model.text import ABSENT, count, number
from busmark.present.blocks.tests import Pair, PairRow, pairs

PUBLISHER = (
    "Length, B", "Ave, µs", "Std, µs", "Min, µs", "Max, µs",
    *(f"{percent:g} %, µs" for percent in PERCENTS),
)  # fmt: skip

SUBSCRIBER = ("Length, B", "Total samples", "Avg samples/s", "Avg Mbps", "Lost", "Lost, %")

MODES = {
    "throughput": ("Latency is RTT/2 of the samples that are echoed, under the load of the rest; "
                   "it is not one-way."),
    "latency": "Latency is RTT/2 of a ping that waits for its pong; it is not one-way.",
}  # fmt: skip


NUMBERS = {(1, "A"): 0, (1, "B"): 1, (3, "A"): 2, (3, "B"): 3,
           (2, "A"): 4, (2, "B"): 5, (4, "A"): 6, (4, "B"): 7}  # fmt: skip
"""Tables of the thesis, by test and side."""


def number_of(pair: Pair) -> int:
    """Return the test of the thesis; of a campaign that has no halves the first of its mode."""
    return pair.number if pair.part else 1 + (pair.test == "latency")


def tables(campaign: Campaign) -> list[Table]:
    """Return the tables by middleware and transport, each test with its publisher's and its
    subscriber's."""
    found = [pair for pair in pairs(campaign) if not pair.is_floor]
    return [
        table
        for label in dict.fromkeys(pair.label for pair in found)
        for pair in sorted(found, key=number_of) if pair.label == label
        for table in (_publisher(pair), _subscriber(pair))
        if any(cell != ABSENT for row in table.rows for cell in row[1:])
    ]  # fmt: skip


def _title(pair: Pair, side: str, what: str) -> str:
    own = number_of(pair)
    part = f", {pair.part}" if pair.part else ""
    return f"{own}{side}: {what}, {pair.test} mode{part}, Table {NUMBERS[own, side]} of the thesis"


def _publisher(pair: Pair) -> Table:
    halves = all(r.publisher.quantity == "half_round_trip" for r in pair.rows if r.publisher)
    mode = MODES[pair.test] if halves else "Latency is one-way, as the source states it."
    return Table(
        group=pair.label,
        title=_title(pair, "A", "publisher"),
        columns=PUBLISHER,
        rows=tuple(_latencies(row) for row in pair.rows),
        note=f"{mode} A percentile with fewer than ten samples beyond it is left out ({ABSENT}).",
    )


def _latencies(row: PairRow) -> tuple[str, ...]:
    found = row.publisher
    if found is None:
        return str(row.size), *[ABSENT] * (len(PUBLISHER) - 1)
    percentiles = [found.percentiles_ns.get(percent) for percent in PERCENTS]
    values = (found.mean_ns, found.std_ns, found.min_ns, found.max_ns, *percentiles)
    return str(row.size), *(number(None if ns is None else ns / 1e3) for ns in values)


def _subscriber(pair: Pair) -> Table:
    pings = " Samples are pings that were answered; lost are those that were not."
    return Table(
        group=pair.label,
        title=_title(pair, "B", "subscriber"),
        columns=SUBSCRIBER,
        rows=tuple(_arrivals(row) for row in pair.rows),
        note="Mbps are of bodies." + (pings if pair.test == "latency" else ""),
    )


def _arrivals(row: PairRow) -> tuple[str, ...]:
    found = row.subscriber
    if found is None:
        return str(row.size), *[ABSENT] * (len(SUBSCRIBER) - 1)
    rate, mbit, share = found.samples_per_s, found.mbit_per_s, found.loss_share
    return (
        str(row.size),
        ABSENT if found.samples is None else count(found.samples),
        ABSENT if rate is None else count(round(rate)),
        ABSENT if mbit is None else f"{mbit:.1f}",
        ABSENT if found.lost is None else count(found.lost),
        ABSENT if share is None else f"{share * 100:.2f}",
    )
