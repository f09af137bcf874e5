"""Which CPUs each participant gets. On small machines this matters more than the middleware."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from busmark.carriers import MEMORY, carrier
from busmark.load import Load
from busmark.model.parameters import Parameters
from busmark.platform import usable_cpus
from busmark.scenario import nodes_of


def cpus_of(
    params: Parameters, number: int, usable: Sequence[Sequence[int]] = ()
) -> list[list[int]]:
    """Return the CPUs of each participant, passive ones first; none: the scheduler chooses.

    The last CPU is preferred for measuring: interrupts and housekeeping favour the first.

    Args:
        usable: usable CPUs of each participant's machine; none: this machine's.
    """
    usable = [own or usable_cpus() for own in usable or [()] * number]
    placement = params.placement
    if placement == "free":
        return [[] for _ in usable]
    if placement == "same":
        return [[cpus[-1]] for cpus in usable]
    if placement == "different":
        return [[cpus[i % len(cpus)]] for i, cpus in enumerate(usable)]
    numbers = numbers_of(placement)
    return [[numbers[i % len(numbers)]] for i in range(len(usable))]


def numbers_of(text: str | None) -> list[int]:
    """Return the numbers in a value such as `0+1`; none where there is no value."""
    return [int(part) for part in text.split("+")] if text else []


def spare_cpus(used: list[list[int]], usable: Sequence[int] = ()) -> list[int]:
    """Return CPUs where no participant runs; none where one may run anywhere, or all are in use.

    `usable` are the machine's usable CPUs; none: this machine's.
    """
    if not all(used):
        return []
    taken = {cpu for own in used for cpu in own}
    return [cpu for cpu in usable or usable_cpus() if cpu not in taken]


def shares_cpu(params: Parameters) -> bool:
    """Return whether threads of different participants may have to run on one CPU."""
    placement = params.placement
    if placement == "different":
        return False
    return placement in ("same", "free") or len(set(placement.split("+"))) < 2


def placement_problem(params: Parameters, capabilities: Mapping[str, Any]) -> str | None:
    """Return why this placement cannot be had here; None if it can."""
    placement = params.placement
    if params.deployment == "one" and not shares_cpu(params):
        whose = "the adapter"
        if carrier(capabilities, params.transport) == MEMORY:
            whose = f"transport {params.transport}"
        return f"placement {placement}: {whose} works within one process only"
    if placement in ("same", "free") or params.network == "nodes":
        return None  # a node's CPUs are not known yet
    cpus = usable_cpus()
    if placement == "different":
        wanted = participants(params)
        here = "is one CPU" if len(cpus) == 1 else f"are {len(cpus)} CPUs"
        return (
            None
            if len(cpus) >= wanted
            else (f"placement different: {wanted} participants, and there {here}")
        )
    missing = [part for part in placement.split("+") if int(part) not in cpus]
    if missing:
        shown = ", ".join(map(str, cpus))
        return f"placement {placement}: CPU {', '.join(missing)} is not among those here ({shown})"
    return None


def load_names(params: Parameters, load: Load, nodes: Sequence[str]) -> list[str]:
    """Return nodes, or groups, on which one of the case's loads runs or may run; for a network load
    sender and receiver.

    By default CPUs and disks are loaded on all nodes that take part, and the network between two
    others, or from the writer's to the reader's where there are none.

    Args:
        nodes: all of the scenario.
    """
    if params.load_on:
        return nodes_of(params.load_on)
    writing, reading = nodes_of(params.writer_on or ""), nodes_of(params.reader_on or "")
    if load.kind != "net":
        return list(dict.fromkeys((*writing, *reading)))
    others = [name for name in nodes if name not in (*writing, *reading)]
    return others[:2] if len(others) > 1 else [writing[0], reading[0]]


def is_mesh(params: Parameters) -> bool:
    """Return whether every participant of the matrix writes and reads."""
    return params.topology == "mesh"


def applications(params: Parameters) -> int:
    """Count the applications of a mesh on all nodes together."""
    return (params.applications or 0) * len(nodes_of(params.writer_on or ""))


def participants(params: Parameters) -> int:
    """Count the participants of the matrix."""
    if is_mesh(params):
        return applications(params)
    return params.active + (params.subscribers or 0)
