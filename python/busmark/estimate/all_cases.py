"""All cases of a campaign: analysed while it runs, each in the pause after its last round, or at
its end, in this process and, of a large result, in a second one."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Lock
from typing import Any

from busmark.estimate.one_case import CaseAnalysis, CaseFigures, CaseTask, analysed, tasks_of
from busmark.estimate.rounds import Row, rows_of
from busmark.launcher import python
from busmark.platform import usable_cpus
from busmark.store import Result
from busmark.store.rows import as_frame


class EarlyCases:
    """Cases of a campaign that were analysed before its end."""

    def __init__(self, directory: Path, rounds: int) -> None:
        """Take a result that will have this many rounds, as far as that is known."""
        self._directory = directory
        self._rounds = rounds
        self._common: CaseAnalysis | None = None
        self._tasks: dict[str, CaseTask] = {}
        self._found: dict[str, tuple[CaseAnalysis, CaseTask, CaseFigures]] = {}

    def add(self, case: str, rows: Sequence[Row]) -> None:
        """Analyse a case of which these are all rows."""
        # Whatever is wrong is met again at the end: a campaign must not stop at it.
        with suppress(Exception):
            self._found[case] = self._analysed(case, rows)

    def _analysed(
        self, case: str, rows: Sequence[Row]
    ) -> tuple[CaseAnalysis, CaseTask, CaseFigures]:
        if self._common is None:
            common, tasks = tasks_of(Result(self._directory), rounds_planned=self._rounds)
            self._common, self._tasks = common, {task.case.id: task for task in tasks}
        task = self._tasks[case]._replace(rows=rows_of(as_frame([*rows]))[case])
        return self._common, task, analysed(self._common, task)

    def figures(self, common: CaseAnalysis, task: CaseTask) -> CaseFigures | None:
        """Return what was found of a case; None unless it was made of the same."""
        if task.case.id not in self._found:
            return None
        known, done, found = self._found[task.case.id]
        same = known.thinning == common.thinning and _campaign(known) == _campaign(common)
        return found if same and done == task else None


def _campaign(common: CaseAnalysis) -> list[Any]:
    """Return what of the campaign a case is described with."""
    manifest = common.result.manifest
    return [manifest.scenario, manifest.hosts, manifest.resumptions, manifest.source]


# Python runs one thread at a time, so that half of the time a second CPU would wait. A process of
# its own uses it. Its input is a `CaseAnalysis` and then arguments of `analysed`, its output what
# that gives. It ends with its input, and on the first error: this process meets the same one, and
# reports it.

LARGE = 1 << 26
"""Bytes of samples from which a second process takes less time than it costs."""

CODE = """
from busmark import platform
platform.keep_memory()
from busmark.estimate.all_cases import main
main()
"""


def every(
    common: CaseAnalysis, tasks: list[CaseTask], early: EarlyCases | None = None
) -> list[CaseFigures]:
    """Return `analysed` of every task, in their order; two at the same time: each needs the memory
    of its samples. Where there is no second process, reading and sorting leave the interpreter to
    the other meanwhile."""
    found: dict[int, CaseFigures] = {}
    for number, task in enumerate(tasks if early else ()):
        if early and (known := early.figures(common, task)):
            found[number] = known
    left = iter([number for number in range(len(tasks)) if number not in found])
    lock = Lock()

    def following() -> int | None:
        with lock:
            return next(left, None)

    def in_this(number: int | None) -> None:
        while number is not None:
            found[number] = analysed(common, tasks[number])
            number = following()

    def in_second(process: subprocess.Popen[bytes], number: int | None) -> None:
        with suppress(OSError, EOFError, pickle.UnpicklingError):
            _send(process, common)
            while number is not None:
                _send(process, tasks[number])
                assert process.stdout
                found[number] = pickle.load(process.stdout)
                number = following()
        # It was ended: its part is done here.
        in_this(number)

    with (
        _process(common.result.directory, len(tasks) - len(found)) as process,
        ThreadPoolExecutor(2) as pool,
    ):
        first = following()
        both = [
            pool.submit(in_second, process, first) if process else pool.submit(in_this, first),
            pool.submit(lambda: in_this(following())),
        ]
        for each in both:
            each.result()
    return [found[number] for number in range(len(tasks))]


@contextmanager
def _process(directory: Path, tasks: int) -> Iterator[subprocess.Popen[bytes] | None]:
    """Give a process for this result; none where it is small, there is one CPU only, or one task at
    most."""
    if tasks < 2 or len(usable_cpus()) < 2 or _size(directory / "samples") < LARGE:
        yield None
        return
    process = subprocess.Popen(
        python("-c", CODE),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        # What is parallel here is the processes.
        env={**os.environ, "POLARS_MAX_THREADS": "1"},
    )
    try:
        yield process
    finally:
        process.kill()
        with suppress(OSError):
            process.communicate()


def _size(folder: Path) -> int:
    try:
        with os.scandir(folder) as files:
            return sum(file.stat().st_size for file in files)
    except OSError:
        return 0


def _send(process: subprocess.Popen[bytes], item: object) -> None:
    assert process.stdin
    pickle.dump(item, process.stdin, pickle.HIGHEST_PROTOCOL)
    process.stdin.flush()


def main() -> None:
    """Analyse what comes, until the input ends."""
    # What a library prints must not come between.
    with os.fdopen(os.dup(1), "wb") as out:
        os.dup2(2, 1)
        with suppress(EOFError, BrokenPipeError):
            common: Any = pickle.load(sys.stdin.buffer)
            while True:
                task = pickle.load(sys.stdin.buffer)
                pickle.dump(analysed(common, task), out, pickle.HIGHEST_PROTOCOL)
                out.flush()
