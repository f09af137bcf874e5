"""The system's counters during a round on one machine, read by a process beside it."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
from asyncio.subprocess import PIPE
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from busmark.adapters import worker
from busmark.host.readings import changes
from busmark.nodes import Node, NodeDown
from busmark.processes import marked
from busmark.store import Case
from busmark.store.columns import READER, polars_schema

STOP_S = 2.0
"""One that has not ended so long after the round is killed; what it has written by then counts."""
FIRST_S = 5.0
"""So long the first reading on a node is waited for."""
LOOK_S = 0.01
STOP_THERE_S = 10.0
"""The same on a node, from where everything comes at the end."""


class Counting:
    """A `busmark-worker counters` at work."""

    def __init__(
        self, process: asyncio.subprocess.Process, participants: Mapping[int, str], folder: Path,
        node: Node | None = None, mark: str = "",
    ) -> None:  # fmt: skip
        self._process = process
        self._participants = dict(participants)
        self._node = node
        self._mark = mark
        self._output = _output(folder, node)
        self._errors = self._output.with_suffix(".log")

    @classmethod
    async def start(
        cls, participants: Mapping[int, str], cpus: Sequence[int], every_s: float, folder: Path,
        node: Node | None = None,
    ) -> Counting:  # fmt: skip
        """Begins to read.

        Args:
            participants: names of processes by their number there, in whatever namespace.
            cpus: where the reading may run; empty: anywhere.
            every_s: time between two readings, s.
            folder: for what is written meanwhile; one `Counting` at a time uses it for each node.
            node: where; None: on this machine.

        Raises:
            OSError: the program cannot be started.
        """
        arguments = ["counters", "--pid", ",".join(map(str, participants))]
        arguments += ["--every", str(every_s)]
        if cpus:
            arguments += ["--cpu", ",".join(map(str, cpus))]
        there = node.start(arguments) if node else None
        command = there.command if there else [str(worker()), *arguments]
        variables = there.environment if there else os.environ
        path = _output(folder, node)
        with path.open("wb") as output, path.with_suffix(".log").open("wb") as errors:
            process = await asyncio.create_subprocess_exec(
                *command, stdin=PIPE, stdout=output, stderr=errors, start_new_session=True,
                env={**variables, **marked("round")},
            )  # fmt: skip
        begun = cls(process, participants, folder, node, there.marker if there else "")
        if there:
            assert process.stdin is not None
            # At once: it reads no input, of which the shell could take a part.
            process.stdin.write(there.question + there.order)
            await begun._first()
        return begun

    async def _first(self) -> None:
        """Waits for the first reading: the way to a node costs time and work, neither of which is
        to fall into what is measured. Not for ever: there may be no CPU that is idle."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(FIRST_S):
                while self._process.returncode is None and not self._read:
                    await asyncio.sleep(LOOK_S)

    @property
    def _read(self) -> bool:
        """Whether a whole reading has come."""
        return any(line.endswith("\n") for line in self._lines())

    def _lines(self) -> list[str]:
        """What it has written by now, without what a login prints before."""
        lines = self._output.read_text(encoding="utf-8", errors="replace").splitlines(True)
        if self._mark:
            marks = [at for at, line in enumerate(lines) if line.startswith(self._mark)]
            return lines[marks[0] + 1 :] if marks else []
        return lines

    async def stop(self) -> list[dict[str, Any]]:
        """Reads a last time and ends; what happened, as rows of `busmark.host.readings.changes`."""
        assert self._process.stdin is not None
        # Nothing is measured any more: it need not wait for an idle CPU.
        await asyncio.to_thread(self._hurry)
        self._process.stdin.close()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(STOP_THERE_S if self._node else STOP_S):
                await self.reap()
        self.kill()
        await self.reap()
        return await asyncio.to_thread(self._changes)

    def _hurry(self) -> None:
        if self._node is None:
            with contextlib.suppress(OSError):
                os.sched_setscheduler(self._process.pid, os.SCHED_OTHER, os.sched_param(0))
        elif (number := self.process_there) is not None:
            with contextlib.suppress(NodeDown):
                self._node.hurry(number)

    @property
    def process_there(self) -> int | None:
        """Its number on its node, where it is known."""
        with self._output.open(encoding="utf-8", errors="replace") as lines:
            words = next((line.split() for line in lines if line.startswith(self._mark)), [])
        return int(words[1]) if self._mark and len(words) == 2 else None

    def kill(self) -> None:
        """Ends it at once; nothing happens where it has ended."""
        with contextlib.suppress(ProcessLookupError):
            self._process.kill()

    async def reap(self) -> None:
        """Waits for its end."""
        await self._process.wait()

    @property
    def problem(self) -> str | None:
        """Why it ended by itself, in its own words; None if it did not."""
        code = self._process.returncode
        if not code or code < 0:
            return None
        words = self._errors.read_text(errors="replace").strip().splitlines()
        return words[0] if words else f"exit code {code}"

    def _changes(self) -> list[dict[str, Any]]:
        """What happened between all readings that were written to their end."""
        readings = [json.loads(line) for line in self._lines() if line.endswith("\n")]
        own = {reading["process"]: READER for reading in readings}
        return changes([reading["files"] for reading in readings], {**self._participants, **own})


def _output(folder: Path, node: Node | None) -> Path:
    return folder / (f"counters.{node.name}.jsonl" if node else "counters.jsonl")


def table(
    case: Case, round_number: int, rows: Sequence[Mapping[str, Any]],
    begins_ns: Mapping[str, int],
) -> pl.DataFrame | None:  # fmt: skip
    """Rows of a round as the table `system`; None where nothing was read.

    Times are from the begin of the measurement, which `begins_ns` has by each clock for which it is
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
