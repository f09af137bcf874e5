"""A command on a terminal, as a person has it."""

from __future__ import annotations

import os
import pty
import select
import signal
import subprocess
import sys
import termios
import time
from collections.abc import Callable

from e2e_harness import WATCHDOG_S, Lab


class Terminal:
    """A command on a terminal."""

    def __init__(self, lab: Lab, *arguments: str, columns: int = 100) -> None:
        self._ours, self.theirs = pty.openpty()
        self.resize(columns)
        self.before = termios.tcgetattr(self.theirs)
        self.process = subprocess.Popen(
            [sys.executable, "-m", "busmark", *arguments], cwd=lab.folder, stdin=self.theirs,
            stdout=self.theirs, stderr=self.theirs, start_new_session=True,
            env={**lab.environment, "TERM": "xterm-256color"},
        )  # fmt: skip
        self.painted = b""

    def resize(self, columns: int) -> None:
        termios.tcsetwinsize(self.theirs, (30, columns))

    def press(self, keys: str) -> None:
        """Type these keys; only what is painted from now on counts."""
        self.painted = b""
        os.write(self._ours, keys.encode())

    def shows(self, *words: str) -> None:
        self.until(lambda: all(word.encode() in self.painted for word in words))

    def until(self, condition: Callable[[], bool]) -> None:
        deadline = time.monotonic() + WATCHDOG_S
        while not condition():
            assert time.monotonic() < deadline, self.painted[-2000:]
            if select.select([self._ours], [], [], 0.2)[0]:
                self.painted += os.read(self._ours, 65536)

    def has_ended_well(self) -> None:
        self.until(lambda: self.process.poll() is not None and b"\x1b[?1049l" in self.painted)
        assert self.process.returncode == 0, self.painted[-2000:]
        assert termios.tcgetattr(self.theirs) == self.before, "the terminal is as it was"

    def close(self) -> None:
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        os.close(self.theirs)
        os.close(self._ours)
