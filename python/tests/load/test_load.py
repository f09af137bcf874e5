"""Background load, by the real tools."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from busmark.errors import UserError
from busmark.load import Load, Running, here, missing_tool, parse, start
from busmark.processes import Killed, end_part


@pytest.mark.parametrize(
    ("text", "load"),
    [
        ("cpu 80%", [Load("cpu", 0.8)]),
        ("CPU 5 %", [Load("cpu", 0.05)]),
        ("net 50mbit", [Load("net", 5e7)]),
        ("disk 10MB", [Load("disk", 1e7)]),
        ("", []),
        (" ", []),
        ("cpu 50% + net 200mbit", [Load("cpu", 0.5), Load("net", 2e8)]),
        ("disk 1MB+net 5mbit+cpu 5%", [Load("disk", 1e6), Load("net", 5e6), Load("cpu", 0.05)]),
        ("net MAX", [Load("net", None)]),
        ("disk max + cpu 5%", [Load("disk", None), Load("cpu", 0.05)]),
    ],
)
def test_loads_are_read(text: str, load: list[Load]) -> None:
    assert list(parse(text)) == load


@pytest.mark.parametrize("text", ["memory 5%", "cpu", "cpu 5", "cpu 200%", "net 5%", "net -1mbit",
                                  "cpu 5% +", "+", "cpu 5%, net 5mbit", "max"])  # fmt: skip
def test_what_is_none_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(UserError) as refused:
        parse(text)
    assert "Write it as in" in str(refused.value)


def test_two_of_a_kind_are_refused() -> None:
    with pytest.raises(UserError, match="two loads of the kind net"):
        parse("net 5mbit + cpu 5% + net 1mbit")


def loads_of(text: str) -> tuple[Load, ...]:
    loads = parse(text)
    if reason := missing_tool(loads):
        pytest.skip(reason)
    return loads


def begin(text: str, folder: Path) -> Running:
    return start(loads_of(text), lambda _: [here(folder)], folder)


@pytest.mark.parametrize("text", ["net 5mbit", "cpu 20% + net 5mbit + disk 1MB"])
def test_loads_run_say_what_they_did_and_leave_nothing(text: str, tmp_path: Path) -> None:
    running = begin(text, tmp_path)
    assert len(running.parts) == len(parse(text)) + ("net" in text)
    time.sleep(2)
    achieved = running.stop()
    assert list(achieved) == [load.kind for load in parse(text)]
    for load in parse(text):
        level = achieved[load.kind]
        # Less on a busy machine; never much more than asked for.
        assert level is not None and load.level is not None and 0 < level < 2 * load.level
        assert running.on[load.kind] == {"": level}
    assert list(tmp_path.iterdir()) == []
    assert end_part("round") == []


@pytest.mark.parametrize("kind", ["cpu", "net", "disk"])
def test_a_load_without_a_limit_takes_what_it_gets(kind: str, tmp_path: Path) -> None:
    running = begin(f"{kind} max", tmp_path)
    time.sleep(0.5)
    ((found, level),) = running.stop().items()
    assert found == kind and level is not None and level > 0


def _runs(pid: int) -> bool:
    stat = Path(f"/proc/{pid}/stat")
    return stat.exists() and stat.read_text().rpartition(") ")[2][0] not in "ZX"


@pytest.mark.parametrize(
    ("text", "whom"),
    [("cpu 20%", "tool"), ("net 5mbit", "tool"), ("disk 1MB", "tool"), ("net 5mbit", "shell")],
)
def test_a_load_that_is_killed_is_reported_and_the_others_end(
    text: str, whom: str, tmp_path: Path
) -> None:
    running = begin(text if "cpu" in text else f"{text} + cpu 5%", tmp_path)
    part, kind = running.parts[0], text.split()[0]
    (tool,) = Path(f"/proc/{part.process}/task/{part.process}/children").read_text().split()
    os.kill(victim := int(tool) if whom == "tool" else part.process, signal.SIGKILL)
    while _runs(victim):
        time.sleep(0.01)
    says = "killed by SIGKILL" if whom == "tool" else "the way to it was killed by SIGKILL"
    with pytest.raises(Killed, match=rf"load {kind}: [a-z0-9-]+ ended \({says}\)"):
        running.stop()
    end_part("round")  # of what hung on a killed shell
    assert {path.name for path in tmp_path.iterdir()} <= {"busmark-load.data"}


def test_the_command_says_what_was_achieved(tmp_path: Path) -> None:
    loads_of("net 1mbit + disk max")
    words = ["net", "1mbit", "+", "disk", "max", "--seconds", "1"]
    command = [sys.executable, "-m", "busmark", "load", *words]
    done = subprocess.run(command, text=True, capture_output=True, check=False)
    assert "Mbit/s achieved, 1 Mbit/s asked for" in done.stdout, done.stderr
    assert "MB/s achieved, no limit" in done.stdout, done.stderr


def test_a_disk_without_room_is_reported(tmp_path: Path) -> None:
    loads_of("disk 1MB")
    (tmp_path / "busmark-load.data").symlink_to("/dev/full")
    with pytest.raises(Killed, match="No space left on device"):
        begin("disk 1MB", tmp_path)
    assert list(tmp_path.iterdir()) == []
