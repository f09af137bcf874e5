"""Commands in processes of their own that need not import Busmark first.

An interpreter takes a second of CPU to import it, and end-to-end tests run it some two hundred
times. These processes are forked from one that has done so, and otherwise are like the command's:
with their own number, session, environment, folder and output. What a user types begins with a new
interpreter; `Lab.start` does, and whatever has its own prefix or variables.
"""

from __future__ import annotations

import atexit
import multiprocessing
import os
import signal
import sys
import uuid
from collections.abc import Mapping
from multiprocessing.context import ForkServerContext
from pathlib import Path
from typing import IO

from busmark.cli import main

IMPORTED = (
    "busmark.cli.conduct",
    "busmark.cli.run",
    "busmark.cli.show",
    "busmark.plugins.capture.companion",
    "busmark.plugins.capture.findings",
    "busmark.plugins.lab.hook",
    "busmark.plugins.papers.blocks",
    "busmark.present.blocks.report",
    "busmark.present.sinks.page",
    "busmark.present.sinks.terminal",
    "busmark.scenario.load",
    "scipy.optimize",
    "scipy.special",
    "scipy.stats",
)
"""By the process that is forked; nothing of it uses threads before a command does."""


def run(
    arguments: list[str],
    folder: Path,
    environment: Mapping[str, str],
    kept: Path,
    watchdog_s: float,
) -> tuple[int | None, str, str]:
    """Run `busmark`; return its exit code, as `subprocess` has it, and what it printed. The code is
    None if it hung: it has been killed."""
    context = multiprocessing.get_context("forkserver")
    assert isinstance(context, ForkServerContext)
    context.set_forkserver_preload(list(IMPORTED))
    name = uuid.uuid4().hex
    files = [kept / f"{name}.{stream}" for stream in ("out", "err")]
    for file in files:
        file.touch()
    process = context.Process(
        target=_command, args=(arguments, str(folder), dict(environment), [str(f) for f in files])
    )
    process.start()
    process.join(watchdog_s)
    if hangs := process.is_alive():
        assert process.pid is not None
        os.killpg(process.pid, signal.SIGKILL)
        process.join()
    out, err = (file.read_text(encoding="utf-8", errors="replace") for file in files)
    for file in files:
        file.unlink()
    code = process.exitcode
    process.close()
    return None if hangs else code, out, err


def _command(
    arguments: list[str], folder: str, environment: Mapping[str, str], files: list[str]
) -> None:
    """Run `busmark` in the forked process."""
    os.setsid()
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    sys.stdout, sys.stderr = (
        _stream(1, files[0], "strict"),
        _stream(2, files[1], "backslashreplace"),
    )
    sys.argv = ["busmark", *arguments]
    try:
        main()
    finally:
        atexit._run_exitfuncs()


def _stream(number: int, file: str, errors: str) -> IO[str]:
    """Let standard output or error go into this file; return the stream."""
    os.dup2(os.open(file, os.O_WRONLY), number)
    return open(number, "w", encoding="utf-8", errors=errors, closefd=False)
