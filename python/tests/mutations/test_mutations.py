"""Damaged input of every kind is answered in words: no traceback, an end, little memory.

The same inputs each time; `make fuzz` takes more, and others each time. Hypothesis makes an input
that fails as simple as it can, and prints how to repeat it.
"""

from __future__ import annotations

import contextlib
import faulthandler
import os
import re
import signal
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tools.mutations.answers import Answers
from tools.mutations.idl import Idl
from tools.mutations.imports import Imports
from tools.mutations.protocol import Protocol
from tools.mutations.results import Damage
from tools.mutations.scenarios import Scenarios
from tools.mutations.security import Security

from busmark.adapters import libraries
from busmark.errors import UserError

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))


KINDS: dict[str, Callable[[Path], Callable[[int, Random], None]]] = {
    "manifest": lambda folder: Damage(folder).manifest,
    "tables": lambda folder: Damage(folder).table,
    "imports": lambda folder: Imports(folder).file,
    "scenarios": lambda folder: Scenarios(folder).scenario,
    "protocol": lambda folder: Protocol(folder).line,
    "answers": lambda folder: Answers(folder).answer,
    "security": lambda folder: Security(folder).document,
    "idl": lambda folder: Idl(folder).input,
}
"""What is damaged, and what is then done with it."""

FUZZ = int(os.environ.get("BUSMARK_FUZZ_INPUTS", "0"))
FEW = {"answers": 40, "security": 30, "manifest": 60, "tables": 60, "imports": 60}
"""Others have 150. Reading a whole result takes its time, as do signatures, and workers that say
nothing are waited for."""

ENDLESS_S, STUCK_S = 60, 3600
"""Watchdogs: CPU time after which an input is taken to have no end, and the time after which a
process that waits is ended, with the place where it is."""
MOST_BYTES = 1 << 30


def bytes_of(line: str) -> int:
    """Return the memory of this process in bytes: VmRSS now, VmHWM at most."""
    found = re.search(rf"{line}:\s+(\d+) kB", Path("/proc/self/status").read_text())
    assert found
    return int(found[1]) * 1024


def endless(*_: object) -> None:
    raise AssertionError(f"no end after {ENDLESS_S} s of CPU time")


@pytest.fixture
def folder() -> Iterator[Path]:
    """Make a folder for sockets: pytest's own has too long a path."""
    with tempfile.TemporaryDirectory(prefix="b-") as path:
        yield Path(path)


@pytest.mark.parametrize("kind", KINDS)
def test_damaged_input_is_answered_in_words(
    kind: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if kind in ("protocol", "answers") and "null" not in libraries():
        pytest.skip("needs the worker: make build")
    if kind == "idl":
        pytest.importorskip("cyclonedds", reason="busmark type build needs it")
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    monkeypatch.setattr(sys, "path", [*sys.path])
    # Near a megabyte that is put into every page unchanged.
    monkeypatch.setattr("busmark.present.sinks.page.drawing_script", lambda: "drawing")
    target = KINDS[kind](folder)

    @settings(
        max_examples=FUZZ or FEW.get(kind, 150), derandomize=not FUZZ, database=None,
        deadline=None, print_blob=True, suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    @given(st.integers(0, 999), st.randoms(use_true_random=False))
    def one(number: int, rng: Random) -> None:
        faulthandler.dump_traceback_later(STUCK_S, exit=True)
        signal.setitimer(signal.ITIMER_VIRTUAL, ENDLESS_S)
        with contextlib.suppress(UserError):
            target(number, rng)

    Path("/proc/self/clear_refs").write_text("5")  # VmHWM begins anew
    before = bytes_of("VmRSS")
    signal.signal(signal.SIGVTALRM, endless)
    try:
        one()
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        faulthandler.cancel_dump_traceback_later()
    assert bytes_of("VmHWM") - before <= MOST_BYTES
