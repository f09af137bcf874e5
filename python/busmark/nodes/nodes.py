"""The nodes of a campaign, by name and by group."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from busmark.nodes.node import Node
from busmark.nodes.shell import NodeDown

AT_ONCE = 8
"""Nodes that are reached, and files sent to, at the same time."""


class Nodes:
    """All nodes that a scenario names."""

    def __init__(self, nodes: Iterable[Node] = ()) -> None:
        self._nodes = {node.name: node for node in nodes}

    @property
    def names(self) -> list[str]:
        """Names of all nodes, in the scenario's order."""
        return list(self._nodes)

    def of(self, name: str) -> list[Node]:
        """The node of this name, or the nodes of the group."""
        if name in self._nodes:
            return [self._nodes[name]]
        return [node for node in self._nodes.values() if node.group == name]

    def usable(self, names: Iterable[str], files: Collection[Path]) -> list[Node]:
        """Nodes of these names; of groups, those that can be used now. All are reached, and have
        these files, afterwards.

        Raises:
            NodeDown: one that is named cannot be used, or none of a group.
        """
        wanted = {name: self.of(name) for name in dict.fromkeys(names)}
        members = list(dict.fromkeys(node for nodes in wanted.values() for node in nodes))
        with ThreadPoolExecutor(AT_ONCE) as pool:
            troubles = dict(zip(members, pool.map(lambda n: _trouble(n, files), members),
                                strict=True))  # fmt: skip
        found: list[Node] = []
        for nodes in wanted.values():
            good = [node for node in nodes if troubles[node] is None]
            found += good
            if not good:
                raise next(error for node in nodes if (error := troubles[node]))
        return found

    def close(self) -> None:
        """Ends what is open on all of them."""
        with ThreadPoolExecutor(AT_ONCE) as pool:
            list(pool.map(Node.close, self._nodes.values()))


def end_there(processes: Iterable[tuple[Node, int]]) -> NodeDown | None:
    """Ends these of ours on their nodes, whatever became of the way to them. Why a node cannot be
    asked, if there is one: what runs on it ends by itself when its input closes."""
    numbers: dict[Node, list[int]] = {}
    for node, number in processes:
        numbers.setdefault(node, []).append(number)
    reason = None
    for node, own in numbers.items():
        try:
            node.end(own)
        except NodeDown as error:
            reason = error
    return reason


def _trouble(node: Node, files: Collection[Path]) -> NodeDown | None:
    """Why a node cannot be used now."""
    try:
        node.ready(files)
    except NodeDown as error:
        return error
    return None
