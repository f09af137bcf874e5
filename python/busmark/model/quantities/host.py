"""What participants cost the machine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from busmark.model.entry import EstimatedQuantity, Number
from busmark.model.quantities.parts import (
    CPU_SYSTEM,
    CPU_USER,
    MATCHED_ENDPOINTS,
    MATCHED_UNKNOWN,
    RESOURCES,
    RSS,
)
from busmark.model.resources import READER

if TYPE_CHECKING:
    from busmark.model.case import CaseSummary


CPUS_USED = EstimatedQuantity(
    key="cpus_used",
    quantity="cpu",
    unit="CPU",
    meaning="CPUs that all participants together kept busy",
    needs="system",
)


def _most_cpus(case: CaseSummary) -> float | None:
    spent = [
        [one.value(CPU_USER), one.value(CPU_SYSTEM)]
        for one in case.parts("participant")
        if one.row(CPU_USER)
    ]
    known = [sum(each or 0.0 for each in both) for both in spent if None not in both]
    return max(known) if known else None


CPUS_OF_ONE = Number(
    key="cpus_of_one",
    quantity="cpu_of_one",
    statistic="max",
    unit="CPU",
    meaning="CPUs that a participant kept busy, of the one that kept most busy",
    needs="system",
    pick=_most_cpus,
)

MIB = 1 << 20


def _most_memory(case: CaseSummary) -> float | None:
    known = [rss for one in case.parts("participant") if (rss := one.value(RSS)) is not None]
    return max(known) / MIB if known else None


MEMORY = Number(
    key="memory_mib",
    quantity="memory",
    statistic="max",
    unit="MiB",
    meaning="most memory in RAM of a participant, of the one that had most, without the samples "
    "that Busmark records there",
    needs="system",
    pick=_most_memory,
)


def _memory_per_endpoint(case: CaseSummary) -> float | None:
    endpoints = case.whole.value(MATCHED_ENDPOINTS)
    used = [one for one in case.parts("participant") if any(map(one.row, RESOURCES))]
    memory = [one.value(RSS) for one in used if one.of != READER]
    if not endpoints or case.whole.value(MATCHED_UNKNOWN) or not memory or None in memory:
        return None
    return sum(each or 0 for each in memory) / endpoints / MIB


MEMORY_PER_ENDPOINT = Number(
    key="memory_per_endpoint_mib",
    quantity="memory_per_endpoint",
    statistic="max",
    unit="MiB",
    meaning="memory in RAM of all participants together over their writers and readers, what a "
    "participant needs without any included; of streams with three endpoints or more",
    needs="system",
    pick=_memory_per_endpoint,
)

UDP_SOCKET_DROPS = Number(
    key="udp_socket_drops",
    meaning="UDP datagrams that the kernel dropped at sockets of the participants, in the rounds "
    "that count, warm-up included; null where their sockets cannot be seen",
)

OF_CASES = (CPUS_USED, CPUS_OF_ONE, MEMORY, MEMORY_PER_ENDPOINT, UDP_SOCKET_DROPS)
"""Quantities in the order of tables."""
