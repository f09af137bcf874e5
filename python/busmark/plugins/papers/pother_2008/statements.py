"""Statements of the slides on round trips, throughput, scalability and determinism."""

from __future__ import annotations

from collections.abc import Callable

from busmark.model.case import CaseSummary
from busmark.plugins.papers.checks import Each, Ratio, for_each
from busmark.plugins.papers.document import Statement, in_part
from busmark.plugins.papers.evidence import ABOVE, ALL, Check, Claim, about, alike
from busmark.plugins.papers.pother_2008 import published
from busmark.plugins.papers.pother_2008.places import (
    ADAPTERS,
    CLASSES,
    HIGH,
    LOW,
    REAL_TIME,
    SCALING,
    TIME_SHARING,
    of_adapter,
    part_of,
    trips,
)
from busmark.plugins.papers.rounds import SegmentOfRound
from busmark.plugins.papers.select import (
    PerRound,
    Value,
    constant,
    expected,
    of_latency,
    per_round,
    received,
)

PRINTED = published.TIME_SHARING

TRIP = PRINTED.line("trip")

OF_CLASS = {output.fifo: output for output in published.OUTPUTS}


def segment(name: str, figure: Callable[[SegmentOfRound], float | None]) -> Value:
    """Return a value that is a figure of a segment, ns."""
    return of_latency(lambda of: figure(of.segments[name]) if name in of.segments else None)


def mean(of: SegmentOfRound) -> float | None:
    """Return the average."""
    return of.mean_ns


def deviation(of: SegmentOfRound) -> float | None:
    """Return the standard deviation."""
    return of.std_ns


def greatest(of: SegmentOfRound) -> float | None:
    """Return the maximum."""
    return of.max_ns


def at_most(part: float, whole: float) -> Claim:
    """Return the claim: no greater a share than there, to three digits."""
    return Claim(0.0, float(f"{part / whole:.3g}"))


WHOLE = 0.5
"""Averages are printed as whole microseconds: what is printed as 2 was less than 2.5."""


def _of_trip(name: str) -> tuple[Check, ...]:
    printed = PRINTED.line(name)
    return for_each(
        ADAPTERS,
        Each,
        f"average of {name} over trip",
        trips("latency"),
        segment(name, mean),
        segment("trip", mean),
        at_most(printed.average + WHOLE, TRIP.average - WHOLE),
    )


def _by_class(
    what: str,
    figure: Callable[[SegmentOfRound], float | None],
    of: Callable[[published.Line], float],
) -> tuple[Check, ...]:
    return tuple(
        check
        for fifo, printed in OF_CLASS.items()
        for check in for_each(
            ADAPTERS,
            Each,
            f"{what} of a trip over its average, {CLASSES[fifo]}",
            trips("latency", fifo=fifo),
            segment("trip", figure),
            segment("trip", mean),
            at_most(of(printed.line("trip")), printed.line("trip").average),
        )
    )


LATENCY = in_part(
    "latency",
    Statement(
        "Determinism benchmarks: Latency, output of the transceiver",
        "The call of write takes 2 µs of a round trip of 340 µs, on the way out and on the way "
        "back.",
        (*_of_trip("send source"), *_of_trip("echo source")),
        remark="There write hands the sample to the node's network scheduler; here most "
        "middleware sends it in the call. Expected is no greater a share than there.",
    ),
    Statement(
        "Determinism benchmarks: Latency, output of the transceiver",
        "From delivery to the reader's hands a sample takes 40 µs at the transponder and 52 µs at "
        "the transceiver, of 340 µs.",
        (*_of_trip("send arrival"), *_of_trip("echo arrival")),
    ),
    Statement(
        "Network latency figures on Linux, transport priority 100",
        "The deviation of round trips is below 8 µs: 7.81 of 340 µs under time-sharing, 7.56 of "
        "316 µs under real time.",
        _by_class("deviation", deviation, lambda line: line.deviation or 0.0),
        remark="Expected is no greater a share than there. Few long trips can outweigh all others "
        "in a deviation.",
    ),
    Statement(
        "Network latency figures on Linux, output of the transceiver",
        "The longest of some 3800 round trips took 406 µs under time-sharing, 359 µs under real "
        "time.",
        _by_class("greatest", greatest, lambda line: float(line.greatest)),
        remark="The more samples, the longer the longest: the quick pack has 1000 in a round, the "
        "full one 3800.",
    ),
    Statement(
        "Network latency figures on Linux, output of the transceiver",
        "At 1000 Hz echoes arrive every 1034 µs under time-sharing and every 1068 µs under real "
        "time: the rate is kept to 7 %.",
        for_each(
            ADAPTERS,
            Each,
            "average inter-arrival over the period",
            trips("latency"),
            segment("inter-arrival", mean),
            constant(lambda _: published.PERIOD_US * 1e3),
            Claim(1 / 1.07, 1.07),
        ),
    ),
    Statement(
        "Network latency figures on Linux (application on TS)",
        "Time-sharing applications have round trips nearly as short as real-time ones: 340 µs "
        "against 316 µs in the outputs.",
        for_each(
            ADAPTERS,
            Ratio,
            "average trip, time-sharing over real-time 30",
            trips("latency", fifo=TIME_SHARING, qos_transport_priority=LOW),
            trips("latency", fifo=REAL_TIME, qos_transport_priority=LOW),
            Claim(1 / 1.08, 1.08),
            value=segment("trip", mean),
        ),
        remark="The headline of that slide has 316 µs for both. Without other load on the CPUs, "
        "the class has little to decide.",
    ),
)


FEWER = Claim(0.0, 0.999)
"""More than one in a thousand was not read."""


def overloaded(case: CaseSummary) -> bool:
    """Return whether samples are overwritten where the reader does not keep up: keep-last 1, at
    full speed."""
    qos = case.params.qos or {}
    last = qos.get("history") == "keep_last" and (qos.get("depth") or 1) == 1
    return part_of(case) == "throughput" and last and not case.params.rate_hz


def _paced(case: CaseSummary) -> bool:
    return part_of(case) == "throughput" and bool(case.params.rate_hz)


THROUGHPUT = in_part(
    "throughput",
    Statement(
        "Scalability benchmarks: Throughput",
        "Receivers report the theoretical throughput, by sequence numbers, and the one that was "
        "read. Where the system carries the load, they are the same.",
        for_each(
            ADAPTERS,
            Each,
            "read over theoretical, defined size and frequency",
            of_adapter("throughput", _paced),
            received,
            expected,
            ALL,
        ),
    ),
    Statement(
        "Scalability benchmarks: Throughput",
        "They differ where a reader cannot keep up: with keep-last and a depth of 1, newer samples "
        "replace older ones.",
        for_each(
            ADAPTERS,
            Each,
            "read over theoretical, keep-last 1 at full speed",
            of_adapter("throughput", overloaded),
            received,
            expected,
            FEWER,
        ),
    ),
    Statement(
        "Scalability benchmarks: Throughput",
        "They differ too where samples are lost on the way, which receivers report as errors.",
        remark="Where samples are lost is reported with each case, as far as its counters "
        "distinguish it.",
    ),
    Statement(
        "Scalability benchmarks: Throughput",
        "All receivers of a node together read 80 MB/s on a Xeon of 2.0 GHz, and 450 MB/s on two "
        "Opterons.",
        remark="A figure of those machines. The table has what all receivers together read here.",
    ),
)


UNMARKED = (
    "Eclipse Cyclone DDS and Fast DDS take the policy and announce it to readers, and send the "
    "same packets: their cases with a priority are unsupported here, and their checks open. The "
    "others mark packets with it (DSCP); that changes a latency only where a queue on the way, or "
    "a thread, serves marked packets first, and on one machine's loopback interface none does."
)

HARDLY = 1.05
"""Greatest factor between averages as near as 323 and 316 µs."""

DETERMINISM = in_part(
    "determinism",
    Statement(
        "Network latency figures on Linux (application on RT/30)",
        "The average round trip hardly depends on the transport priority: 323 µs at 0, 316 µs at "
        "100.",
        for_each(
            ADAPTERS,
            Ratio,
            f"average trip, priority 0 over 100, {CLASSES[REAL_TIME]}",
            trips("determinism", fifo=REAL_TIME, qos_transport_priority=LOW),
            trips("determinism", fifo=REAL_TIME, qos_transport_priority=HIGH),
            alike(HARDLY),
            value=segment("trip", mean),
        ),
        remark=UNMARKED,
    ),
    Statement(
        "Network latency figures on Linux (application on RT/30)",
        "Jitter does: below 34 µs at priority 0, below 8 µs at 100.",
        for_each(
            ADAPTERS,
            Ratio,
            f"deviation of trips, priority 0 over 100, {CLASSES[REAL_TIME]}",
            trips("determinism", fifo=REAL_TIME, qos_transport_priority=LOW),
            trips("determinism", fifo=REAL_TIME, qos_transport_priority=HIGH),
            ABOVE,
            value=segment("trip", deviation),
        ),
        remark="Jitter is there the deviation of all trips.",
    ),
    Statement(
        "Network latency figures on Linux (application on TS); Conclusion",
        "At transport priority 100 a time-sharing application has no more jitter than a real-time "
        "one: below 8 µs for both.",
        for_each(
            ADAPTERS,
            Ratio,
            "deviation of trips, time-sharing over real-time 30, priority 100",
            trips("determinism", fifo=TIME_SHARING, qos_transport_priority=HIGH),
            trips("determinism", fifo=REAL_TIME, qos_transport_priority=HIGH),
            alike(),
            value=segment("trip", deviation),
        ),
    ),
    Statement(
        "Goal of the determinism benchmark",
        "Under heavy load the deviation of round trips stays at 2.5 % of their average (8 of "
        "316 µs, priority 100, real-time 30).",
        for_each(
            ADAPTERS,
            Each,
            f"deviation over average, priority 100, {CLASSES[REAL_TIME]}",
            trips("determinism", fifo=REAL_TIME, qos_transport_priority=HIGH),
            segment("trip", deviation),
            segment("trip", mean),
            at_most(8, 316),
        ),
        remark="The slides do not say how heavy the load was.",
    ),
    Statement(
        "Goal of the determinism benchmark",
        "Without a priority of data, the class of the process decides: with real-time traffic a "
        "time-sharing application has more jitter than a real-time one.",
        for_each(
            ADAPTERS,
            Ratio,
            "deviation of trips, time-sharing over real-time 30, priority 0",
            trips("determinism", fifo=TIME_SHARING, qos_transport_priority=LOW),
            trips("determinism", fifo=REAL_TIME, qos_transport_priority=LOW),
            ABOVE,
            value=segment("trip", deviation),
        ),
        remark="The slides say it of DDS that is bound to processes, as all is that is measured "
        "here, without a figure.",
    ),
)


NEARLY = 1.02
"""The slides call two throughputs of 96 MB/s the same: within as many whole ones."""


def _as_there(case: CaseSummary) -> bool:
    """Return the slides' size and rate, whatever the number of applications."""
    its_own = part_of(case) == "scalability"
    return its_own and (case.size, case.params.rate_hz) == (published.SIZE, published.EACH_HZ)


def read_per_s(case: CaseSummary) -> PerRound:
    """Return the samples that all readers together read per second."""
    return per_round(case, lambda attempt: attempt.samples_per_s)


def calculated_per_s(case: CaseSummary) -> PerRound:
    """Return the samples that readers should read per second: each written one once per reader."""
    return per_round(case, lambda attempt: attempt.theoretical_per_s)


SCALABILITY = in_part(
    "scalability",
    Statement(
        "Example benchmark: scalability; actual throughput",
        "400 writers of 1000 B at 2 Hz and 1,200 readers in 40 applications on 4 nodes: every "
        "reader reads all, 96 MB/s together, as calculated.",
        for_each(
            SCALING,
            Each,
            "read over calculated throughput of all readers",
            of_adapter("throughput", _as_there),
            read_per_s,
            calculated_per_s,
            about(1.0, NEARLY),
        ),
    ),
    Statement(
        "Example benchmark: scalability; calculated throughput",
        "A reader is to read 80 kB/s (40 writers × 2 Hz × 1000 B), an application 2.4 MB/s (30 "
        "readers), a node 24 MB/s, the system 96 MB/s.",
        remark="Arithmetic. The table has the same of this campaign's applications, and what was "
        "read.",
    ),
    Statement(
        "Example benchmark: scalability; node/network impact",
        "A node sends 200 kB/s, each sample once for all (100 writers × 2 Hz × 1000 B), and "
        "receives 600 kB/s from the other three.",
        remark="Arithmetic without headers. The table has what the nodes' interfaces sent and "
        "received, with all headers, and what was written.",
    ),
    Statement(
        "Example benchmark: scalability; node/network impact",
        "With a latency budget of 200 ms a node sends at 5 Hz instead of 200 Hz: 40 samples are "
        "packed together.",
        remark="The network scheduler of a federated DDS packs samples of all its applications. "
        "The table has samples written per packet sent, for each case.",
    ),
    Statement(
        "Example benchmark: scalability; actual throughput",
        "The load of the CPUs stays below 50 %, on blades with two Opterons of 2.4 GHz.",
        remark="A figure of those machines. The table has the CPUs that all nodes together kept "
        "busy; here they are nodes of one machine.",
    ),
)
