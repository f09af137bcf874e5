"""What a run starts is found and ended wherever it has gone; what others started is left alone."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from collections.abc import Iterator

import pytest

from busmark.processes import VARIABLE, Process, end_orphans, end_part, marked, process

DAEMON = (
    "import os, time\n"
    "if os.fork(): os._exit(0)\n"
    "os.setsid()\n"
    "if os.fork(): os._exit(0)\n"
    "print(os.getpid(), flush=True); time.sleep(1000)"
)
"""Leaves its parent, its group and its session."""

OWNER = (
    "import subprocess, sys, os, time\n"
    "from busmark.processes import marked\n"
    "subprocess.run([sys.executable, '-c', sys.argv[1]], env={**os.environ, **marked('round')})\n"
    "time.sleep(1000)"
)


def begin(*command: str, **variables: str) -> tuple[subprocess.Popen[str], Process]:
    """Start a command that prints the number of a process, its own or another's."""
    child = subprocess.Popen(
        [sys.executable, "-c", *command], env={**os.environ, **variables},
        stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert child.stdout is not None
    with child.stdout:
        return child, process(int(child.stdout.readline()))


@pytest.fixture
def started() -> Iterator[list[Process]]:
    """Yield a list of processes, which are killed after the test, whatever becomes of it."""
    found: list[Process] = []
    yield found
    for each in found:
        each.kill()


def test_a_daemon_ends_with_its_part_of_the_run_and_others_do_not(started: list[Process]) -> None:
    for part in ("round", "lab"):
        child, daemon = begin(DAEMON, **marked(part))
        child.wait()
        started.append(daemon)
    of_round, of_lab = started
    assert of_round.alive and of_lab.alive
    (command,) = end_part("round")
    assert "os.setsid()" in command
    assert not of_round.alive and of_lab.alive
    assert end_part("round") == []
    assert len(end_part("lab")) == 1


def test_what_a_killed_owner_left_is_ended_and_what_a_living_one_has_is_not(
    started: list[Process],
) -> None:
    owners = []
    for _ in range(2):
        owner, daemon = begin(OWNER, DAEMON)
        owners.append(owner)
        started += [process(owner.pid), daemon]
    try:
        owners[0].kill()
        owners[0].wait()
        _, orphan, living, owned = started
        assert orphan.alive
        end_orphans()
        assert not orphan.alive
        assert living.alive and owned.alive
    finally:
        for owner in owners:
            with contextlib.suppress(ProcessLookupError):
                owner.kill()
            owner.wait()


def test_a_process_that_has_taken_over_a_number_is_not_killed(started: list[Process]) -> None:
    child, daemon = begin(DAEMON)
    child.wait()
    started.append(daemon)
    Process(pid=daemon.pid, began=daemon.began - 1).kill()
    assert daemon.alive


@pytest.mark.parametrize(
    "mark", ["", "1", "x y round", "1 2 3 4", "-1 5 round", f"{'9' * 40} 1 round", "1 \udcff round"]
)
def test_a_mark_that_is_none_of_ours_is_left_alone(mark: str, started: list[Process]) -> None:
    namespace = os.readlink("/proc/self/ns/pid")
    child, found = begin(
        "import os, time; print(os.getpid(), flush=True); time.sleep(1000)",
        **{VARIABLE: f"{namespace} {mark}"},
    )
    started.append(found)
    assert end_part("round") == []
    end_orphans()
    assert child.poll() is None
