"""Many inputs in one process, each under a clock; what is no answer in words is counted."""

from __future__ import annotations

import contextlib
import faulthandler
import io
import json
import os
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

from tools.mutations.answers import Answers
from tools.mutations.idl import Idl
from tools.mutations.imports import Imports
from tools.mutations.many import FOLDER
from tools.mutations.protocol import Protocol
from tools.mutations.reading.answer import Answer
from tools.mutations.reading.document import Document
from tools.mutations.reading.imported import Imported
from tools.mutations.reading.manifest import Manifest
from tools.mutations.reading.scenario import ScenarioText
from tools.mutations.reading.table import Table
from tools.mutations.results import Damage
from tools.mutations.scenarios import Scenarios
from tools.mutations.security import Security

from busmark.errors import UserError

Target = Callable[[int, Random], None]

KINDS: dict[str, Callable[[Path], Target]] = {
    "manifest": lambda folder: Damage(folder).manifest,
    "tables": lambda folder: Damage(folder).table,
    "imports": lambda folder: Imports(folder).file,
    "scenarios": lambda folder: Scenarios(folder).scenario,
    "protocol": lambda folder: Both(folder).line,
    "security": lambda folder: Security(folder).document,
    "idl": lambda folder: Idl(folder).input,
    "read-scenario": lambda folder: ScenarioText(folder).input,
    "read-answer": lambda folder: Answer(folder).input,
    "read-manifest": lambda folder: Manifest(folder).input,
    "read-table": lambda folder: Table(folder).input,
    "read-import": lambda folder: Imported(folder).input,
    "read-document": lambda folder: Document(folder).input,
}
"""What is damaged, and what is then done with it."""

STUCK_S = 300
"""A process that is still at one input after this time is ended, with the place where it is. The
time that counts is CPU time: how long others held up this machine says nothing about Busmark."""

WATCH_S = 10
"""The watch starts a thread, which takes longer than many an input: it is not begun for each."""


class Both:
    """The protocol in both directions: three lines to a worker, then an answer."""

    def __init__(self, folder: Path) -> None:
        self._to, self._from = Protocol(folder), Answers(folder)

    def line(self, number: int, rng: Random) -> None:
        """One of them."""
        if number % 4:
            self._to.line(number, rng)
        else:
            self._from.answer(number // 4, rng)


def run(kind: str, seed: int, first: int, count: int) -> dict[str, Any]:
    """What became of these inputs."""
    faults: dict[str, dict[str, Any]] = {}
    found: dict[str, Any] = {"inputs": count, "refused": 0, "slowest_s": 0.0, "slowest": first}
    with _temporary_folder() as name, _progress() as progress:
        target, watched = KINDS[kind](Path(name)), float("-inf")
        for number in range(first, first + count):
            if time.monotonic() - watched > WATCH_S:
                faulthandler.dump_traceback_later(STUCK_S, exit=True)
                watched = time.monotonic()
            began = time.process_time()
            try:
                with contextlib.redirect_stdout(io.StringIO()):
                    target(number, Random(f"{kind} {seed} {number}"))
            except UserError:
                found["refused"] += 1
            except Exception as error:
                where = _where(error)
                values = {"count": 0, "first": number, "error": repr(error)[:300]}
                faults.setdefault(where, values)["count"] += 1
            took = time.process_time() - began
            if took > found["slowest_s"]:
                found |= {"slowest_s": round(took, 3), "slowest": number}
            progress(number)
        faulthandler.cancel_dump_traceback_later()
    return found | {"peak_bytes": _peak_bytes(), "faults": faults}


def _peak_bytes() -> int:
    """Most memory of this program. `getrusage` would have the process that started it, too."""
    status = Path("/proc/self/status").read_text()
    (peak,) = (line.split()[1] for line in status.splitlines() if line.startswith("VmHWM:"))
    return int(peak) * 1024


@contextlib.contextmanager
def _temporary_folder() -> Iterator[str]:
    """Busmark's own temporary folders go there, too."""
    before = tempfile.tempdir
    with tempfile.TemporaryDirectory(prefix="busmark-mutate-", dir=os.environ.get(FOLDER)) as name:
        tempfile.tempdir = name
        try:
            yield name
        finally:
            tempfile.tempdir = before


def _where(error: BaseException) -> str:
    """The kind of a fault: the innermost place in Busmark."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [f for f in frames if "/busmark/" in f.filename] or list(frames)
    place = own[-1]
    return f"{type(error).__name__} at {place.filename.partition('/busmark/')[2]}:{place.lineno}"


@contextlib.contextmanager
def _progress() -> Iterator[Callable[[int], None]]:
    """Tells whoever finds out later at which input the process died."""
    place = os.environ.get("BUSMARK_MUTATE_PROGRESS", os.devnull)
    file = os.open(place, os.O_WRONLY | os.O_CREAT, 0o600)

    def reached(number: int) -> None:
        os.pwrite(file, b"%020d" % number, 0)

    try:
        yield reached
    finally:
        os.close(file)


def main(kind: str, seed: str, first: str, count: str) -> None:
    """As a program of its own: the outcome as JSON."""
    json.dump(run(kind, int(seed), int(first), int(count)), sys.stdout)
