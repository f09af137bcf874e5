"""The one way in which processes are started: here, behind a command prefix, or on a node.

Each is in a session of its own, so that it can be ended with all that it has started and that has
not left its group. It carries the mark of whoever started it, so that the rest, and what a killed
run left, is found (`busmark.processes`). Every wait for its end has a bound, and so has what it
prints: one that prints without end is ended before it fills the memory or the disk.
"""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import selectors
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from subprocess import DEVNULL, PIPE, STDOUT
from typing import IO, Self

from busmark import files, platform
from busmark.errors import UserError
from busmark.processes import Part, ending, marked

__all__ = [
    "DEVNULL",
    "GONE_S",
    "MARK",
    "MOST_PRINTED",
    "PIPE",
    "STDOUT",
    "Launched",
    "PrintsWithoutEnd",
    "Start",
    "Target",
    "completed",
    "marker",
    "pip_install",
    "programs",
    "python",
    "watch",
]

MARK = "busmark-"
"""Beginning of every marker."""
GONE_S = 5.0
"""How long a killed process is waited for: one that still exists then is stuck in the kernel."""

MOST_PRINTED = 16 << 20
"""Bytes that a process may print, on each of its outputs, unless its caller knows better."""
WATCH_S = 0.25
"""How often it is looked how much has been printed into files."""
BLOCK_BYTES = 1 << 16

Target = int | IO[bytes] | Path
"""Destination of an output: PIPE, DEVNULL, STDOUT (errors only), an open file, or the path of one.
"""


def marker() -> str:
    """Return a word that nobody else prints."""
    return f"{MARK}{secrets.token_hex(16)}"


class PrintsWithoutEnd(UserError):
    """A process has printed more than it may, and was ended."""

    def __init__(self, process: Launched) -> None:
        super().__init__(
            f"it was ended, for it printed more than {process.most_bytes >> 20} MiB",
            where=process.start.command[0],
            remedy="See what it prints, and have it print less.",
        )


def python(*words: str | Path) -> list[str]:
    """Return the command of a child that is this Python. -P: no module comes from the current
    directory, which may be a stranger's."""
    return [sys.executable, "-P", *map(str, words)]


def programs() -> Path:
    """Return the folder of the programs of this Python's environment."""
    return Path(sys.executable).parent


def pip_install(packages: str) -> str:
    """Return what a user is to type to install packages beside Busmark."""
    return f"Type: {sys.executable} -m pip install {packages}"


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
        most_bytes: int = MOST_PRINTED,
        folder: Path | None = None,
    ) -> None:
        """Start the process.

        Args:
            part: of the run, with which it ends; None: its caller alone ends it.
            most_bytes: that each output may have, in a file or for `complete`.
            folder: in which it starts.

        Raises:
            OSError: it cannot be started.
        """
        self.start = start
        self.most_bytes = most_bytes
        self.overrun = False
        """Whether it printed more than `most_bytes`, and was ended for it."""
        self._written = [each for each in (stdout, stderr) if isinstance(each, Path)]
        with contextlib.ExitStack() as stack:

            def target(each: Target) -> int | IO[bytes]:
                if isinstance(each, Path):
                    return stack.enter_context(files.created(each, anew=True))
                return each

            output, errors = target(stdout), target(stderr)
            self._process = subprocess.Popen(
                start.command,
                stdin=stdin,
                stdout=output,
                stderr=errors,
                bufsize=0,
                start_new_session=True,
                cwd=folder,
                env={**start.environment, **(marked(part) if part else {})},
            )
        self.pid = self._process.pid
        """On this machine: of the process, or of the way to it."""
        if self._written:
            watch()
            with _adding:
                _watched.add(self)

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
        """Exit code as in `subprocess`; None while it runs."""
        return self._process.poll()

    @property
    def killed(self) -> str | None:
        """Return in words the signal that has ended it by now, or for what we have ended it; None
        where neither is so."""
        code = self.returncode
        if code is not None and self.overrun:
            return PrintsWithoutEnd(self).message
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

    def wait(self, within_s: float | None) -> int | None:
        """Wait for its end, and return its exit code; None if it has not ended within that time,
        where there is one."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            return self._process.wait(within_s)
        return None

    def complete(self, within_s: float | None = None, data: bytes | None = None) -> tuple[str, str]:
        """Give it this input, wait for its end, and return what came on both pipes.

        Raises:
            TimeoutError: it has not ended.
            PrintsWithoutEnd: it has printed more than it may, and was ended.
        """
        end = None if within_s is None else time.monotonic() + within_s
        rest = memoryview(data or b"")
        pipes = (self._process.stdout, self._process.stderr)
        found = [bytearray() for _ in pipes]
        with selectors.DefaultSelector() as waiting:
            for pipe, printed in zip(pipes, found, strict=True):
                if pipe:
                    waiting.register(pipe, selectors.EVENT_READ, printed)
            if self._process.stdin and rest:
                os.set_blocking(self.input.fileno(), False)
                waiting.register(self._process.stdin, selectors.EVENT_WRITE)
            elif self._process.stdin:
                self.end_input()
            while waiting.get_map():
                left = None if end is None else end - time.monotonic()
                if left is not None and left <= 0.0:
                    raise TimeoutError
                for key, _ in waiting.select(left):
                    if key.data is None:
                        with contextlib.suppress(OSError):  # it has gone, which its end shows
                            rest = rest[os.write(key.fd, rest[:BLOCK_BYTES]) :]
                            if rest:
                                continue
                        waiting.unregister(key.fileobj)
                        self.end_input()
                    elif block := os.read(key.fd, BLOCK_BYTES):
                        key.data.extend(block)
                        if len(key.data) > self.most_bytes:
                            self.overrun = True
                            self.kill()
                            raise PrintsWithoutEnd(self)
                    else:
                        waiting.unregister(key.fileobj)
        if self.wait(None if end is None else max(0.0, end - time.monotonic())) is None:
            raise TimeoutError
        output, errors = (printed.decode(errors="replace") for printed in found)
        return output, errors

    def look(self) -> bool:
        """End it where its files have more than they may; return whether it is to be looked at
        again."""
        if self.overrun or self.returncode is not None:
            return False
        for path in self._written:
            with contextlib.suppress(OSError):
                if path.stat().st_size > self.most_bytes:
                    self.overrun = True
                    self.kill()
                    # Its first words are kept, and the disk is free again.
                    os.truncate(path, self.most_bytes)
        return not self.overrun

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


def completed(
    command: list[str],
    *,
    within_s: float | None = None,
    data: bytes | None = None,
    folder: Path | None = None,
    environment: Mapping[str, str] | None = None,
    together: bool = False,
    most_bytes: int = MOST_PRINTED,
) -> tuple[int, str, str]:
    """Run a program to its end; return its exit code and what it has printed on both outputs,
    or on the first where they go `together`.

    Raises:
        OSError: it cannot be started.
        TimeoutError, PrintsWithoutEnd: as for `complete`; nothing of it is left.
    """
    start = Start(command, {**os.environ, **(environment or {})})
    with Launched(
        start,
        None,
        stdin=PIPE if data else DEVNULL,
        stderr=STDOUT if together else PIPE,
        most_bytes=most_bytes,
        folder=folder,
    ) as process:
        output, errors = process.complete(within_s, data)
        code = process.returncode
    assert code is not None
    return code, output, errors


_watched: weakref.WeakSet[Launched] = weakref.WeakSet()
_adding = threading.Lock()


@cache
def watch() -> None:
    """Begin the thread that looks how much processes print into files: before a campaign has
    anything to lose."""
    threading.Thread(target=_look, name="busmark-printed", daemon=True).start()


def _look() -> None:
    while True:
        time.sleep(WATCH_S)
        with _adding:
            now = list(_watched)
        over = [each for each in now if not each.look()]
        with _adding:
            _watched.difference_update(over)
