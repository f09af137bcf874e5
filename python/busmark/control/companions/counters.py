"""The system's counters during a round, on this machine or on all of its nodes: on each they are
read by a process beside the round."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from busmark import platform
from busmark.adapters import worker
from busmark.control.companions.companion import Companion, Stage
from busmark.control.waiting import ended, in_thread, together
from busmark.control.worker import Worker
from busmark.host.readings import changes
from busmark.launcher import GONE_S, Launched, Start
from busmark.model.resources import READER
from busmark.nodes import Node, NodeDown
from busmark.plan import spare_cpus
from busmark.store import Case
from busmark.store.columns import polars_schema

STOP_S = 2.0
"""Grace period after a round, when a reader is killed; what it has written by then counts."""
FIRST_S = 5.0
"""Time for which the first reading is waited for."""
LOOK_S = 0.01
MOST_BEFORE = 1 << 24
"""Characters: a login's output, and a first reading, are less. Each thread of a participant adds
some 600 to a reading, so the threads of hundreds of endpoints make megabytes."""
MOST = 1 << 28
"""Limit for all readings: hours do not make more; what is beyond is left out."""
STOP_THERE_S = 10.0
"""Time for which the end of the readings on a node is waited for, from where all of them come at
the end."""


class CounterProcess:
    """A `busmark-worker counters` at work."""

    def __init__(
        self,
        process: Launched,
        participants: Mapping[int, str],
        folder: Path,
        node: Node | None = None,
    ) -> None:
        self._process = process
        self._participants = dict(participants)
        self._node = node
        self._output = _output(folder, node)
        self._errors = self._output.with_suffix(".log")

    @classmethod
    async def start(
        cls,
        participants: Mapping[int, str],
        cpus: Sequence[int],
        every_s: float,
        folder: Path,
        node: Node | None = None,
    ) -> CounterProcess:
        """Start to read, and wait a limited time for the first reading.

        Args:
            participants: names of processes by their number there, in whatever namespace.
            cpus: where the reading may run; empty: anywhere.
            every_s: time between two readings, s.
            folder: for what is written meanwhile; one `CounterProcess` at a time uses it for each
                node.
            node: where; None: on this machine.

        Raises:
            OSError: the program cannot be started.
        """
        arguments = ["counters", "--pid", ",".join(map(str, participants))]
        arguments += ["--every", str(every_s)]
        if cpus:
            arguments += ["--cpu", ",".join(map(str, cpus))]
        start = node.start(arguments) if node else Start([str(worker()), *arguments])
        path = _output(folder, node)
        process = Launched(
            start, "round", stdout=path, stderr=path.with_suffix(".log"), most_bytes=MOST
        )
        begun = cls(process, participants, folder, node)
        # At once: it reads no input, of which the shell could take a part.
        process.write(start.question + start.order)
        try:
            await begun._first()
        except BaseException:
            await begun.end()
            raise
        return begun

    async def _first(self) -> None:
        """Wait for the first reading: neither its work, nor the work of the way to a node, is to
        fall into the measurement, and what happens before it is not counted. The wait has a
        limit."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(FIRST_S):
                while self._process.returncode is None and not self._read:
                    await asyncio.sleep(LOOK_S)
                    # What prints without end is ended before it fills the disk.
                    if self._node and self._output.stat().st_size > MOST_BEFORE:
                        self._process.kill()

    @property
    def late(self) -> bool:
        """Return whether it is at work and has read nothing: what happens until then is not
        counted."""
        return self._process.returncode is None and not self._read

    @property
    def _read(self) -> bool:
        """Return whether a whole reading has come."""
        return any(line.endswith("\n") for line in self._lines(MOST_BEFORE))

    def _lines(self, most: int = MOST) -> list[str]:
        """Return what it has written by now, without what a login prints before."""
        with self._output.open(encoding="utf-8", errors="replace") as file:
            lines = file.read(most).splitlines(True)
        if mark := self._process.start.marker:
            marks = [at for at, line in enumerate(lines) if line.startswith(mark)]
            return lines[marks[0] + 1 :] if marks else []
        return lines

    def read_now(self) -> None:
        """Have everything read at once, besides the readings now and then."""
        self._process.write(b"\n")

    async def stop(self) -> list[dict[str, Any]]:
        """Read a last time and end; return rows of `busmark.host.readings.changes`."""
        # Nothing is measured any more: it need not wait for an idle CPU.
        await in_thread(self._hurry)
        self._process.end_input()
        await ended(self._process, STOP_THERE_S if self._node else STOP_S)
        await self.end()
        return await in_thread(self._changes)

    def _hurry(self) -> None:
        if self._node is None:
            platform.schedule_normally(self._process.pid)
        elif (number := self.process_there) is not None:
            with contextlib.suppress(NodeDown):
                self._node.hurry(number)

    @property
    def process_there(self) -> int | None:
        """Number of the process on its node, where it is known."""
        with self._output.open(encoding="utf-8", errors="replace") as file:
            return self._process.start.number(file.read(MOST_BEFORE))

    async def end(self) -> None:
        """End it at once; do nothing where it has ended."""
        self._process.end_input()
        self._process.kill()
        await ended(self._process, GONE_S)

    @property
    def problem(self) -> str | None:
        """Return why it ended by itself, in its own words; None if it did not."""
        code = self._process.returncode
        if not code or code < 0:
            return None
        words = self._errors.read_text(errors="replace").strip().splitlines()
        return words[0] if words else f"exit code {code}"

    def _changes(self) -> list[dict[str, Any]]:
        """Return what happened between all readings that were written to their end. Whatever else a
        way to a node prints is none."""
        lines = (line for line in self._lines() if line.endswith("\n"))
        readings = [found for line in lines if (found := _reading(line))]
        own = {reading["process"]: READER for reading in readings}
        return changes([reading["files"] for reading in readings], {**self._participants, **own})


def _reading(line: str) -> dict[str, Any] | None:
    """Return the reading in a line; None where it holds something else."""
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(found, dict) or not isinstance(found.get("process"), int):
        return None
    files = found.get("files")
    known = isinstance(files, list) and all(map(_is_file, files))
    return found if known else None


def _is_file(entry: Any) -> bool:
    """Return whether this is when a file was read, which, and what it held."""
    if not isinstance(entry, list) or len(entry) != 3:
        return False
    return isinstance(entry[0], int) and all(isinstance(text, str) for text in entry[1:])


def _output(folder: Path, node: Node | None) -> Path:
    return folder / (f"counters.{node.name}.jsonl" if node else "counters.jsonl")


def table(
    case: Case, round_number: int, rows: Sequence[Mapping[str, Any]], begins_ns: Mapping[str, int]
) -> pl.DataFrame | None:
    """Return the rows of a round as the table `system`; None where nothing was read.

    Times are from the start of the measurement, which `begins_ns` has by each clock for which it is
    known; by another clock they are None.
    """
    if not rows:
        return None
    schema = polars_schema("system")
    columns: dict[str, list[Any]] = {name: [row.get(name) for row in rows] for name in schema}
    columns["case"] = [case.id] * len(rows)
    columns["round"] = [round_number] * len(rows)
    begins = [begins_ns.get(row["clock"]) for row in rows]
    columns["start_ns"] = [
        None if begin is None else start - begin
        for start, begin in zip(columns["start_ns"], begins, strict=True)
    ]
    return pl.DataFrame(columns, schema=schema)


OF_MACHINE = frozenset({"host", "cpu"})
LATE = (
    "counters were first read after the measurement had begun; what happened before is not counted"
)
OF_NETWORK = frozenset({"network", "interface"})


class CounterReadings(Companion):
    """The companion that reads counters, by one `CounterProcess` for each node, or for this
    machine."""

    name = "counters"
    span = "measurement"

    def __init__(self, stage: Stage) -> None:
        super().__init__(stage)
        self.counting: list[tuple[Node | None, CounterProcess]] = []
        self._problems: list[str] = []

    @classmethod
    def wanted(cls, stage: Stage) -> bool:
        """Return whether they are asked for."""
        return stage.scenario.measure.system_interval_s > 0

    async def start(self) -> None:
        """Start to read beside the workers, on CPUs that none of them uses where there are such;
        wait for the first readings."""
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
            counting = await CounterProcess.start(own, cpus, every_s, self.stage.folder, node)
        except OSError as error:
            self._problems.append(_text(node, str(error)))
            return
        self.counting.append((node, counting))
        if counting.late:
            self._problems.append(_text(node, LATE))

    def mark(self) -> None:
        """Read where the measurement begins and ends, however short it is."""
        for _, counting in self.counting:
            counting.read_now()

    async def stop(self) -> None:
        """End the reading. Store rows of `busmark.host.readings.changes`, with `node` (its name;
        None: this machine) and `clock` (for their times): counters of a machine or a network that
        several nodes share are there once."""
        found = await asyncio.gather(*(counting.stop() for _, counting in self.counting))
        rows, seen = [], set[tuple[str, ...]]()
        for (node, counting), rows_there in zip(self.counting, found, strict=True):
            if counting.problem:
                self._problems.append(_text(node, counting.problem))
            elif not rows_there and node:
                self._problems.append(_text(node, "its counters did not come back"))
            system, new = _system(node), set[tuple[str, ...]]()
            clock, name = (node.facts.clock, node.name) if node else ("", None)
            recorded = {
                ("process", w.process_there or w.pid): w.recorder_bytes
                for w in self.stage.workers
                if w.node is node
            }
            for row in rows_there:
                of = _common(row, system)
                if of not in seen:
                    own = recorded.get((row["scope"], row["process"]))
                    rows.append({**row, "node": name, "clock": clock, "recorder_bytes": own})
                    new.add(of)
            seen |= {of for of in new if of}
        self.stage.data.system = rows

    async def kill(self) -> list[tuple[Node, int]]:
        """End the reading at once; return the processes that may remain on nodes."""
        await asyncio.gather(*(counting.end() for _, counting in self.counting))
        return [
            (node, number)
            for node, counting in self.counting
            if node and (number := counting.process_there) is not None
        ]

    def findings(self) -> list[str]:
        """Return why something is not counted, though it was asked for."""
        return self._problems


def _system(node: Node | None) -> str:
    return node.facts.system if node else ""


def _common(row: dict[str, Any], system: str) -> tuple[str, ...]:
    """Return what a row is of that nodes may share; empty for what is a node's own."""
    if row["scope"] in OF_MACHINE:
        return ("machine", system)
    return ("network", system, str(row["network"])) if row["scope"] in OF_NETWORK else ()


def _text(node: Node | None, why: str) -> str:
    return f"node {node.name}: {why}" if node else why
