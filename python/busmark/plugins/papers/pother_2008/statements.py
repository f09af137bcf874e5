"""Checks of what the slides state on round trips, throughput, scalability and determinism."""

from __future__ import annotations

from collections.abc import Callable

from busmark.model.case import CaseSummary
from busmark.plugins.papers.checks import Each, Ratio, for_each
from busmark.plugins.papers.document import Checks
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


LATENCY: Checks = {
    "write-share": (*_of_trip("send source"), *_of_trip("echo source")),
    "arrival-share": (*_of_trip("send arrival"), *_of_trip("echo arrival")),
    "deviation-of-trips": _by_class("deviation", deviation, lambda line: line.deviation or 0.0),
    "longest-trip": _by_class("greatest", greatest, lambda line: float(line.greatest)),
    "inter-arrival": for_each(
        ADAPTERS,
        Each,
        "average inter-arrival over the period",
        trips("latency"),
        segment("inter-arrival", mean),
        constant(lambda _: published.PERIOD_US * 1e3),
        Claim(1 / 1.07, 1.07),
    ),
    "time-sharing-as-short": for_each(
        ADAPTERS,
        Ratio,
        "average trip, time-sharing over real-time 30",
        trips("latency", fifo=TIME_SHARING, qos_transport_priority=LOW),
        trips("latency", fifo=REAL_TIME, qos_transport_priority=LOW),
        Claim(1 / 1.08, 1.08),
        value=segment("trip", mean),
    ),
}


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


THROUGHPUT: Checks = {
    "read-as-theoretical": for_each(
        ADAPTERS,
        Each,
        "read over theoretical, defined size and frequency",
        of_adapter("throughput", _paced),
        received,
        expected,
        ALL,
    ),
    "overwritten": for_each(
        ADAPTERS,
        Each,
        "read over theoretical, keep-last 1 at full speed",
        of_adapter("throughput", overloaded),
        received,
        expected,
        FEWER,
    ),
}


HARDLY = 1.05
"""Greatest factor between averages as near as 323 and 316 µs."""

DETERMINISM: Checks = {
    "trip-by-priority": for_each(
        ADAPTERS,
        Ratio,
        f"average trip, priority 0 over 100, {CLASSES[REAL_TIME]}",
        trips("determinism", fifo=REAL_TIME, qos_transport_priority=LOW),
        trips("determinism", fifo=REAL_TIME, qos_transport_priority=HIGH),
        alike(HARDLY),
        value=segment("trip", mean),
    ),
    "jitter-by-priority": for_each(
        ADAPTERS,
        Ratio,
        f"deviation of trips, priority 0 over 100, {CLASSES[REAL_TIME]}",
        trips("determinism", fifo=REAL_TIME, qos_transport_priority=LOW),
        trips("determinism", fifo=REAL_TIME, qos_transport_priority=HIGH),
        ABOVE,
        value=segment("trip", deviation),
    ),
    "time-sharing-priority": for_each(
        ADAPTERS,
        Ratio,
        "deviation of trips, time-sharing over real-time 30, priority 100",
        trips("determinism", fifo=TIME_SHARING, qos_transport_priority=HIGH),
        trips("determinism", fifo=REAL_TIME, qos_transport_priority=HIGH),
        alike(),
        value=segment("trip", deviation),
    ),
    "deviation-under-load": for_each(
        ADAPTERS,
        Each,
        f"deviation over average, priority 100, {CLASSES[REAL_TIME]}",
        trips("determinism", fifo=REAL_TIME, qos_transport_priority=HIGH),
        segment("trip", deviation),
        segment("trip", mean),
        at_most(8, 316),
    ),
    "class-decides": for_each(
        ADAPTERS,
        Ratio,
        "deviation of trips, time-sharing over real-time 30, priority 0",
        trips("determinism", fifo=TIME_SHARING, qos_transport_priority=LOW),
        trips("determinism", fifo=REAL_TIME, qos_transport_priority=LOW),
        ABOVE,
        value=segment("trip", deviation),
    ),
}


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


SCALABILITY: Checks = {
    "all-is-read": for_each(
        SCALING,
        Each,
        "read over calculated throughput of all readers",
        of_adapter("throughput", _as_there),
        read_per_s,
        calculated_per_s,
        about(1.0, NEARLY),
    ),
}
