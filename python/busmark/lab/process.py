"""Processes that may end at any time, and whose number may be used again."""

from __future__ import annotations

import contextlib
import os
import signal
from pathlib import Path

from pydantic import BaseModel, ConfigDict


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
        """Ends it, and nothing else."""
        if self.alive:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGKILL)


def process(pid: int) -> Process:
    """The process that has this number now."""
    return Process(pid=pid, began=_began(pid) or 0)


def _began(pid: int) -> int | None:
    try:
        text = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return None
    # The name in brackets may hold anything.
    fields = text.rpartition(")")[2].split()
    return None if fields[0] in "ZX" else int(fields[19])
