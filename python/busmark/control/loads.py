"""Background load on nodes of the user's, while a round runs."""

from __future__ import annotations

import contextlib
import random
import secrets
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path

from busmark.control.failure import RoundError
from busmark.control.places import Place
from busmark.load import TOOLS, Load, there
from busmark.nodes import Node
from busmark.processes import Killed, end_group, marked

LISTEN_S = 10.0
"""So long a sender is started again until its receiver listens."""
SETTLE_S = 0.5
"""A sender that finds no receiver has ended by then."""
STOP_S = 10.0
LOOK_S = 0.01
PORTS = range(20_000, 32_000)
"""Below those that systems give out by themselves."""


class Part:
    """One tool on one node."""

    def __init__(self, node: Node, tool: list[str], output: Path) -> None:
        """Starts it and waits until it runs.

        Raises:
            RoundError: it does not.
        """
        self.node = node
        self._output = output
        self._mark = f"busmark-{secrets.token_hex(16)}"
        start = node.command(there.words(tool, node.run_dir, self._mark))
        with output.open("wb") as file:
            self._process = subprocess.Popen(
                start.command, stdin=subprocess.PIPE, stdout=file, stderr=subprocess.STDOUT,
                start_new_session=True, env={**start.environment, **marked("round")},
            )  # fmt: skip
        assert self._process.stdin is not None
        self._input = self._process.stdin
        try:
            with contextlib.suppress(BrokenPipeError):
                self._input.write(start.question + start.order)
                self._input.flush()
            end = time.monotonic() + node.patience_s
            while not self.said.running:
                if self._process.poll() is not None or time.monotonic() > end:
                    raise RoundError("died", f"load on node {node.name}: it does not start")
                time.sleep(LOOK_S)
        except BaseException:
            self.kill()
            raise

    @property
    def process(self) -> int:
        """The prefix's, on this machine."""
        return self._process.pid

    @property
    def said(self) -> there.Said:
        """What it has said by now."""
        return there.said(self._output.read_text(errors="replace"), self._mark)

    @property
    def trouble(self) -> str | None:
        """How it has ended before its time; None while it runs."""
        if how := self.said.ending:
            return how
        return "the way to it has broken" if self._process.poll() is not None else None

    def stop(self) -> there.Said:
        """Ends it; what it said."""
        with contextlib.suppress(OSError):
            self._input.close()
        end = time.monotonic() + STOP_S
        while self.said.ended is None and time.monotonic() < end:
            time.sleep(LOOK_S)
        said = self.said
        self.kill()
        return said

    def kill(self) -> None:
        """Ends the way to it, and so the tool."""
        with contextlib.suppress(OSError):
            self._input.close()
        end_group(self._process.pid)
        self._process.wait()
        self._output.unlink(missing_ok=True)


class LoadThere:
    """A load that runs on nodes."""

    def __init__(self, load: Load, parts: list[Part]) -> None:
        self.load = load
        self.on: dict[str, float | None] = {}
        """What it came to, by node; known when it has ended. Of a network load: the receiver."""
        self.parts = parts
        self.begin = time.monotonic()

    def stop(self) -> float | None:
        """Ends it. What it came to where it came to least, in the unit of its level.

        Raises:
            Killed: it had ended before.
        """
        seconds = time.monotonic() - self.begin
        try:
            for part in self.parts:
                if how := part.trouble:
                    name = TOOLS[self.load.kind]
                    raise Killed(f"load on node {part.node.name}: {name} ended ({how})")
            # Of a network load the sender, which is the last, ends first.
            told = [(part.node, part.stop()) for part in reversed(self.parts)]
        finally:
            self.kill()
        if self.load.kind == "net":
            told = told[1:]
        for node, said in told:
            cpus = node.facts.profile["cpus_online"]
            lasted = seconds if self.load.kind == "net" else None
            self.on[node.name] = there.achieved(self.load, said, cpus, lasted)
        values = [value for value in self.on.values() if value is not None]
        return min(values) if len(values) == len(self.on) else None

    def kill(self) -> None:
        """Ends it at once."""
        for part in self.parts:
            part.kill()


def start(load: Load, places: Sequence[Place], folder: Path, limit_s: float) -> LoadThere:
    """Starts a load on these nodes; of a network load the first sends to the last.

    Raises:
        RoundError: it cannot be started.
    """
    running = LoadThere(load, [])

    def begin(place: Place, tool: list[str]) -> Part:
        assert place.node is not None
        output = folder / f"load.{place.node.name}.{len(running.parts)}.txt"
        running.parts.append(Part(place.node, tool, output))
        return running.parts[-1]

    try:
        if load.kind != "net":
            for place in places:
                begin(place, there.tool(load, limit_s))
            return running
        address, port = places[-1].address, random.choice(PORTS)
        receiver = begin(places[-1], there.receiver(address, port))
        end = time.monotonic() + LISTEN_S
        while True:
            running.begin = time.monotonic()
            sender = begin(places[0], there.sender(load, address, port, limit_s))
            time.sleep(SETTLE_S)
            if not (how := sender.trouble):
                return running
            if receiver.trouble or time.monotonic() > end:
                where = f"from node {sender.node.name} to {address} on {receiver.node.name}"
                raise RoundError("died", f"load net {where}: {receiver.trouble or how}")
            running.parts.pop().kill()
    except BaseException:
        running.kill()
        raise
