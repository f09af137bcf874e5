"""Where a background load of a case runs, if its participants are on nodes of the user's."""

from __future__ import annotations

from collections.abc import Sequence

from busmark.load import Load
from busmark.model.parameters import Parameters
from busmark.scenario import nodes_of


def load_names(params: Parameters, load: Load, nodes: Sequence[str]) -> list[str]:
    """Nodes, or groups, on which one of its loads runs or may run; of a network load sender and
    receiver.

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
