"""What the kernels under a round have counted, at two moments of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from busmark import platform
from busmark.adapters import worker as worker_path
from busmark.control.places import Place
from busmark.control.worker import Worker
from busmark.errors import RoundError
from busmark.host import (
    Condition,
    Counted,
    Counters,
    UdpSocket,
    changes,
    condition,
    cpus_allowed,
    cpus_used,
    difference,
    drops_between,
    needless_retransmits,
    snapshot,
    together,
    udp_sockets,
)
from busmark.nodes import Node, NodeDown


@dataclass(frozen=True)
class Snapshot:
    """What the kernels under a round have counted at one moment."""

    counters: list[tuple[Node | None, Counters]]
    """Counters of each node, or of this machine."""
    sockets: dict[int, UdpSocket] | None
    """UDP sockets of the participants; None where nobody here can look."""
    conditions: dict[Node | None, Condition]
    """State of each node, or of this machine, and of the workers there."""
    processes: dict[Node | None, dict[int, tuple[str, list[int]]]]
    """Number, name and CPUs of the workers there."""
    stopped: dict[str, bool | None]
    """Whether a signal stopped each worker since the snapshot before, by its name."""


def take(places: Sequence[Place], workers: Sequence[Worker]) -> Snapshot:
    """The counters of every node, or of this machine for the networks that these workers are in.

    Raises:
        RoundError: a node's shell has ended.
    """
    nodes = list(dict.fromkeys(place.node for place in places if place.node))
    own: dict[Node | None, dict[int, tuple[str, list[int]]]] = {}
    for worker in workers:
        number = worker.process_there if worker.node else _of_worker(worker.pid)
        if number is not None:
            own.setdefault(worker.node, {})[number] = (worker.name, worker.cpus)
    # Another process is what started the worker, on a node or such as a profiler.
    children = own.get(None, {})
    stopped = {w.name: w.was_stopped() if w.pid in children else None for w in workers}
    if not nodes:
        processes = [worker.pid for worker in workers] if places[0].prefix else []
        return Snapshot(
            [(None, snapshot(processes))],
            udp_sockets(worker.pid for worker in workers),
            {None: condition([*own.get(None, {})])},
            own,
            stopped,
        )
    try:
        with ThreadPoolExecutor(len(nodes)) as pool:
            counted = pool.map(Node.counters, nodes)
            states = pool.map(lambda node: node.condition([*own.get(node, {})]), nodes)
            return Snapshot(
                list(zip(nodes, counted, strict=True)),
                None,
                dict(zip(nodes, states, strict=True)),
                own,
                stopped,
            )
    except NodeDown as error:
        raise RoundError("died", f"{error.where}: {error.message}") from None


def _of_worker(process: int) -> int | None:
    """Number of the worker where this process is what started it, such as a profiler; None where it
    is not to be found."""
    name = worker_path().name.encode()
    waiting = [process]
    while waiting:
        number = waiting.pop()
        if platform.words_of(number, "cmdline")[0].rpartition(b"/")[2] == name:
            return number
        children = platform.read_of(number, f"task/{number}/children").split()
        waiting += map(int, children)
    return None


def changed(before: Snapshot, after: Snapshot) -> str | None:
    """What was not the same at both moments, such as "affinity: publisher on CPU 0, then on CPU 1;
    clock_source: tsc, then hpet"; None: nothing."""
    lines = []
    for node, old in before.conditions.items():
        new = after.conditions.get(node)
        found = changes(old, new, before.processes.get(node, {})) if new else {}
        where = f" (node {node.name})" if node else ""
        lines += [f"{name}: {text}{where}" for name, text in found.items()]
    return "; ".join(lines) or None


def placed(before: Snapshot, after: Snapshot) -> Mapping[str, dict[str, str | bool | None]]:
    """Columns of the table `participants` about where each worker ran, and whether all the time, by
    its name."""
    found: dict[str, dict[str, str | bool | None]] = {}
    for node, processes in before.processes.items():
        for number, (name, _) in processes.items():
            old, new = (
                moment.conditions[node].threads.get(number, {}) for moment in (before, after)
            )
            found[name] = {
                "affinity": _listed(cpus_allowed(old)),
                "affinity_end": _listed(cpus_allowed(new)),
                "cpus_used": _listed(cpus_used(old, new)),
                "stopped": after.stopped.get(name),
            }
    return found


def offsets(before: Snapshot, after: Snapshot) -> dict[str, int | str | None]:
    """Columns of the table `cases` about this machine's clocks at both moments."""
    here = [moment.conditions.get(None) for moment in (before, after)]
    names = ("wall_clock_offset_ns", "wall_clock_offset_end_ns")
    return {
        **{n: one.wall_clock_offset_ns for n, one in zip(names, here, strict=True) if one},
        "clock_source": here[0].clock_source if here[0] else None,
    }


def _listed(cpus: Sequence[int]) -> str | None:
    return ",".join(map(str, cpus)) or None


def change(before: Snapshot, after: Snapshot) -> dict[str, Any]:
    """What happened between two snapshots, as `busmark.host.difference` tells it, and of it
    `udp_socket_drops` and `udp_buffer_bytes`, at the participants' own sockets, and
    `tcp_needless`."""
    counted = []
    for (node, old), (_, new) in zip(before.counters, after.counters, strict=True):
        system, network = (node.facts.system, node.facts.network) if node else ("", "")
        counted.append(Counted(system, network, difference(old, new)))
    whole = together(counted)
    drops, buffer = drops_between(before.sockets, after.sockets)
    return {
        **whole,
        "udp_socket_drops": drops,
        "udp_buffer_bytes": buffer,
        "tcp_needless": needless_retransmits(whole),
    }
