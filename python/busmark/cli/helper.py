"""A second process for the analysis of large results, started before anything large is imported.

Python runs one thread at a time, so that half of the time a second CPU would wait. A process of
its own uses it, and imports while this one does.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from busmark.platform import usable_cpus

LARGE = 1 << 26
"""Bytes of samples from which a second process takes less time than it costs."""


CODE = """
from busmark import platform
platform.keep_memory()
from busmark.estimate.helper import main
main()
"""


class Helper:
    """The process: `busmark.estimate.helper.main`. Objects go there and back in order."""

    def __init__(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-P", "-c", CODE],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            # What is parallel here is the processes.
            env={**os.environ, "POLARS_MAX_THREADS": "1"},
        )  # fmt: skip

    def send(self, item: object) -> None:
        """To the process.

        Raises:
            OSError: it has ended.
        """
        assert self.process.stdin
        pickle.dump(item, self.process.stdin, pickle.HIGHEST_PROTOCOL)
        self.process.stdin.flush()

    def receive(self) -> Any:
        """What it has made of the next.

        Raises:
            EOFError, pickle.UnpicklingError: it has ended.
        """
        assert self.process.stdout
        return pickle.load(self.process.stdout)

    def close(self) -> None:
        """Ends it."""
        self.process.kill()
        with suppress(OSError):
            self.process.communicate()


@contextmanager
def helping(directory: Path) -> Iterator[Helper | None]:
    """A process for this result; None where it is small, or there is one CPU only."""
    if len(usable_cpus()) < 2 or _size(directory / "samples") < LARGE:
        yield None
        return
    found = Helper()
    try:
        yield found
    finally:
        found.close()


def _size(folder: Path) -> int:
    try:
        with os.scandir(folder) as files:
            return sum(file.stat().st_size for file in files)
    except OSError:
        return 0
