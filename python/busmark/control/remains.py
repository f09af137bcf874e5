"""What a round leaves on nodes when it fails there."""

from __future__ import annotations

from collections.abc import Iterable

from busmark.control.worker import Worker
from busmark.nodes import Node, NodeDown


def clear(workers: Iterable[Worker], others: Iterable[tuple[Node, int]] = ()) -> NodeDown | None:
    """Ends these workers on their nodes, and these other processes of ours, whatever became of the
    way to them. Why a node cannot be asked, if there is one: what runs on it ends by itself when
    its input closes."""
    processes: dict[Node, list[int]] = {}
    for node, number in others:
        processes.setdefault(node, []).append(number)
    for worker in workers:
        if worker.node and worker.process_there:
            processes.setdefault(worker.node, []).append(worker.process_there)
    reason = None
    for node, numbers in processes.items():
        try:
            node.end(numbers)
        except NodeDown as error:
            reason = error
    return reason
