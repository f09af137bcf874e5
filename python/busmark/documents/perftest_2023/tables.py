"""Tests 1A to 4B, in Perftest's own columns."""

from __future__ import annotations

from busmark.compare.campaign import Campaign
from busmark.documents.table import Table
from busmark.estimate.repeated import PERCENTS, PerftestTest
from busmark.model.text import ABSENT, count, number, plural

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


def tables(campaign: Campaign) -> list[Table]:
    """By middleware and transport, each test with its publisher's and its subscriber's table."""
    tests = sorted(campaign.perftest, key=lambda test: test.number)
    labels = dict.fromkeys(test.label for test in campaign.perftest)
    return [
        table
        for label in labels
        for test in tests
        if test.label == label
        for table in (_publisher(test), _subscriber(test))
    ]


def _title(test: PerftestTest, side: str, what: str) -> str:
    mode = f"{test.mode} mode, campaign {('one', 'two')[test.campaign - 1]}"
    return f"{test.number}{side}: {what}, {mode}"


def _publisher(test: PerftestTest) -> Table:
    return Table(
        group=test.label,
        title=_title(test, "A", "publisher"),
        columns=PUBLISHER,
        rows=tuple(
            (
                str(row.length),
                *(
                    _micro(ns)
                    for ns in (row.ave_ns, row.std_ns, row.min_ns, row.max_ns, *row.percentiles_ns)
                ),
            )
            for row in test.publisher
        ),
        note=f"{MODES[test.mode]} {plural(test.rounds, 'round')} of each size together. A "
        f"percentile with fewer than ten samples beyond it is left out ({ABSENT}).",
    )


def _subscriber(test: PerftestTest) -> Table:
    return Table(
        group=test.label,
        title=_title(test, "B", "subscriber"),
        columns=SUBSCRIBER,
        rows=tuple(
            (
                str(row.length),
                count(row.samples),
                ABSENT if row.samples_per_s is None else count(round(row.samples_per_s)),
                ABSENT if row.mbit_per_s is None else f"{row.mbit_per_s:.1f}",
                count(row.lost),
                ABSENT if row.lost_share is None else f"{row.lost_share * 100:.2f}",
            )
            for row in test.subscriber
        ),
        note="Mbps are of bodies."
        + (
            " Samples are pings that were answered; lost are those that were not."
            if test.mode == "latency"
            else ""
        ),
    )


def _micro(ns: float | None) -> str:
    return number(None if ns is None else ns / 1e3)
