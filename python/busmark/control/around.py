"""Before and after every round: commands of the user's, `run.prepare` and `run.conclude`, and what
the kernels have counted."""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from busmark import platform
from busmark.adapters import worker as worker_path
from busmark.control.places import ParticipantPlace, Places
from busmark.control.waiting import in_thread
from busmark.control.worker import Worker
from busmark.errors import RoundError
from busmark.host import (
    Condition,
    CounterChange,
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
from busmark.launcher import STDOUT, Launched, Start
from busmark.model.parameters import Parameters
from busmark.nodes import Node, NodeDown, end_there
from busmark.scenario import Scenario
from busmark.scenario.section import CommandSection

When = Literal["prepare", "conclude"]

LOOK_S = 0.05
MOST_LINES = 10
MOST_SAID = 2000
"""Last lines of an output, and characters of them, that the result keeps."""


class Commands:
    """The commands of one round, and what became of each."""

    def __init__(
        self, scenario: Scenario, places: Places, params: Parameters, folder: Path
    ) -> None:
        """Begin nothing yet; `folder` is for what commands print."""
        self._scenario, self._places, self._params = scenario, places, params
        self._folder = folder
        self._stopped = threading.Event()
        self.records: list[dict[str, Any]] = []
        """Record of each command that was run: when, command, node, exit code, seconds, last lines,
        reason."""

    @contextlib.asynccontextmanager
    async def around(self) -> Any:
        """Prepare the round, and conclude it whether it has failed or not.

        Raises:
            RoundError: a command has failed; of a round that has failed itself, why it has.
        """
        try:
            await self._run("prepare")
            yield
        except BaseException as error:
            # Where a node is gone nothing has begun.
            if self.records or not (isinstance(error, RoundError) and error.kind == "node"):
                try:
                    await self._run("conclude")
                except RoundError as too:
                    if isinstance(error, RoundError):
                        raise RoundError(error.kind, f"{error}; {too.kind}: {too}") from error
            raise
        await self._run("conclude")

    async def _run(self, when: When) -> None:
        self._stopped.clear()
        for each in getattr(self._scenario.run, when):
            try:
                await in_thread(self._one, when, each)
            except asyncio.CancelledError:
                self._stopped.set()
                raise

    def _one(self, when: When, each: CommandSection) -> None:
        """Run a command to its end.

        Raises:
            RoundError: it has failed.
        """
        place = self._places.at(self._params, each.node)
        begin, said = time.monotonic(), self._folder / f"{when}.txt"
        code, why = None, ""
        try:
            with _started(place, each.command, said) as process:
                code = self._waited(process, begin + each.timeout_s)
                if code is None:
                    ended = "interrupted" if self._stopped.is_set() else "not ended after"
                    why = ended if self._stopped.is_set() else f"{ended} {each.timeout_s:g} s"
                elif code:
                    why = process.killed or f"exit code {code}"
        except (OSError, NodeDown) as error:
            why = str(error)
        lines = _last(said, process.start if place.node and code is not None else None)
        self.records.append(
            {
                "when": when,
                "command": each.command,
                "node": each.node or None,
                "exit_code": code,
                "seconds": round(time.monotonic() - begin, 6),
                "output": lines,
                "reason": why or None,
            }
        )
        if why:
            on = f" on node {each.node}" if each.node else ""
            last = f": {lines[-1]}" if lines else ""
            raise RoundError(when, f"{why} of `{each.command}`{on}{last}")

    def _waited(self, process: Launched, end: float) -> int | None:
        """Return its exit code; None: it has not ended by then, or the round is interrupted."""
        while (code := process.wait(LOOK_S)) is None:
            if self._stopped.is_set() or time.monotonic() > end:
                return None
        return code


@contextlib.contextmanager
def _started(place: ParticipantPlace, command: str, said: Path) -> Iterator[Launched]:
    """Start a command there. What it leaves running ends with the round; the command itself where
    it has not ended."""
    words = ["sh", "-c", command]
    start = place.node.command(words) if place.node else Start([*place.prefix, *words])
    process = Launched(start, "round", stdout=said, stderr=STDOUT)
    try:
        process.write(start.question + start.order)
        process.end_input()
        yield process
    finally:
        if process.returncode is None:
            number = start.number(said.read_text(errors="replace"))
            process.kill()
            process.wait(LOOK_S * 100)
            if place.node and number is not None:
                left: list[tuple[Node, int]] = [(place.node, number)]
                end_there(left)


def _last(said: Path, start: Start | None) -> list[str]:
    """Return the last lines that a command has printed, without what starts it on a node."""
    with contextlib.suppress(OSError):
        text = said.read_text(errors="replace")
        if start is not None and start.marker in text:
            text = text.partition(start.marker)[2].partition("\n")[2]
        return text[-MOST_SAID:].splitlines()[-MOST_LINES:]
    return []


@dataclass(frozen=True)
class Snapshot:
    """Counts of the kernels under a round at one moment."""

    counters: list[tuple[Node | None, Counters]]
    """Counters of each node, or of this machine."""
    sockets: dict[int, UdpSocket] | None
    """UDP sockets of the participants; None where nobody here can look."""
    conditions: dict[Node | None, Condition]
    """State of each node, or of this machine, and of the workers there."""
    processes: dict[Node | None, dict[int, tuple[str, list[int]]]]
    """Number, name and CPUs of the workers on each node, or on this machine."""
    stopped: dict[str, bool | None]
    """Whether a signal stopped each worker since the snapshot before, by its name."""


def take(places: Sequence[ParticipantPlace], workers: Sequence[Worker]) -> Snapshot:
    """Take a snapshot of every node, or of this machine for the networks that these workers are in.

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
    """Return the number of the worker where this process is what started it, such as a profiler;
    None where it is not to be found."""
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
    """Return what was not the same at both moments, such as "affinity: publisher on CPU 0, then on
    CPU 1; clock_source: tsc, then hpet"; None: nothing."""
    lines = []
    for node, old in before.conditions.items():
        new = after.conditions.get(node)
        found = changes(old, new, before.processes.get(node, {})) if new else {}
        where = f" (node {node.name})" if node else ""
        lines += [f"{name}: {text}{where}" for name, text in found.items()]
    return "; ".join(lines) or None


def placed(before: Snapshot, after: Snapshot) -> Mapping[str, dict[str, str | bool | None]]:
    """Return the columns of the table `participants` about where each worker ran, and whether all
    the time, by its name."""
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
    """Return the columns of the table `cases` about this machine's clocks at both moments."""
    here = [moment.conditions.get(None) for moment in (before, after)]
    names = ("wall_clock_offset_ns", "wall_clock_offset_end_ns")
    return {
        **{n: one.wall_clock_offset_ns for n, one in zip(names, here, strict=True) if one},
        "clock_source": here[0].clock_source if here[0] else None,
    }


def _listed(cpus: Sequence[int]) -> str | None:
    return ",".join(map(str, cpus)) or None


def change(before: Snapshot, after: Snapshot) -> dict[str, Any]:
    """Return what happened between two snapshots, as `busmark.host.difference` tells it, and of it
    `udp_socket_drops` and `udp_buffer_bytes`, at the participants' own sockets, and
    `tcp_needless`."""
    counted = []
    for (node, old), (_, new) in zip(before.counters, after.counters, strict=True):
        system, network = (node.facts.system, node.facts.network) if node else ("", "")
        counted.append(CounterChange(system, network, difference(old, new)))
    whole = together(counted)
    drops, buffer = drops_between(before.sockets, after.sockets)
    return {
        **whole,
        "udp_socket_drops": drops,
        "udp_buffer_bytes": buffer,
        "tcp_needless": needless_retransmits(whole),
    }
