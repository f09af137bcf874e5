"""Time to full discovery: from the start of creation, participants included, until the last
endpoint has matched all others of its topic. By a round of the controller, and by a bare program.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from bare import PROGRAMS, find
from busmark.adapters import environment
from busmark.control.round import RoundRunner
from ours import DOMAIN, Ours
from task import MAIN, MATCH_TIMEOUT_S, MeasurementError, Task, Values

NS = 1_000_000_000


class Meeting(RoundRunner):
    """A round that notes when it began to make endpoints, and when the last was there."""

    begin_ns = ready_ns = 0

    async def _setup(self, *args: Any) -> int:
        self.begin_ns = time.monotonic_ns()
        self.ready_ns = await super()._setup(*args)
        return self.ready_ns


class OurMeeting:
    """Busmark's side."""

    def __init__(self, ours: Ours) -> None:
        self._ours = ours

    def measure(self, task: Task) -> Values:
        """Run one round in fresh processes and return its times."""
        runner, data = self._ours.round(*self._ours.case(task), Meeting)
        # None: all had matched before the last process said that its endpoints were there.
        after_s = data.discovery.seconds or 0.0
        return _values(runner.begin_ns, runner.ready_ns, runner.ready_ns + round(after_s * NS))


class BareMeeting:
    """The bare program's."""

    def measure(self, task: Task) -> Values:
        """Run one meeting of fresh processes, which begin together, and return its times."""
        program = find(PROGRAMS[task.adapter][0])
        assert program is not None
        options = {"domain": DOMAIN, "processes": task.processes, "topics": task.topics}
        named = [text for name, value in options.items() for text in (f"--{name}", str(value))]
        command = [str(program), "meet", *named]
        with ExitStack() as stack:
            processes = [stack.enter_context(_process(command)) for _ in range(task.processes)]
            for process in processes:
                _line(process)
            begin_ns = time.monotonic_ns()
            for process in processes:
                _next(process)
            lines = [json.loads(_line(process)) for process in processes]
            for process in processes:
                _next(process)
                process.wait(MATCH_TIMEOUT_S)
        last = {key: max(each[key] for each in lines) for key in ("ready_ns", "matched_ns")}
        return _values(begin_ns, last["ready_ns"], last["matched_ns"])


def _values(begin_ns: int, ready_ns: int, matched_ns: int) -> Values:
    return {
        MAIN: float(max(ready_ns, matched_ns) - begin_ns),
        "made_ns": float(ready_ns - begin_ns),
        "after_ns": float(max(0, matched_ns - ready_ns)),
    }


@contextmanager
def _process(command: list[str]) -> Iterator[subprocess.Popen[str]]:
    """Start a process and end it with the block; it is killed if this process dies."""
    process = subprocess.Popen(
        ["setpriv", "--pdeathsig", "KILL", *command],
        stdin=subprocess.PIPE,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, **environment()},
        start_new_session=True,
    )
    try:
        yield process
    finally:
        if process.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


def _next(process: subprocess.Popen[str]) -> None:
    assert process.stdin is not None
    process.stdin.write("\n")
    process.stdin.flush()


def _line(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    there, _, _ = select.select([process.stdout], [], [], MATCH_TIMEOUT_S)
    line = process.stdout.readline() if there else ""
    if not line:
        process.kill()
        why = process.communicate()[1].strip() or f"says nothing for {MATCH_TIMEOUT_S:g} s"
        raise MeasurementError(f"bare program: {why}")
    return line
