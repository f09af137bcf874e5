"""Processes that a run starts, and that none of them outlives it.

Whatever a run starts carries a mark in its environment, which descendants inherit: who owns it. So
it is found and ended also where it has left its process group, its session and its parent, as a
daemon does, and by a later command where the owner was killed. Jenkins ends what a build leaves
behind in the same manner. A process that clears its environment escapes.
"""

from __future__ import annotations

import os
import re
import signal
from collections.abc import Iterator
from typing import Literal

from pydantic import BaseModel, ConfigDict

from busmark import platform

VARIABLE = "BUSMARK_OWNER"
"""Holds the mark: PID namespace, process and its start, and the part of the run."""

Part = Literal["lab", "round"]
"""Owner of a process: it ends with the run, or with the round."""

LOOKS = 10
PATIENCE_S = 5.0
"""A killed process that still exists after this time is stuck in the kernel."""


class Killed(Exception):
    """A process that was needed has been killed from outside."""


class Process(BaseModel):
    """A process, distinguished from a later one of the same number by when it began."""

    model_config = ConfigDict(frozen=True)

    pid: int
    began: int
    """Clock ticks since the system's start (proc(5), field 22 of stat)."""

    @property
    def alive(self) -> bool:
        """Return whether it is still this one, and no zombie."""
        return platform.began(self.pid) == self.began

    def kill(self) -> None:
        """End it, and nothing else; wait until it is gone."""
        descriptor = platform.handle(self.pid)
        if descriptor is None:
            return
        try:
            if self.alive:
                platform.kill_by(descriptor, PATIENCE_S)
        finally:
            os.close(descriptor)

    @property
    def command(self) -> str:
        """Command line as it was called; empty for a process that is gone."""
        return b" ".join(platform.words_of(self.pid, "cmdline")).decode(errors="replace").strip()


HINTS: dict[int, str] = {
    signal.SIGBUS: ", as where /dev/shm is full: see its size with `df /dev/shm`"
}
"""Most frequent causes of a signal that ends a process, where its name does not say it."""


def signal_name(number: int) -> str:
    """Return a signal's name, such as SIGSEGV; real-time signals have numbers only."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def ending(code: int) -> str:
    """Return how a process has ended, by its exit code as `subprocess` has it."""
    if code >= 0:
        return f"exit code {code}"
    return f"killed by {signal_name(-code)}{HINTS.get(-code, '')}"


def process(pid: int) -> Process:
    """Return the process that has this number now."""
    return Process(pid=pid, began=platform.began(pid) or 0)


def marked(part: Part) -> dict[str, str]:
    """Return the variable that makes processes started with it this process's own, for a part."""
    own = process(os.getpid())
    return {VARIABLE: f"{platform.namespace()} {own.pid} {own.began} {part}"}


def end_orphans() -> None:
    """End the processes that killed owners have left behind."""
    for found, owner, _ in _marked():
        if not owner.alive:
            found.kill()


def end_part(part: Part) -> list[str]:
    """End the processes that this process has started for a part of its run and that are still
    there; return their commands."""
    commands: list[str] = []
    # Again, for a process may start another while it is looked for.
    for _ in range(LOOKS):
        own = process(os.getpid())
        left = [found for found, owner, of in _marked() if (owner, of) == (own, part)]
        if not left:
            break
        commands += [found.command for found in left]
        for found in left:
            found.kill()
    return commands


def _marked() -> Iterator[tuple[Process, Process, str]]:
    """Yield every process with a mark, its owner, and the part of the run.

    Marks of another PID namespace are left alone: the numbers in them mean other processes.
    """
    wanted = f"{VARIABLE}={platform.namespace()} ".encode()
    for number in platform.processes():
        # Most have none: they need no further look.
        if wanted not in platform.read_of(number, "environ"):
            continue
        # Read again, for whoever has the number now is not who had it when that was read.
        found = process(number)
        for variable in platform.words_of(number, "environ"):
            if variable.startswith(wanted) and (owner := _owner(variable[len(wanted) :])):
                yield found, *owner


def _owner(mark: bytes) -> tuple[Process, str] | None:
    """Return owner and part of a mark; None for one that is not ours: anybody may set it."""
    numbers = re.fullmatch(rb"([0-9]{1,10}) ([0-9]{1,19}) ([a-z]+)", mark)
    if numbers is None:
        return None
    owner = Process(pid=int(numbers[1]), began=int(numbers[2]))
    return owner, numbers[3].decode()
