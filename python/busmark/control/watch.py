"""The system's counters during a round, on this machine or on all of its nodes."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from busmark.control.counting import Counting
from busmark.control.worker import Worker
from busmark.nodes import Node
from busmark.plan import spare_cpus

OF_MACHINE = frozenset({"host", "cpu"})
OF_NETWORK = frozenset({"network", "interface"})


@dataclass
class Watch:
    """One `Counting` for each node, or for this machine."""

    counting: list[tuple[Node | None, Counting]] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    """Why something is not counted, though it was asked for."""

    async def start(self, workers: Sequence[Worker], every_s: float, folder: Path) -> None:
        """Begins to read beside these workers, on CPUs that none of them uses where there are
        such. What was begun is known, whatever interrupts this."""
        nodes = list(dict.fromkeys(worker.node for worker in workers))
        await asyncio.gather(*(self._start(node, workers, every_s, folder) for node in nodes))

    async def _start(
        self, node: Node | None, workers: Sequence[Worker], every_s: float, folder: Path
    ) -> None:
        own = {w.process_there or w.pid: w.name for w in workers if w.node is node}
        # Nodes may be one machine.
        beside = [w for w in workers if _system(w.node) == _system(node)]
        allowed = node.facts.profile["cpus_allowed"] if node else None
        cpus = spare_cpus([w.cpus for w in beside], allowed or ())
        try:
            self.counting.append((node, await Counting.start(own, cpus, every_s, folder, node)))
        except OSError as error:
            self.problems.append(_told(node, str(error)))

    async def stop(self) -> list[dict[str, Any]]:
        """Ends the reading. Rows of `busmark.host.readings.changes`, with `node` (its name; None:
        this machine) and `clock` (of their times): what belongs to a machine or to a network that
        several nodes have in common is there once."""
        found = await asyncio.gather(*(counting.stop() for _, counting in self.counting))
        rows, seen = [], set[tuple[str, ...]]()
        for (node, counting), changes in zip(self.counting, found, strict=True):
            if counting.problem:
                self.problems.append(_told(node, counting.problem))
            elif not changes and node:
                self.problems.append(_told(node, "its counters did not come back"))
            system, new = _system(node), set[tuple[str, ...]]()
            for row in changes:
                of = _common(row, system)
                if of not in seen:
                    clock = node.facts.clock if node else ""
                    rows.append({**row, "node": node.name if node else None, "clock": clock})
                    new.add(of)
            seen |= {of for of in new if of}
        self.counting = []
        return rows

    async def abandon(self) -> list[tuple[Node, int]]:
        """Ends it at once; the processes that may remain on nodes."""
        for _, counting in self.counting:
            counting.kill()
        await asyncio.gather(*(counting.reap() for _, counting in self.counting))
        there = [
            (node, number)
            for node, counting in self.counting
            if node and (number := counting.process_there) is not None
        ]
        self.counting = []
        return there


def _system(node: Node | None) -> str:
    return node.facts.system if node else ""


def _common(row: dict[str, Any], system: str) -> tuple[str, ...]:
    """What a row is of that nodes may share; empty for what is a node's own."""
    if row["scope"] in OF_MACHINE:
        return ("machine", system)
    return ("network", system, str(row["network"])) if row["scope"] in OF_NETWORK else ()


def _told(node: Node | None, why: str) -> str:
    return f"node {node.name}: {why}" if node else why
