"""Background load, by the real tools."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

from busmark.errors import UserError
from busmark.load import Load, missing_tool, parse, start


@pytest.mark.parametrize(
    ("text", "load"),
    [
        ("cpu 80%", Load("cpu", 0.8)),
        ("CPU 5 %", Load("cpu", 0.05)),
        ("net 50mbit", Load("net", 5e7)),
        ("disk 10MB", Load("disk", 1e7)),
        ("", None),
    ],
)
def test_a_load_is_read(text: str, load: Load | None) -> None:
    assert parse(text) == load


@pytest.mark.parametrize("text", ["memory 5%", "cpu", "cpu 5", "cpu 200%", "net 5%", "net -1mbit"])
def test_what_is_none_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(UserError) as refused:
        parse(text)
    assert "Write it as in" in str(refused.value)


@pytest.mark.parametrize("text", ["cpu 20%", "net 5mbit", "disk 1MB"])
def test_a_load_runs_says_what_it_did_and_leaves_nothing(text: str, tmp_path: Path) -> None:
    load = parse(text)
    assert load is not None
    if reason := missing_tool(load):
        pytest.skip(reason)
    running = start(load, tmp_path)
    time.sleep(2)
    achieved = running.stop()
    assert achieved is not None
    # Less on a busy machine; never much more than asked for.
    assert 0 < achieved < 2 * load.level
    assert all(process.returncode is not None for process in running.processes)
    assert list(tmp_path.iterdir()) == []


def test_the_command_says_what_was_achieved(tmp_path: Path) -> None:
    load = parse("net 1mbit")
    assert load is not None
    if reason := missing_tool(load):
        pytest.skip(reason)
    command = [sys.executable, "-m", "busmark", "load", "net", "1mbit", "--seconds", "1"]
    done = subprocess.run(command, text=True, capture_output=True, check=False)
    assert "achieved, 1 Mbit/s asked for" in done.stdout, done.stderr
