"""What the kernels under a round count, on this machine or on all of its nodes."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from busmark.control.failure import RoundError
from busmark.control.places import Place
from busmark.control.worker import Worker
from busmark.host import Counted, Counters, difference, snapshot, together
from busmark.nodes import Node, NodeDown

Reading = list[tuple[Node | None, Counters]]


def read(places: Sequence[Place], workers: Sequence[Worker]) -> Reading:
    """The counters of every node, or of this machine for the networks that these workers are in.

    Raises:
        RoundError: a node's shell has ended.
    """
    nodes = list(dict.fromkeys(place.node for place in places if place.node))
    if not nodes:
        processes = [worker.pid for worker in workers] if places[0].prefix else []
        return [(None, snapshot(processes))]
    try:
        with ThreadPoolExecutor(len(nodes)) as pool:
            return list(zip(nodes, pool.map(Node.counters, nodes), strict=True))
    except NodeDown as error:
        raise RoundError("died", f"{error.where}: {error.message}") from None


def change(before: Reading, after: Reading) -> dict[str, Any]:
    """What happened between two readings, as `busmark.host.difference` tells it."""
    counted = []
    for (node, old), (_, new) in zip(before, after, strict=True):
        system, network = (node.facts.system, node.facts.network) if node else ("", "")
        counted.append(Counted(system, network, difference(old, new)))
    return together(counted)
