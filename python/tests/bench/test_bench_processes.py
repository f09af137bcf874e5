"""Whatever is started ends."""

from __future__ import annotations

import os
import socket
import time
from pathlib import Path

import pytest

from processes import GLANCE_S, PATIENCE_S, free_port, run, server
from task import MeasurementError

CPU = max(os.sched_getaffinity(0))
FAMILY = 'sleep 600 & echo "$$ $!"; wait'
"""A parent with a child; prints both."""


def running(pid: int) -> bool:
    """Whether the process is there; one that only waits to be reaped is not."""
    try:
        return Path("/proc", str(pid), "stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def end(pids: list[int]) -> bool:
    """Whether all end; who was killed needs a moment in which it runs to do so."""
    deadline = time.monotonic() + PATIENCE_S
    while any(running(pid) for pid in pids) and time.monotonic() < deadline:
        time.sleep(GLANCE_S)
    return not any(running(pid) for pid in pids)


def test_a_server_ends_with_its_block_and_so_do_its_children(tmp_path: Path) -> None:
    with server(["sh", "-c", FAMILY], CPU, tmp_path) as other:
        family = [int(pid) for pid in other.first_line().split()]
        assert all(running(pid) for pid in family)
    assert end(family)
    assert list(tmp_path.iterdir()) == []


def test_who_ignores_that_it_should_end_is_killed(tmp_path: Path) -> None:
    deaf = "trap '' TERM; sleep 600"
    command = ["sh", "-c", f'sh -c "{deaf}" & echo $!; wait']
    with server(command, CPU, tmp_path) as other:
        child = int(other.first_line())
    assert end([child])


def test_a_server_ends_when_the_measurement_fails(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), server(["sh", "-c", FAMILY], CPU, tmp_path) as other:
        family = [int(pid) for pid in other.first_line().split()]
        raise ZeroDivisionError
    assert end(family)


def test_a_server_that_dies_says_why(tmp_path: Path) -> None:
    command = ["sh", "-c", "printf 'no such interface'; exit 3"]
    with (
        server(command, CPU, tmp_path) as other,
        pytest.raises(MeasurementError, match="no such interface"),
    ):
        other.first_line()


def test_a_port_is_awaited_without_touching_it(tmp_path: Path) -> None:
    port = free_port(socket.SOCK_STREAM)
    program = (
        f"import socket; s = socket.create_server(('127.0.0.1', {port}));"
        "s.settimeout(600); s.accept()"
    )
    with server(["python3", "-c", program], CPU, tmp_path) as other:
        other.bound(port, socket.SOCK_STREAM)


def test_a_command_that_fails_says_why() -> None:
    with pytest.raises(MeasurementError, match="exit code 2: out of order"):
        run(["sh", "-c", "echo out of order >&2; exit 2"], CPU, 60)


def test_a_command_that_hangs_is_ended(tmp_path: Path) -> None:
    told = tmp_path / "pid"
    with pytest.raises(MeasurementError, match="not finished"):
        run(["sh", "-c", f"echo $$ > {told}; sleep 600"], CPU, 0.5)
    assert end([int(told.read_text())])


def test_a_command_runs_on_its_cpu() -> None:
    assert run(["sh", "-c", "taskset -cp $$"], CPU, 60).strip().endswith(f": {CPU}")
