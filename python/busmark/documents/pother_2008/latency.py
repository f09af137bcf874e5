"""What the slides state of round trips at 1000 Hz, and of their legs."""

from __future__ import annotations

from collections.abc import Callable

from busmark.documents.checks import Each, Ratio
from busmark.documents.claim import Claim
from busmark.documents.document import Statement
from busmark.documents.pother_2008 import stated
from busmark.documents.pother_2008.places import (
    ADAPTERS,
    CLASSES,
    LOW,
    REAL_TIME,
    TIME_SHARING,
    trips,
)
from busmark.documents.values import Value, constant, of_latency
from busmark.estimate.rounds import LegOfRound

PRINTED = stated.TIME_SHARING

TRIP = PRINTED.of("trip")

OF_CLASS = {each.fifo: each for each in stated.OUTPUTS}


def leg(name: str, figure: Callable[[LegOfRound], float | None]) -> Value:
    """A figure of a leg, ns."""
    return of_latency(lambda of: figure(of.legs[name]) if name in of.legs else None)


def mean(of: LegOfRound) -> float | None:
    """Average."""
    return of.mean_ns


def deviation(of: LegOfRound) -> float | None:
    """Standard deviation."""
    return of.std_ns


def greatest(of: LegOfRound) -> float | None:
    """Maximum."""
    return of.max_ns


def at_most(part: float, whole: float) -> Claim:
    """No greater a share than there, to three digits."""
    return Claim(0.0, float(f"{part / whole:.3g}"))


WHOLE = 0.5
"""Averages are printed as whole microseconds: what is printed as 2 was less than 2.5."""


def _of_trip(name: str) -> tuple[Each, ...]:
    printed = PRINTED.of(name)
    return tuple(
        Each(f"average of {name} over trip, {adapter}", trips("latency", adapter), leg(name, mean),
             leg("trip", mean), at_most(printed.average + WHOLE, TRIP.average - WHOLE))
        for adapter in ADAPTERS
    )  # fmt: skip


def _by_class(
    what: str, figure: Callable[[LegOfRound], float | None], of: Callable[[stated.Line], float]
) -> tuple[Each, ...]:
    return tuple(
        Each(f"{what} of a trip over its average, {CLASSES[fifo]}, {adapter}",
             trips("latency", adapter, fifo=fifo), leg("trip", figure), leg("trip", mean),
             at_most(of(printed.of("trip")), printed.of("trip").average))
        for fifo, printed in OF_CLASS.items()
        for adapter in ADAPTERS
    )  # fmt: skip


LATENCY = (
    Statement(
        "Determinism benchmarks: Latency, output of the transceiver",
        "The call of write takes 2 µs of a round trip of 340 µs, on the way out and on the way "
        "back.",
        (*_of_trip("send source"), *_of_trip("echo source")),
        untold="There write hands the sample to the node's network scheduler; here most "
        "middleware sends it in the call. Expected is no greater a share than there.",
        part="latency",
    ),
    Statement(
        "Determinism benchmarks: Latency, output of the transceiver",
        "From delivery to the reader's hands a sample takes 40 µs at the transponder and 52 µs at "
        "the transceiver, of 340 µs.",
        (*_of_trip("send arrival"), *_of_trip("echo arrival")),
        part="latency",
    ),
    Statement(
        "Network latency figures on Linux, transport priority 100",
        "The deviation of round trips is below 8 µs: 7.81 of 340 µs under time-sharing, 7.56 of "
        "316 µs under real time.",
        _by_class("deviation", deviation, lambda line: line.deviation or 0.0),
        untold="Expected is no greater a share than there. Few long trips can outweigh all others "
        "in a deviation.",
        part="latency",
    ),
    Statement(
        "Network latency figures on Linux, output of the transceiver",
        "The longest of some 3800 round trips took 406 µs under time-sharing, 359 µs under real "
        "time.",
        _by_class("greatest", greatest, lambda line: float(line.greatest)),
        untold="The more samples, the longer the longest: the quick pack has 1000 in a round, the "
        "full one 3800.",
        part="latency",
    ),
    Statement(
        "Network latency figures on Linux, output of the transceiver",
        "At 1000 Hz echoes arrive every 1034 µs under time-sharing and every 1068 µs under real "
        "time: the rate is kept to 7 %.",
        tuple(
            Each(f"average inter-arrival over the period, {adapter}", trips("latency", adapter),
                 leg("inter-arrival", mean), constant(lambda _: stated.PERIOD_US * 1e3),
                 Claim(1 / 1.07, 1.07))
            for adapter in ADAPTERS
        ),
        part="latency",
    ),
    Statement(
        "Network latency figures on Linux (application on TS)",
        "Time-sharing applications have round trips nearly as short as real-time ones: 340 µs "
        "beside 316 µs in the outputs.",
        tuple(
            Ratio(f"average trip, time-sharing over real-time 30, {adapter}",
                  trips("latency", adapter, fifo=TIME_SHARING, qos_transport_priority=LOW),
                  trips("latency", adapter, fifo=REAL_TIME, qos_transport_priority=LOW),
                  Claim(1 / 1.08, 1.08), value=leg("trip", mean))
            for adapter in ADAPTERS
        ),
        untold="The headline of that slide has 316 µs for both. Without other load on the CPUs, "
        "the class has little to decide.",
        part="latency",
    ),
)  # fmt: skip
