"""What the kernels under a round have counted, at two moments of it."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from busmark.control.places import Place
from busmark.control.worker import Worker
from busmark.errors import RoundError
from busmark.host import (
    Counted,
    Counters,
    difference,
    drops_between,
    needless_retransmits,
    snapshot,
    together,
    udp_drops,
)
from busmark.nodes import Node, NodeDown


@dataclass(frozen=True)
class Snapshot:
    """What the kernels under a round have counted at one moment."""

    counters: list[tuple[Node | None, Counters]]
    """Counters of each node, or of this machine."""
    sockets: dict[int, int] | None
    """Datagrams dropped at each UDP socket of the participants; None where nobody here can look."""


def take(places: Sequence[Place], workers: Sequence[Worker]) -> Snapshot:
    """The counters of every node, or of this machine for the networks that these workers are in.

    Raises:
        RoundError: a node's shell has ended.
    """
    nodes = list(dict.fromkeys(place.node for place in places if place.node))
    if not nodes:
        processes = [worker.pid for worker in workers] if places[0].prefix else []
        return Snapshot([(None, snapshot(processes))], udp_drops(worker.pid for worker in workers))
    try:
        with ThreadPoolExecutor(len(nodes)) as pool:
            return Snapshot(list(zip(nodes, pool.map(Node.counters, nodes), strict=True)), None)
    except NodeDown as error:
        raise RoundError("died", f"{error.where}: {error.message}") from None


def change(before: Snapshot, after: Snapshot) -> dict[str, Any]:
    """What happened between two snapshots, as `busmark.host.difference` tells it, and of it
    `udp_socket_drops`, at the participants' own sockets, and `tcp_needless`."""
    counted = []
    for (node, old), (_, new) in zip(before.counters, after.counters, strict=True):
        system, network = (node.facts.system, node.facts.network) if node else ("", "")
        counted.append(Counted(system, network, difference(old, new)))
    whole = together(counted)
    return {
        **whole,
        "udp_socket_drops": drops_between(before.sockets, after.sockets),
        "tcp_needless": needless_retransmits(whole),
    }
