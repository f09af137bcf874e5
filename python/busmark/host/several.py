"""What was counted at several places of a round, as one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

PER_NETWORK = frozenset({
    "ip_fragmented", "ip_reassembled", "ip_reassembly_fails",
    "udp_rcvbuf_errors", "udp_in_errors", "udp_sndbuf_errors", "tcp_segments", "tcp_retransmits",
    "tcp_loss_probes", "tcp_probe_recoveries", "tcp_dsacks", "tcp_dsacks_sent", "tcp_timeouts",
    "tcp_recoveries", "tcp_undone", "tcp_listen_drops",
})  # fmt: skip
"""Counters that each network of a machine has for itself."""


@dataclass(frozen=True)
class Counted:
    """What `difference` says of one place."""

    system: str
    """Tells machines apart."""
    network: str
    """Identifies networks, also those on one machine."""
    change: dict[str, Any]


def together(places: Sequence[Counted]) -> dict[str, Any]:
    """Counts of every network and of every machine once, summed up; of shares the greatest. None
    where no place tells."""
    networks = {place.network: place.change for place in places}
    machines = {place.system: place.change for place in places}
    names = dict.fromkeys(name for change in machines.values() for name in change)
    told: dict[str, Any] = {}
    for name in names:
        changes = networks if name in PER_NETWORK else machines
        values = [change[name] for change in changes.values() if change[name] is not None]
        if name == "cpu_busy_per_cpu":
            continue  # its CPUs are known by numbers, which several machines have
        combine = max if name in ("cpu_busy", "steal") else sum
        told[name] = combine(values) if values else None
    return told
