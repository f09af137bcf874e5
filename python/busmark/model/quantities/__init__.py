"""The table of quantities: what is measured of a case, by subject.

Tables, workbook, frames, estimates, comparisons, requirements and the reference have their figures
from these lists, in this order; `busmark.model.entry` says what is known of each. A figure is a
quantity and a statistic of it (`busmark.model.statistics`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from busmark.model.entry import TESTS, EstimatedQuantity, Need, Number
from busmark.model.quantities import action, counters, discovery, host, latency, service, stream
from busmark.model.quantities.host import CPUS_USED
from busmark.model.quantities.latency import (
    HALF_ROUND_TRIP,
    JITTER_SHARE,
    LATENCIES,
    ONE_WAY,
    RESPONSE_TIME,
    ROUND_TRIP,
)
from busmark.model.quantities.stream import GOODPUT, LOSS, LOST
from busmark.model.statistics import STATISTICS
from busmark.plugin import declared, load

_CORE = (latency, stream, service, action, host, counters, discovery)

_BROUGHT = declared(
    (one.key for subject in _CORE for one in subject.OF_CASES),
    "quantity",
    lambda plugin: (
        {one.key: one for one in load(plugin.quantities).OF_CASES} if plugin.quantities else {}
    ),
)

OF_CASES: tuple[EstimatedQuantity | Number, ...] = (
    *(one for subject in _CORE[:-1] for one in subject.OF_CASES),
    *_BROUGHT.values(),
    *discovery.OF_CASES,
)
"""Quantities of a case that are no latencies of single samples, each a row of its subject."""

ESTIMATES = tuple(one for one in OF_CASES if isinstance(one, EstimatedQuantity) and one.of_cases)
"""Quantities with an interval."""

NUMBERS = tuple(one for one in OF_CASES if isinstance(one, Number))

COMPARED = {
    one.compared.name: one.compared
    for one in OF_CASES
    if isinstance(one, EstimatedQuantity) and one.compared
}
"""Quantities that comparisons have besides statistics of latencies, by name."""


@dataclass(frozen=True, slots=True)
class Quantity:
    """A quantity, as the table of estimates and requirements name it."""

    name: str
    unit: str
    meaning: str
    statistics: tuple[str, ...]
    """Statistics that it has, first the one that a requirement means by the quantity's name alone.
    """
    of_samples: bool = False
    """Whether single samples have it, so that any percentile can be asked for."""
    more_is_better: bool = False
    others: tuple[str, ...] = ()
    """Quantities that a requirement means by this name where the unit is theirs."""
    tests: tuple[str, ...] = TESTS
    """Tests in which it is measured."""
    needs: Need = ""
    compared: str = ""
    """Name of its figure in comparisons; empty: they have it for a criterion alone."""
    names: tuple[str, ...] = ()
    """Further names that limits accept."""
    also: tuple[str, ...] = ()
    """Words by which people look for it."""


_OF_SAMPLES = tuple(one.name for one in STATISTICS)

_SINGLE = ("latency", "throughput")
_ALL_SINGLE = (*_SINGLE, "service")

_LATENCIES = (
    Quantity(
        "latency",
        "ns",
        "half_round_trip of pings; one_way of a stream; response_time of a service",
        _OF_SAMPLES,
        of_samples=True,
        tests=_ALL_SINGLE,
        also=("delay", "response"),
    ),
    Quantity(
        "half_round_trip",
        "ns",
        HALF_ROUND_TRIP.meaning,
        _OF_SAMPLES,
        of_samples=True,
        tests=_SINGLE,
        also=("half_rtt", "rtt/2", "rtt2"),
    ),
    Quantity(
        "round_trip",
        "ns",
        "round trips of pings, or of probes in a stream",
        _OF_SAMPLES,
        of_samples=True,
        tests=_SINGLE,
        also=("rtt", "ping"),
    ),
    Quantity(
        "one_way",
        "ns",
        ONE_WAY.meaning,
        _OF_SAMPLES,
        of_samples=True,
        tests=("throughput",),
        also=("owd", "one_way_delay"),
    ),
    Quantity(
        "response_time",
        "ns",
        RESPONSE_TIME.meaning,
        _OF_SAMPLES,
        of_samples=True,
        tests=("service",),
        also=("service", "call", "rpc"),
    ),
)


def _quantity(one: EstimatedQuantity | Number) -> Quantity:
    others = ("read_rate",) if one is GOODPUT else ()
    compared = one.compared.name if isinstance(one, EstimatedQuantity) and one.compared else ""
    names, also = (one.names, one.also) if isinstance(one, EstimatedQuantity) else ((), ())
    return Quantity(
        one.quantity or one.key,
        one.unit,
        one.meaning,
        (one.statistic,),
        more_is_better=isinstance(one, EstimatedQuantity) and one.more_is_better,
        others=others,
        tests=one.tests,
        needs=one.needs,
        compared=compared,
        names=tuple({*names, compared} - {"", one.quantity or one.key}),
        also=also,
    )


def _by_name(*rows: Quantity) -> dict[str, Quantity]:
    """Return the quantities by name; of two rows of one quantity, the first with the statistics of
    both."""
    found: dict[str, Quantity] = {}
    for row in rows:
        first = found.get(row.name)
        both = replace(first, statistics=first.statistics + row.statistics) if first else row
        found[row.name] = both
    return found


QUANTITIES = _by_name(
    *_LATENCIES,
    *(_quantity(one) for one in OF_CASES if isinstance(one, EstimatedQuantity)),
    *map(_quantity, NUMBERS),
)
"""All quantities, by name."""

BY_ANY_NAME = {name: row for row in QUANTITIES.values() for name in (*row.names, row.name)}
"""Quantities by every name that limits accept."""

__all__ = [
    "BY_ANY_NAME",
    "COMPARED",
    "CPUS_USED",
    "ESTIMATES",
    "GOODPUT",
    "HALF_ROUND_TRIP",
    "JITTER_SHARE",
    "LATENCIES",
    "LOSS",
    "LOST",
    "NUMBERS",
    "OF_CASES",
    "ONE_WAY",
    "QUANTITIES",
    "RESPONSE_TIME",
    "ROUND_TRIP",
    "Quantity",
]
