"""Commands before and after every round, here or on a node: `run.prepare` and `run.conclude`."""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

from busmark.control.places import Place, Places
from busmark.control.waiting import in_thread
from busmark.errors import RoundError
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
        """Nothing is begun yet; `folder` is for what commands print."""
        self._scenario, self._places, self._params = scenario, places, params
        self._folder = folder
        self._stopped = threading.Event()
        self.records: list[dict[str, Any]] = []
        """For each that was run: when, command, node, exit code, seconds, last lines, reason."""

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
        self.records.append({
            "when": when, "command": each.command, "node": each.node or None, "exit_code": code,
            "seconds": round(time.monotonic() - begin, 6), "output": lines, "reason": why or None,
        })  # fmt: skip
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
def _started(place: Place, command: str, said: Path) -> Iterator[Launched]:
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
