"""A run of scenario.toml whose errors go to a terminal, as a person's do."""

from __future__ import annotations

import os
import pty
import select
import signal
import subprocess
import sys
import termios
import time
from collections.abc import Iterator

import pytest
from e2e_harness import WATCHDOG_S, Lab

LOOK_S = 0.2
LINES = 25


class Terminal:
    """It begins when it is made."""

    def __init__(self, lab: Lab, columns: int) -> None:
        self._ours, self._theirs = pty.openpty()
        self.resize(columns)
        self._process = subprocess.Popen(
            [sys.executable, "-m", "busmark", "run", "scenario.toml", "--out", "result"],
            cwd=lab.folder, env={**lab.environment, "TERM": "xterm"}, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=self._theirs, start_new_session=True,
        )  # fmt: skip

    def resize(self, columns: int) -> None:
        termios.tcsetwinsize(self._theirs, (LINES, columns))

    def painted(self) -> Iterator[bytes]:
        """What is painted, piece by piece, until the run has ended well."""
        until = time.monotonic() + WATCHDOG_S
        while True:
            # Looked at first: what was painted before the end is there afterwards.
            ended = self._process.poll() is not None
            if select.select([self._ours], [], [], LOOK_S)[0]:
                yield os.read(self._ours, 65536)
            elif ended:
                break
            elif time.monotonic() > until:
                os.killpg(self._process.pid, signal.SIGKILL)
                self._process.wait()
                pytest.fail("hangs")
        os.close(self._theirs)
        os.close(self._ours)
        assert self._process.returncode == 0
