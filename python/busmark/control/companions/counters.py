"""The system's counters during a round, on this machine or on all of its nodes."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from busmark.control.awaited import together
from busmark.control.companions.companion import Companion, Stage
from busmark.control.counting import Counting
from busmark.control.worker import Worker
from busmark.nodes import Node
from busmark.plan import spare_cpus

OF_MACHINE = frozenset({"host", "cpu"})
LATE = (
    "counters were first read after the measurement had begun; what happened before is not counted"
)
OF_NETWORK = frozenset({"network", "interface"})


class CounterReadings(Companion):
    """One `Counting` for each node, or for this machine."""

    name = "counters"
    span = "measurement"

    def __init__(self, stage: Stage) -> None:
        super().__init__(stage)
        self.counting: list[tuple[Node | None, Counting]] = []
        self._problems: list[str] = []

    @classmethod
    def wanted(cls, stage: Stage) -> bool:
        """Whether they are asked for."""
        return stage.scenario.measure.system_interval_s > 0

    async def start(self) -> None:
        """Begins to read beside the workers, on CPUs that none of them uses where there are such;
        waits for the first readings."""
        workers = [*self.stage.workers, *self.stage.servers]
        nodes = list(dict.fromkeys(worker.node for worker in workers))
        await together(*(self._start(node, workers) for node in nodes))

    async def _start(self, node: Node | None, workers: Sequence[Worker]) -> None:
        every_s = self.stage.scenario.measure.system_interval_s
        own = {w.process_there or w.pid: w.name for w in workers if w.node is node}
        # Nodes may be one machine.
        background = [w for w in workers if _system(w.node) == _system(node)]
        allowed = node.facts.profile["cpus_allowed"] if node else None
        cpus = spare_cpus([w.cpus for w in background], allowed or ())
        try:
            counting = await Counting.start(own, cpus, every_s, self.stage.folder, node)
        except OSError as error:
            self._problems.append(_text(node, str(error)))
            return
        self.counting.append((node, counting))
        if counting.late:
            self._problems.append(_text(node, LATE))

    async def stop(self) -> None:
        """Ends the reading. Rows of `busmark.host.readings.changes`, with `node` (its name; None:
        this machine) and `clock` (for their times): counters of a machine or a network that several
        nodes share are there once."""
        found = await asyncio.gather(*(counting.stop() for _, counting in self.counting))
        rows, seen = [], set[tuple[str, ...]]()
        for (node, counting), changes in zip(self.counting, found, strict=True):
            if counting.problem:
                self._problems.append(_text(node, counting.problem))
            elif not changes and node:
                self._problems.append(_text(node, "its counters did not come back"))
            system, new = _system(node), set[tuple[str, ...]]()
            clock, name = (node.facts.clock, node.name) if node else ("", None)
            recorded = {
                ("process", w.process_there or w.pid): w.recorder_bytes
                for w in self.stage.workers if w.node is node
            }  # fmt: skip
            for row in changes:
                of = _common(row, system)
                if of not in seen:
                    own = recorded.get((row["scope"], row["process"]))
                    rows.append({**row, "node": name, "clock": clock, "recorder_bytes": own})
                    new.add(of)
            seen |= {of for of in new if of}
        self.stage.data.system = rows

    async def kill(self) -> list[tuple[Node, int]]:
        """Ends it at once."""
        await asyncio.gather(*(counting.end() for _, counting in self.counting))
        return [
            (node, number)
            for node, counting in self.counting
            if node and (number := counting.process_there) is not None
        ]

    def findings(self) -> list[str]:
        """Why something is not counted, though it was asked for."""
        return self._problems


def _system(node: Node | None) -> str:
    return node.facts.system if node else ""


def _common(row: dict[str, Any], system: str) -> tuple[str, ...]:
    """What a row is of that nodes may share; empty for what is a node's own."""
    if row["scope"] in OF_MACHINE:
        return ("machine", system)
    return ("network", system, str(row["network"])) if row["scope"] in OF_NETWORK else ()


def _text(node: Node | None, why: str) -> str:
    return f"node {node.name}: {why}" if node else why
