"""A check of an adapter that is killed: the next command ends what it left, and removes it."""

from __future__ import annotations

import os
import random
import signal
import time

import pytest
from e2e_harness import Lab, eventually, need_adapters, tidy

from busmark.adapters import resolve

KILLS = int(os.environ.get("BUSMARK_TEST_KILLS", "1"))
LATEST_S = 3.0
"""After its start, as the suite begins to run tests within the first seconds."""


def _usable(name: str) -> None:
    need_adapters(name)
    found = resolve([name])[name]
    if not found.usable:
        pytest.skip(f"{name} cannot be used here: {found.reason}")


def test_nothing_of_a_killed_check_survives_the_next_command(lab: Lab) -> None:
    """The adapter starts servers of its own."""
    _usable("mqtt")
    moments = random.Random(1)
    for _ in range(KILLS):
        with tidy(lab.start("adapter", "check", "mqtt")) as check:
            eventually(
                lambda: any("busmark-check" in each for each in lab.processes().values()),
                lambda: "the suite does not start",
            )
            time.sleep(moments.uniform(0, LATEST_S))
            # The command alone, not its group: what it has started continues.
            os.kill(check.pid, signal.SIGKILL)
            check.wait()
        ended = lab.busmark("adapter", "check", "null", "--only", "C1 ")
        assert ended.code in (0, 2), ended.text
        eventually(lambda: not lab.processes(), lambda: f"still alive: {lab.processes()}")
        assert not list(lab.scratch.glob("busmark-*"))
