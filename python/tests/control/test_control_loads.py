"""Background load on nodes, by the real tools: places of this machine behind prefixes."""

from __future__ import annotations

import os
import shutil
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from busmark import processes
from busmark.control.companions.loads import site_of
from busmark.control.places import Place
from busmark.load import Load, Running, lack, missing_tool, parse, question, start
from busmark.model.parameters import Parameters
from busmark.nodes import Address, Node
from busmark.plan import load_names
from busmark.processes import Killed, end_part

LOOPBACK = "127.0.0.1"
LIMIT_S = 600.0


def begin(text: str, places: list[Place], folder: Path) -> Running:
    loads = parse(text)
    if reason := missing_tool(loads):
        pytest.skip(reason)
    return start(loads, lambda _: [site_of(place) for place in places], folder, LIMIT_S)


@pytest.fixture
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Place]]:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    prefixes = {"left": [], "right": ["sh", "-c", 'echo Welcome; exec "$@"', "sh"]}
    nodes = [Node(name, prefix, wanted=Address(address=LOOPBACK))
             for name, prefix in prefixes.items()]  # fmt: skip
    for node in nodes:
        node.ready()
    yield [Place("lo", LOOPBACK, node=node) for node in nodes]
    for node in nodes:
        node.close()
    # Nothing of a load outlives it, whatever the test did to it; on a busy machine a tool whose way
    # was killed ends a little later.
    deadline = time.monotonic() + 60
    while left := processes.of_part("round"):
        if time.monotonic() > deadline:
            break
        time.sleep(0.05)
    end_part("round")
    assert left == []


@pytest.mark.parametrize("text", ["cpu 20%", "disk 1MB", "net 5mbit", "cpu 20% + net 5mbit"])
def test_loads_run_there_say_what_they_did_and_leave_nothing(
    text: str, places: list[Place], tmp_path: Path
) -> None:
    running = begin(text, places, tmp_path)
    time.sleep(2)
    achieved = running.stop()
    for load in parse(text):
        level, on = achieved[load.kind], running.on[load.kind]
        assert level is not None and load.level is not None and 0 < level < 3 * load.level
        assert on.keys() == ({"right"} if load.kind == "net" else {"left", "right"})
        assert level == min(value for value in on.values() if value is not None)
    assert not list(tmp_path.glob("load.*"))
    folder = Path(places[0].run_dir(tmp_path))
    deadline = time.monotonic() + 60
    while left := list(folder.iterdir()):  # removed by the shell there, which may be late
        assert time.monotonic() < deadline, left
        time.sleep(0.05)


@pytest.mark.parametrize("whose", ["tool", "way"])
def test_a_load_that_is_killed_is_told_with_its_node(
    whose: str, places: list[Place], tmp_path: Path
) -> None:
    running = begin("cpu 5%", places[:1], tmp_path)
    (part,) = running.parts
    os.kill(victim := tool_of(running) if whose == "tool" else part.process, signal.SIGKILL)
    stat = Path(f"/proc/{victim}/stat")
    while stat.exists() and stat.read_text().rpartition(") ")[2][0] not in "ZX":
        time.sleep(0.01)
    says = "killed by SIGKILL" if whose == "tool" else "the way to it was killed by SIGKILL"
    with pytest.raises(Killed, match=rf"load cpu on node left: stress-ng ended \({says}\)"):
        running.stop()


def tool_of(running: Running) -> int:
    """The process of the tool, a child of the script's shell."""
    (part,) = running.parts
    while True:
        for child in Path(f"/proc/{part.process}/task/{part.process}/children").read_text().split():
            if Path(f"/proc/{child}/comm").read_text().startswith("stress-ng"):
                return int(child)


def test_a_tool_that_ends_at_once_says_why(places: list[Place], tmp_path: Path) -> None:
    away = [places[0], Place("lo", "192.0.2.1", node=places[1].node)]
    with pytest.raises(Killed, match=r"load net on node right: iperf3 ended \(exit code 1"):
        begin("net 1mbit", away, tmp_path)


def test_a_node_is_asked_for_the_tool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    folder = tmp_path / "bin"
    folder.mkdir()
    for name in ("sh", "cat", "chmod", "df", "env", "find", "grep", "gzip", "head", "id", "ls",
                 "mkdir", "mv", "readlink", "rm", "sed", "sha256sum", "touch",
                 "uname"):  # fmt: skip
        (folder / name).symlink_to(shutil.which(name) or "")
    node = Node("bare", ["env", f"PATH={folder}"], wanted=Address(address=LOOPBACK))
    node.ready()
    load = Load("disk", 1e6)
    assert node.asked(question(load)) == ""
    assert lack(load) == "load disk needs fio: apt-get install fio"
    node.close()


@pytest.mark.parametrize(
    ("load", "load_on", "expected"),
    [
        ("cpu 5%", None, ["w", "r"]), ("disk 1MB", "x", ["x"]), ("net 1mbit", None, ["x", "y"]),
        ("net 1mbit", "r+w", ["r", "w"]),
    ],
)  # fmt: skip
def test_where_a_load_runs(load: str, load_on: str | None, expected: list[str]) -> None:
    params = Parameters(load_on=load_on, writer_on="w", reader_on="r")
    (found,) = parse(load)
    assert load_names(params, found, ["w", "x", "r", "y"]) == expected
    if load == "net 1mbit" and not load_on:
        assert load_names(params, found, ["w", "x", "r"]) == ["w", "r"]
