"""A process that analyses cases beside the one that shows them.

Its input is a `CaseAnalysis` and then arguments of `analysed`, its output what that gives. It ends
with its input, and on the first error: the other process meets the same one, and tells of it.
"""

from __future__ import annotations

import os
import pickle
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from threading import Lock
from typing import Any, Protocol

from busmark.estimate.case import CaseSummary
from busmark.estimate.one_case import CaseAnalysis, Task, analysed

Analysed = tuple[CaseSummary, list[str]]
"""A case, and what of it could not be used."""


class Helper(Protocol):
    """Another process that runs `main`."""

    def send(self, item: object) -> None:
        """To it; OSError where it has ended."""

    def receive(self) -> Any:
        """The next from it; EOFError or pickle.UnpicklingError where it has ended."""


def every(common: CaseAnalysis, tasks: list[Task], helper: Helper | None) -> list[Analysed]:
    """`analysed` of every task, in their order; two at the same time: each needs the memory of its
    samples. With a helper one of the two is there, else reading and sorting leave the interpreter
    to the other meanwhile."""
    found: dict[int, Analysed] = {}
    left = iter(range(len(tasks)))
    lock = Lock()

    def here() -> None:
        while (number := _next(left, lock)) is not None:
            found[number] = analysed(common, tasks[number])

    def there(other: Helper, number: int | None) -> None:
        with suppress(OSError, EOFError, pickle.UnpicklingError):
            other.send(common)
            while number is not None:
                other.send(tasks[number])
                found[number] = other.receive()
                number = _next(left, lock)
        if number is not None and number not in found:
            # It was ended: its part is done here.
            found[number] = analysed(common, tasks[number])
            here()

    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(there, helper, _next(left, lock)) if helper else pool.submit(here)
        both = [first, pool.submit(here)]
    for each in both:
        each.result()
    return [found[number] for number in range(len(tasks))]


def _next(left: Any, lock: Lock) -> int | None:
    with lock:
        return next(left, None)


def main() -> None:
    """Until the input ends."""
    # What a library prints must not come between.
    with os.fdopen(os.dup(1), "wb") as out:
        os.dup2(2, 1)
        with suppress(EOFError, BrokenPipeError):
            common = pickle.load(sys.stdin.buffer)
            while True:
                task = pickle.load(sys.stdin.buffer)
                pickle.dump(analysed(common, task), out, pickle.HIGHEST_PROTOCOL)
                out.flush()
