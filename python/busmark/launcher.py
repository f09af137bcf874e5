"""The one way in which processes are started: here, behind a command prefix, or on a node.

Each is in a session of its own, so that it can be ended with all that it has started and that has
not left its group. It carries the mark of whoever started it, so that the rest, and what a killed
run left, is found (`busmark.processes`). Every wait for its end has a bound.
"""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from subprocess import DEVNULL, PIPE, STDOUT
from typing import IO, Self

from busmark import platform
from busmark.processes import Part, ending, marked

__all__ = ["DEVNULL", "GONE_S", "MARK", "PIPE", "STDOUT", "Launched", "Start", "Target", "marker"]

MARK = "busmark-"
"""What every marker begins with."""
GONE_S = 5.0
"""How long a killed process is waited for: one that still exists then is stuck in the kernel."""

Target = int | IO[bytes] | Path
"""Where an output goes: PIPE, DEVNULL, STDOUT (errors only), an open file, or the path of one."""


def marker() -> str:
    """Return a word that nobody else prints."""
    return f"{MARK}{secrets.token_hex(16)}"


@dataclass(frozen=True)
class Start:
    """How a process is started. On a node a shell starts it: the shell is asked for its number
    first, and becomes the process when it has answered. So the output of a login can be separated
    from the output of the process; and the process does not begin before the programs that start it
    have gone."""

    command: list[str]
    """On a node, the command of the shell."""
    environment: Mapping[str, str] = field(default_factory=lambda: {**os.environ})
    becomes: str = ""
    """On a node: the command itself, in the words of a shell."""
    marker: str = ""

    @property
    def question(self) -> bytes:
        """First input. The shell answers with a line of the marker and its process number."""
        return f"printf '\\n%s %s\\n' {self.marker} $$\n".encode() if self.becomes else b""

    @property
    def order(self) -> bytes:
        """Second input."""
        return f"exec {self.becomes}\n".encode() if self.becomes else b""

    def number(self, said: str) -> int | None:
        """Find the process's number on its node in its output; None where that is not there."""
        form = rf"^{re.escape(self.marker)} ([0-9]{{1,10}})\r?\n"
        found = re.search(form, said, re.M) if self.marker else None
        return int(found[1]) if found else None


class Launched:
    """A process that was started."""

    def __init__(
        self,
        start: Start,
        part: Part | None,
        *,
        stdin: int = PIPE,
        stdout: Target = PIPE,
        stderr: Target = DEVNULL,
    ) -> None:
        """Start the process.

        Args:
            part: of the run, with which it ends; None: its caller alone ends it.

        Raises:
            OSError: it cannot be started.
        """
        self.start = start
        with contextlib.ExitStack() as files:
            output, errors = (
                files.enter_context(each.open("wb")) if isinstance(each, Path) else each
                for each in (stdout, stderr)
            )
            self._process = subprocess.Popen(
                start.command,
                stdin=stdin,
                stdout=output,
                stderr=errors,
                bufsize=0,
                start_new_session=True,
                env={**start.environment, **(marked(part) if part else {})},
            )
        self.pid = self._process.pid
        """On this machine: of the process, or of the way to it."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    @property
    def input(self) -> IO[bytes]:
        """Our end of its input."""
        assert self._process.stdin is not None
        return self._process.stdin

    @property
    def output(self) -> IO[bytes]:
        """Our end of its output."""
        assert self._process.stdout is not None
        return self._process.stdout

    @property
    def errors(self) -> IO[bytes]:
        """Our end of its standard error, where that is a pipe of its own."""
        assert self._process.stderr is not None
        return self._process.stderr

    @property
    def returncode(self) -> int | None:
        """As `subprocess` has it; None while it runs."""
        return self._process.poll()

    @property
    def killed(self) -> str | None:
        """Return the signal that has ended it by now, in words; None where none has."""
        code = self.returncode
        return ending(code) if code is not None and code < 0 else None

    def write(self, data: bytes) -> None:
        """Give it input. Nothing happens where it has gone, which its end shows."""
        rest = memoryview(data)
        with contextlib.suppress(OSError, ValueError):
            while rest:
                rest = rest[os.write(self.input.fileno(), rest) :]

    def end_input(self) -> None:
        """Close its input: most processes end by themselves then."""
        with contextlib.suppress(OSError):
            self.input.close()

    def wait(self, within_s: float) -> int | None:
        """Wait for its end, and return its exit code; None if it has not ended within that time."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            return self._process.wait(within_s)
        return None

    def complete(self, within_s: float | None = None, data: bytes | None = None) -> tuple[str, str]:
        """Give it this input, wait for its end, and return what came on both pipes.

        Raises:
            TimeoutError: it has not ended.
        """
        try:
            found = self._process.communicate(data, within_s)
        except subprocess.TimeoutExpired:
            raise TimeoutError from None
        output, errors = ((text or b"").decode(errors="replace") for text in found)
        return output, errors

    def kill(self) -> None:
        """End it and everything that it has started, at once."""
        platform.end_group(self.pid)

    def stop(self, within_s: float = 0.0) -> None:
        """Close its input, kill what is left of it after that time, and close the pipes."""
        if self._process.stdin:
            self.end_input()
        if within_s:
            self.wait(within_s)
        self.kill()
        self.wait(GONE_S)
        if self._process.stdout:
            self._process.stdout.close()
        if self._process.stderr:
            self._process.stderr.close()
