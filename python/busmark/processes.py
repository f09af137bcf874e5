"""Processes that a run starts, and that none of them outlives it.

Whatever a run starts carries a mark in its environment, which descendants inherit: who owns it. So
it is found and ended also where it has left its process group, its session and its parent, as a
daemon does, and by a later command where the owner was killed. Jenkins ends what a build leaves
behind in the same manner. A process that clears its environment escapes.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict

VARIABLE = "BUSMARK_OWNER"
"""Holds the mark: PID namespace, process and its begin, and the part of the run."""

Part = Literal["lab", "round"]
"""What a process belongs to: it ends with the run, or with the round."""

LOOKS = 10
PATIENCE_S = 5.0
"""A killed process that is still there after so long sits in the kernel."""


class Killed(Exception):
    """A process that was needed has been killed from outside."""


class Process(BaseModel):
    """A process, told from a later one of the same number by when it began."""

    model_config = ConfigDict(frozen=True)

    pid: int
    began: int
    """Clock ticks since the system's start (proc(5), field 22 of stat)."""

    @property
    def alive(self) -> bool:
        """Whether it is still this one, and no zombie."""
        return _began(self.pid) == self.began

    def kill(self) -> None:
        """Ends it, and nothing else; waits until it is gone."""
        try:
            descriptor = os.pidfd_open(self.pid)
        except OSError:
            return
        try:
            if self.alive:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    signal.pidfd_send_signal(descriptor, signal.SIGKILL)
                    select.select([descriptor], [], [], PATIENCE_S)
        finally:
            os.close(descriptor)

    @property
    def command(self) -> str:
        """As it was called; empty for one that is gone."""
        try:
            words = Path(f"/proc/{self.pid}/cmdline").read_bytes().split(b"\0")
        except OSError:
            return ""
        return b" ".join(words).decode(errors="replace").strip()


def end_group(process: int) -> None:
    """Kills a process and everything it has started and that has not left its group."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process, signal.SIGKILL)


def signal_name(number: int) -> str:
    """Such as SIGSEGV; real-time signals have numbers only."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def ending(code: int) -> str:
    """How a process has ended, by its exit code as `subprocess` has it."""
    return f"killed by {signal_name(-code)}" if code < 0 else f"exit code {code}"


def process(pid: int) -> Process:
    """The process that has this number now."""
    return Process(pid=pid, began=_began(pid) or 0)


def marked(part: Part) -> dict[str, str]:
    """The variable by which what is started with it belongs to this process."""
    own = process(os.getpid())
    return {VARIABLE: f"{_namespace()} {own.pid} {own.began} {part}"}


def end_orphans() -> None:
    """Ends what killed owners have left behind."""
    for found, owner, _ in _marked():
        if not owner.alive:
            found.kill()


def end_part(part: Part) -> list[str]:
    """Ends what this process has started for a part of its run and what is still there; the
    commands of what was."""
    own, commands = process(os.getpid()), []
    # Again, for a process may start another while it is looked for.
    for _ in range(LOOKS):
        left = [found for found, owner, of in _marked() if (owner, of) == (own, part)]
        if not left:
            break
        commands += [found.command for found in left]
        for found in left:
            found.kill()
    return commands


def _marked() -> Iterator[tuple[Process, Process, str]]:
    """Every process with a mark, its owner, and the part of the run.

    Marks of another PID namespace are left alone: the numbers in them mean other processes.
    """
    wanted = f"{VARIABLE}={_namespace()} ".encode()
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        found = process(int(entry.name))
        try:
            variables = (entry / "environ").read_bytes().split(b"\0")
        except OSError:
            continue  # gone, or another user's
        for variable in variables:
            if variable.startswith(wanted):
                pid, began, part = variable[len(wanted) :].decode().split(" ")
                yield found, Process(pid=int(pid), began=int(began)), part


def _namespace() -> str:
    return os.readlink("/proc/self/ns/pid")


def _began(pid: int) -> int | None:
    try:
        text = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return None
    # The name in brackets may hold anything.
    fields = text.rpartition(")")[2].split()
    return None if fields[0] in "ZX" else int(fields[19])
