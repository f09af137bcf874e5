"""RTI Perftest, in throughput and latency mode: a master's thesis of 2023."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from busmark.compare.campaign import Campaign
from busmark.model.text import ABSENT
from busmark.plugins.papers.checks import Ratio, Second, Steps, delivered, for_each
from busmark.plugins.papers.data_sets import PaperPair, pairs
from busmark.plugins.papers.document import (
    Checks,
    Columns,
    Content,
    GroupedTable,
    fixed,
    micro,
    table,
)
from busmark.plugins.papers.evidence import ABOVE, ALL, BELOW, alike
from busmark.plugins.papers.published import document
from busmark.plugins.papers.select import (
    Select,
    Selects,
    Where,
    cases,
    mbit_per_s,
    of_latency,
    samples_per_s,
    sized,
)
from busmark.present.blocks.tests import PERCENTS, Size
from busmark.present.document import ABSENT as EMPTY
from busmark.present.document import Cell


@dataclass(frozen=True, slots=True)
class Place:
    """A middleware over a transport."""

    name: str
    adapter: str
    transport: str

    def __str__(self) -> str:
        return self.name

    def cases(self, test: str, where: Where | None, **params: Any) -> Select:
        """Select its cases of a test."""
        return cases(where, test=test, adapter=self.adapter, transport=self.transport, **params)


PLACES = (
    Place("RTI over shared memory", "rti", "shm"),
    Place("RTI over UDP", "rti", "udp"),
    Place("Cyclone DDS over UDP", "cyclonedds", "udp"),
    Place("Fast DDS over UDP", "fastdds", "udp"),
)
"""The first is what the thesis measured; the others use the transport that all three have."""

WHATEVER_MODE = ("size", "payload", "placement")
"""Parameters in which cases of both modes must agree."""


def throughput(where: Where | None = None, **params: str) -> Selects:
    """Select cases of throughput mode."""
    return Selects(lambda place: place.cases("throughput", where, **params))


def latency(where: Where | None = None, **params: str) -> Selects:
    """Select cases of latency mode."""
    return Selects(lambda place: place.cases("latency", where, **params))


mean = of_latency(lambda of: of.mean_ns)
median = of_latency(lambda of: of.median_ns)
greatest = of_latency(lambda of: of.max_ns)

COMPARABLE = 2.0
"""Within which the thesis calls columns somewhat comparable; in its tables they are within 1.7."""

LATENCY: Checks = {
    "latency-mode-lower":
        for_each(PLACES, Ratio, "mean latency to 512 bytes, latency mode over throughput mode",
                 latency(sized(most=512)), throughput(), BELOW, WHATEVER_MODE, mean),
    "percentiles-comparable":
        for_each(PLACES, Ratio, "median at 2048 and 4096 bytes, latency mode over throughput mode",
                 latency(sized(2048, 4096)), throughput(), alike(COMPARABLE), WHATEVER_MODE,
                 median),
    "latency-mode-fewer-samples":
        for_each(PLACES, Ratio, "samples/s to 512 bytes, latency mode over throughput mode",
                 latency(sized(most=512)), throughput(), BELOW, WHATEVER_MODE, samples_per_s),
    "latency-mode-more-mbit":
        for_each(PLACES, Ratio, "Mbit/s from 8192 bytes on, latency mode over throughput mode",
                 latency(sized(8192)), throughput(), ABOVE, WHATEVER_MODE, mbit_per_s),
    "latency-mode-falls":
        for_each(PLACES, Steps, "mean latency, 40000 bytes over 32", latency(), BELOW, mean,
                 ends=True),
    "latency-mode-sizes":
        tuple(
            check
            for place in PLACES
            for check in (
                *for_each([place], Steps, "samples/s, each size over the one before", latency(),
                          BELOW, samples_per_s),
                *for_each([place], Steps, "Mbit/s, each size over the one before", latency(), ABOVE,
                          mbit_per_s),
            )
        ),
    "no-loss-latency":
        for_each(PLACES, delivered, "pings answered over sent", latency(), ALL),
    "second-campaign-mean":
        for_each(PLACES, Second, "mean latency, second campaign over first", latency(), BELOW,
                 mean),
    "second-campaign-greatest":
        for_each(PLACES, Second, "greatest latency, second campaign over first", latency(), BELOW,
                 greatest),
    "second-campaign-throughput":
        for_each(PLACES, Second, "Mbit/s from 1024 bytes on, second campaign over first",
                 latency(sized(1024)), ABOVE, mbit_per_s),
}  # fmt: skip


deviation = of_latency(lambda of: of.std_ns)

THROUGHPUT: Checks = {
    "falls-with-size":
        for_each(PLACES, Steps, "mean latency, each size over the one before, to 8192 bytes",
                 throughput(sized(most=8192)), BELOW, mean),
    "rises-in-last-rows":
        for_each(PLACES, Steps, "mean latency, each size over the one before, from 16384 bytes",
                 throughput(sized(16384)), ABOVE, mean),
    "deviation-falls":
        for_each(PLACES, Steps, "standard deviation, 8192 bytes over 32",
                 throughput(sized(most=8192)), BELOW, deviation, ends=True),
    "fewer-samples":
        for_each(PLACES, Steps, "samples/s, each size over the one before", throughput(), BELOW,
                 samples_per_s),
    "more-mbit":
        for_each(PLACES, Steps, "Mbit/s, each size over the one before", throughput(), ABOVE,
                 mbit_per_s),
    "no-loss-throughput":
        for_each(PLACES, delivered, "samples received over sent", throughput(), ALL),
    "second-campaign-first-rows":
        for_each(PLACES, Second, "mean latency, second campaign over first, to 128 bytes",
                 throughput(sized(most=128)), ABOVE, mean),
    "campaigns-overlap":
        for_each(PLACES, Second, "Mbit/s, second campaign over first", throughput(), alike(),
                 mbit_per_s),
}  # fmt: skip


def _time(name: str) -> Callable[[Size], Content]:
    return lambda row: micro(row.latencies.get(name))


PUBLISHER: Columns[Size] = {
    "Length, B": lambda row: row.size,
    "Ave, µs": _time("Average"),
    **{f"{name}, µs": _time(name) for name in ("Std", "Min", "Max")},
    **{f"{percent:g} %, µs": _time(f"{percent:g} %") for percent in PERCENTS},
}


def _whole(row: Size, name: str) -> int | None:
    found = row.arrivals.get(name)
    return None if found is None else round(found)


def _lost(row: Size) -> Cell:
    share = row.arrivals.get("Lost")
    return fixed(None if share is None else share * 100, 2)


SUBSCRIBER: Columns[Size] = {
    "Length, B": lambda row: row.size,
    "Total samples": lambda row: _whole(row, "Total samples"),
    "Avg samples/s": lambda row: _whole(row, "Average samples/s"),
    "Avg Mbps": lambda row: fixed(row.arrivals.get("Average"), 1),
    "Lost": lambda row: _whole(row, "Lost samples"),
    "Lost, %": _lost,
}

MODES = {
    "throughput": (
        "Latency is RTT/2 of the samples that are echoed, under the load of the rest; "
        "it is not one-way."
    ),
    "latency": "Latency is RTT/2 of a ping that waits for its pong; it is not one-way.",
}

NUMBERS = {
    (1, "A"): 0,
    (1, "B"): 1,
    (3, "A"): 2,
    (3, "B"): 3,
    (2, "A"): 4,
    (2, "B"): 5,
    (4, "A"): 6,
    (4, "B"): 7,
}
"""Tables of the thesis, by test and side."""


def tables(campaign: Campaign) -> list[GroupedTable]:
    """Return tables 0 to 7, by middleware and transport, each test with its publisher's and its
    subscriber's, in Perftest's own columns."""
    found = [pair for pair in pairs(campaign) if not pair.first.is_floor]
    return [
        made
        for label in dict.fromkeys(pair.first.label for pair in found)
        for pair in sorted(found, key=lambda pair: pair.of_thesis)
        if pair.first.label == label
        for made in (_publisher(pair), _subscriber(pair))
        if any(cell != EMPTY for column in made.table.columns[1:] for cell in column.cells)
    ]


def _title(pair: PaperPair, side: str, what: str) -> str:
    own = pair.of_thesis
    part = f", {pair.part}" if pair.part else ""
    return f"{own}{side}: {what}, {pair.test} mode{part}, Table {NUMBERS[own, side]} of the thesis"


def _publisher(pair: PaperPair) -> GroupedTable:
    halves = all(row.quantity == "half_round_trip" for row in pair.rows if row.latencies)
    mode = MODES[pair.test] if halves else "Latency is one-way, as the source states it."
    note = f"{mode} A percentile with fewer than ten samples beyond it is left out ({ABSENT})."
    return table(pair.first.label, _title(pair, "A", "publisher"), PUBLISHER, pair.rows, note)


def _subscriber(pair: PaperPair) -> GroupedTable:
    pings = " Samples are pings that were answered; lost are those that were not."
    note = "Mbps are of bodies." + (pings if pair.test == "latency" else "")
    return table(pair.first.label, _title(pair, "B", "subscriber"), SUBSCRIBER, pair.rows, note)


PERFTEST = document(__file__, "perftest_2023.toml", THROUGHPUT | LATENCY, tables=tables)
