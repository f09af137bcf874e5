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
    Columns,
    Content,
    Document,
    GroupedTable,
    StandIn,
    Statement,
    fixed,
    micro,
    table,
)
from busmark.plugins.papers.evidence import ABOVE, ALL, BELOW, alike
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

LATENCY = (
    Statement(
        "§4.2.3, Tables 0 and 4 (1A, 2A)",
        "Latency is lower in latency mode than in throughput mode, at small sizes by far.",
        for_each(PLACES, Ratio, "mean latency to 512 bytes, latency mode over throughput mode",
                 latency(sized(most=512)), throughput(), BELOW, WHATEVER_MODE, mean),
    ),
    Statement(
        "§4.2.3, Tables 0 and 4 (1A, 2A)",
        "Percentiles of both modes are somewhat comparable in the 7th and 8th rows.",
        for_each(PLACES, Ratio, "median at 2048 and 4096 bytes, latency mode over throughput mode",
                 latency(sized(2048, 4096)), throughput(), alike(COMPARABLE), WHATEVER_MODE,
                 median),
    ),
    Statement(
        "§4.2.3, Table 5 (2B); §4.4.2, Figure 31",
        "In latency mode far fewer samples arrive.",
        for_each(PLACES, Ratio, "samples/s to 512 bytes, latency mode over throughput mode",
                 latency(sized(most=512)), throughput(), BELOW, WHATEVER_MODE, samples_per_s),
    ),
    Statement(
        "§4.4.2, Figures 16 and 32",
        "At large sizes latency mode carries more Mbit/s than throughput mode.",
        for_each(PLACES, Ratio, "Mbit/s from 8192 bytes on, latency mode over throughput mode",
                 latency(sized(8192)), throughput(), ABOVE, WHATEVER_MODE, mbit_per_s),
        remark="A ping-pong cannot give that: 155 295 samples/s at a mean latency of 182 µs, of "
               "which a round trip each would take 56 s in every second. The pings here wait for "
               "their pongs.",
    ),
    Statement(
        "§4.4.1, Figure 27",
        "In latency mode latency starts at 180 µs and falls to the area of 60 µs as samples grow.",
        for_each(PLACES, Steps, "mean latency, 40000 bytes over 32", latency(), BELOW, mean,
                 ends=True),
    ),
    Statement(
        "§4.4.2 and §4.4.4, Figures 31 and 39",
        "In latency mode, too, samples/s dip and Mbit/s rise as samples grow.",
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
    ),
    Statement(
        "Tables 5 and 7 (2B, 4B)",
        "No sample was lost.",
        for_each(PLACES, delivered, "pings answered over sent", latency(), ALL),
    ),
    Statement(
        "§4.2.4 and §4.4.3, Tables 4 and 6 (2A, 4A)",
        "In the second campaign mean latency is lower.",
        for_each(PLACES, Second, "mean latency, second campaign over first", latency(), BELOW,
                 mean),
    ),
    Statement(
        "§4.2.4, Table 6 (4A)",
        "In the second campaign the greatest latency stays below 300 µs, which it often did not in "
        "the first.",
        for_each(PLACES, Second, "greatest latency, second campaign over first", latency(), BELOW,
                 greatest),
    ),
    Statement(
        "§4.2.4, Tables 5 and 7 (2B, 4B)",
        "In the second campaign throughput is higher from the sixth row on.",
        for_each(PLACES, Second, "Mbit/s from 1024 bytes on, second campaign over first",
                 latency(sized(1024)), ABOVE, mbit_per_s),
    ),
    Statement(
        "§4.2.3, Table 4 (2A)",
        "At 8192 bytes an outlier set all figures to 6256 µs.",
        remark="The test ended with a single ping: its standard deviation is 0, and 100 000 "
        "samples arrived where its neighbours have millions. A round like that is marked here "
        "and never averaged in.",
    ),
    Statement(
        "§5.1 and §5.3",
        "A second vendor, and the secured run, could not be measured.",
        remark="The second vendor and a third are next to the first in every table here. The pack "
        "secured-2023 has the secured run.",
    ),
)  # fmt: skip


deviation = of_latency(lambda of: of.std_ns)

THROUGHPUT = (
    Statement(
        "§4.2.1, Table 0 (1A)",
        "In throughput mode latency falls as samples grow.",
        for_each(PLACES, Steps, "mean latency, each size over the one before, to 8192 bytes",
                 throughput(sized(most=8192)), BELOW, mean),
        remark="There, samples below 8192 bytes wait until a batch is full. Nothing is batched "
        "here.",
    ),
    Statement(
        "§4.2.1, Table 0 (1A)",
        "The pattern switches in the last rows, where latency gets worse.",
        for_each(PLACES, Steps, "mean latency, each size over the one before, from 16384 bytes",
                 throughput(sized(16384)), ABOVE, mean),
    ),
    Statement(
        "§4.3.1, Figure 11",
        "The standard deviation of latency is high at the smallest sizes and low later.",
        for_each(PLACES, Steps, "standard deviation, 8192 bytes over 32",
                 throughput(sized(most=8192)), BELOW, deviation, ends=True),
    ),
    Statement(
        "§4.2.1, Table 1 (1B); Figure 15",
        "As samples grow, fewer of them arrive per second.",
        for_each(PLACES, Steps, "samples/s, each size over the one before", throughput(), BELOW,
                 samples_per_s),
    ),
    Statement(
        "§4.2.1, Table 1 (1B); Figure 16",
        "As samples grow, the throughput in Mbit/s rises.",
        for_each(PLACES, Steps, "Mbit/s, each size over the one before", throughput(), ABOVE,
                 mbit_per_s),
    ),
    Statement(
        "Tables 1 and 3 (1B, 3B)",
        "No sample was lost.",
        for_each(PLACES, delivered, "samples received over sent", throughput(), ALL),
    ),
    Statement(
        "§4.2.2, Tables 0 and 2 (1A, 3A)",
        "In the second campaign latency is higher in the first three rows.",
        for_each(PLACES, Second, "mean latency, second campaign over first, to 128 bytes",
                 throughput(sized(most=128)), ABOVE, mean),
    ),
    Statement(
        "§4.3.3 and §4.3.4, Figures 19 to 26",
        "Otherwise the two campaigns nearly overlap; the first carried somewhat more.",
        for_each(PLACES, Second, "Mbit/s, second campaign over first", throughput(), alike(),
                 mbit_per_s),
    ),
    Statement(
        "§4.3.1, Figures 13 and 14",
        "The share of the twelve mean latencies below 1900 to 3500 µs is 0.82.",
        remark="A distribution over the sizes that were chosen, of one machine's figures.",
    ),
)  # fmt: skip


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


PERFTEST = Document(
    title="Perftest 2023",
    source="A. Nowacki: Experimental Performance Evaluation of Data Distribution Service software, "
    "master's thesis, City, University of London, 2023, and the spreadsheet of its tables",
    stand_ins=(
        StandIn("RTI Connext DDS 6.1.1, UDPv4 & SHMEM", "RTI Connext DDS of RTI Connector, shared "
                "memory (rti, shm)",
                "on one host Connext sends through shared memory if it may"),
        StandIn("in addition", "RTI Connext DDS, Eclipse Cyclone DDS, Fast DDS over UDP (rti, "
                "cyclonedds, fastdds)",
                "the same test, machine and run for three vendors, over the one transport that all "
                "of them have; the thesis could measure one vendor"),
        StandIn("RTI Perftest 4.1", "Busmark's own workload",
                "throughput mode: a stream at full speed in which every n-th sample on average "
                "is echoed; latency mode: ping-pong"),
        StandIn("Tests 1 to 4", "the earlier half of all rounds is campaign one, the later half "
                "campaign two",
                "rounds of all cases are interleaved, so both campaigns meet the same machine"),
    ),
    deviations=(
        "Domain 137 in place of 337: RTPS over UDP has ports for domains up to 232.",
        "One latency ping per 1000 samples, as the thesis writes, in the full pack; the parameters "
        "printed with its tables say 100 000. The quick pack, whose rounds are short, has one in "
        "100.",
        "In latency mode each ping waits for its pong, as the thesis describes it. The settings "
        "printed with tables 2A to 4B say “THROUGHPUT TEST” without batching, and their "
        "samples/s are too many for a ping-pong.",
        "Perftest gathers small samples to batches of 8192 bytes in throughput mode; none of the "
        "three does that here.",
        "Perftest's lengths include its 28 bytes of header; lengths here are of the body, to which "
        "64 bytes of header are added.",
        "The thesis shows the least latency at 99.99 and 99.9999 %, which so few pings cannot "
        "give; here such a percentile is left out.",
        "Java on Windows 10, four cores; here native code on Linux, the two participants on a CPU "
        "each.",
        "The vendors' own tuning (profile tuned), as Perftest brings one for its vendor.",
    ),
    statements=THROUGHPUT + LATENCY,
    tables=tables,
    value_by_value=True,
)  # fmt: skip
