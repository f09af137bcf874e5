"""The system's counters during a round, read by a process beside it."""

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
from busmark.processes import marked
from busmark.store import Case
from busmark.store.columns import READER, polars_schema

STOP_S = 2.0
"""One that has not ended so long after the round is killed; what it has written by then counts."""


class Counting:
    """A `busmark-worker counters` at work."""

    def __init__(
        self, process: asyncio.subprocess.Process, participants: Mapping[int, str], folder: Path
    ) -> None:
        self._process = process
        self._participants = dict(participants)
        self._folder = folder

    @classmethod
    async def start(
        cls, participants: Mapping[int, str], cpus: Sequence[int], every_s: float, folder: Path
    ) -> Counting:
        """Begins to read.

        Args:
            participants: names of processes on this machine, in whatever namespace.
            cpus: where the reading may run; empty: anywhere.
            every_s: time between two readings, s.
            folder: for what is written meanwhile; one `Counting` at a time uses it.

        Raises:
            OSError: the program cannot be started.
        """
        arguments = ["--pid", ",".join(map(str, participants)), "--every", str(every_s)]
        if cpus:
            arguments += ["--cpu", ",".join(map(str, cpus))]
        with _output(folder).open("wb") as output, _errors(folder).open("wb") as errors:
            process = await asyncio.create_subprocess_exec(
                str(worker()), "counters", *arguments,
                stdin=PIPE, stdout=output, stderr=errors, start_new_session=True,
                env={**os.environ, **marked("round")},
            )  # fmt: skip
        return cls(process, participants, folder)

    async def stop(self) -> list[dict[str, Any]]:
        """Reads a last time and ends; what happened, as rows of `busmark.host.readings.changes`."""
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):
            # Nothing is measured any more: it need not wait for an idle CPU.
            os.sched_setscheduler(self._process.pid, os.SCHED_OTHER, os.sched_param(0))
        self._process.stdin.close()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(STOP_S):
                await self.reap()
        self.kill()
        await self.reap()
        return await asyncio.to_thread(_changes, _output(self._folder), self._participants)

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
        words = _errors(self._folder).read_text(errors="replace").strip().splitlines()
        return words[0] if words else f"exit code {code}"


def _output(folder: Path) -> Path:
    return folder / "counters.jsonl"


def _errors(folder: Path) -> Path:
    return folder / "counters.log"


def _changes(path: Path, participants: Mapping[int, str]) -> list[dict[str, Any]]:
    """What happened between all readings that were written to their end."""
    with path.open(encoding="utf-8") as lines:
        readings = [json.loads(line) for line in lines if line.endswith("\n")]
    own = {reading["process"]: READER for reading in readings}
    return changes([reading["files"] for reading in readings], {**participants, **own})


def table(
    case: Case, round_number: int, rows: Sequence[Mapping[str, Any]], begin_ns: int
) -> pl.DataFrame | None:
    """Rows of `changes` as the table `system`, times from the begin of the measurement; None where
    nothing was read."""
    if not rows:
        return None
    schema = polars_schema("system")
    columns: dict[str, list[Any]] = {name: [row.get(name) for row in rows] for name in schema}
    columns["case"] = [case.id] * len(rows)
    columns["round"] = [round_number] * len(rows)
    columns["start_ns"] = [start - begin_ns for start in columns["start_ns"]]
    return pl.DataFrame(columns, schema=schema)
