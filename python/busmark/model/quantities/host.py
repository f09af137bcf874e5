"""What participants cost the machine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from busmark.model.entry import Estimate, Number, everywhere

if TYPE_CHECKING:
    from busmark.model.case import CaseSummary


UNREAD = "the counters of its participants were not read within the measured time"

CPUS_USED = Estimate(
    key="cpus_used",
    quantity="cpu",
    unit="CPU",
    meaning="CPUs that all participants together kept busy",
    needs="system",
    pick=lambda case: case.cpus_used,
    tables=everywhere("CPUs busy", interval=False, absent=UNREAD),
)

MIB = 1 << 20


def _most_memory(case: CaseSummary) -> float | None:
    known = [one.rss_bytes for one in case.resources if one.rss_bytes is not None]
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
    tables=everywhere("Memory", absent=UNREAD),
)


def _memory_per_endpoint(case: CaseSummary) -> float | None:
    met = case.meeting
    memory = [one.rss_bytes for one in case.resources if one.is_measured]
    if met is None or met.unknown or not memory or None in memory:
        return None
    return sum(each or 0 for each in memory) / met.endpoints / MIB


MEMORY_PER_ENDPOINT = Number(
    key="memory_per_endpoint_mib",
    quantity="memory_per_endpoint",
    statistic="max",
    unit="MiB",
    meaning="memory in RAM of all participants together over their writers and readers, what a "
    "participant needs without any included; of streams with three endpoints or more",
    needs="system",
    pick=_memory_per_endpoint,
    tables=everywhere("Memory per endpoint"),
)

UDP_SOCKET_DROPS = Number(
    key="udp_socket_drops",
    meaning="UDP datagrams that the kernel dropped at sockets of the participants, in the rounds "
    "that count, warm-up included; null where their sockets cannot be seen",
    pick=lambda case: case.udp_socket_drops,
    tables=everywhere("UDP drops", "discovery", when="some"),
)

OF_CASES = (CPUS_USED, MEMORY, MEMORY_PER_ENDPOINT, UDP_SOCKET_DROPS)
"""Quantities in the order of tables."""
