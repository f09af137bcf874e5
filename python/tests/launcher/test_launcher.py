"""Processes are started, told and ended in one way, whatever they do."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from busmark.launcher import PIPE, STDOUT, Launched, Start, marker
from busmark.processes import end_part, process

PATIENCE_S = 60.0


def eventually(is_so: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def sh(script: str, **how: int | Path) -> Launched:
    return Launched(Start(["sh", "-c", script]), "round", **how)  # type: ignore[arg-type]


def test_it_ends_with_what_it_has_started() -> None:
    with sh("sleep 1000 & echo $!; wait") as shell:
        child = process(int(shell.output.readline()))
        assert child.alive and shell.returncode is None
    eventually(lambda: not child.alive)
    assert shell.returncode == -signal.SIGKILL
    assert shell.killed == "killed by SIGKILL"
    assert end_part("round") == []


def test_one_that_leaves_its_group_is_found_by_its_mark() -> None:
    with sh("setsid sleep 1000 & echo $!") as shell:
        child = process(int(shell.output.readline()))
        eventually(lambda: child.command.startswith("sleep"))
        assert shell.wait(PATIENCE_S) == 0
    assert child.alive
    assert end_part("round") == ["sleep 1000"]


def test_one_without_a_part_has_no_mark() -> None:
    with Launched(Start(["sleep", "1000"]), None) as own:
        assert end_part("round") == [] and own.returncode is None


def test_one_that_ends_with_its_input_is_not_killed() -> None:
    cat = sh("cat", stdout=PIPE)
    cat.write(b"x" * 3)
    cat.stop(PATIENCE_S)
    assert cat.returncode == 0 and cat.killed is None
    cat.write(b"to nobody")
    cat.stop()


def test_what_it_says_is_in_the_file_that_was_named(tmp_path: Path) -> None:
    said = tmp_path / "said"
    with sh("echo one; echo two >&2", stdout=said, stderr=STDOUT) as shell:
        assert shell.wait(PATIENCE_S) == 0
    assert said.read_text() == "one\ntwo\n"


def test_a_program_that_is_not_there_cannot_be_started(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        Launched(Start([str(tmp_path / "missing")]), "round")


def test_behind_a_shell_its_number_is_reported_from_what_a_login_prints() -> None:
    start = Start(["sh", "-c", "echo Welcome; exec sh"], becomes="sleep 1000", marker=marker())
    with Launched(start, "round") as there:
        there.write(start.question)
        said = ""
        while start.number(said) is None:
            said += there.output.readline().decode()
        assert said.startswith("Welcome\n")
        there.write(start.order)
        number = start.number(said)
        assert number == there.pid
        eventually(lambda: process(there.pid).command == "sleep 1000")


def test_its_environment_is_what_was_given_and_the_mark() -> None:
    start = Start(["env"], {"PATH": os.environ["PATH"], "ONE": "1"})
    with Launched(start, "round") as env:
        said, _ = env.complete(PATIENCE_S)
    names = {line.partition("=")[0] for line in said.splitlines()}
    assert names == {"PATH", "ONE", "BUSMARK_OWNER"}
