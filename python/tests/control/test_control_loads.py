"""Background load on nodes, by the real tools: places of this machine behind prefixes."""

from __future__ import annotations

import os
import shutil
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from busmark.control.failure import RoundError
from busmark.control.loads import LoadThere, start
from busmark.control.places import Place
from busmark.load import Load, missing_tool, parse, there
from busmark.nodes import Address, Node
from busmark.plan import load_names
from busmark.processes import Killed, end_part

LOOPBACK = "127.0.0.1"
LIMIT_S = 600.0


def load_of(text: str) -> Load:
    load = parse(text)
    assert load is not None
    if reason := missing_tool(load):
        pytest.skip(reason)
    return load


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
    # Nothing of a load outlives it, whatever the test did to it.
    assert end_part("round") == []


@pytest.mark.parametrize("text", ["cpu 20%", "disk 1MB", "net 5mbit"])
def test_a_load_runs_there_says_what_it_did_and_leaves_nothing(
    text: str, places: list[Place], tmp_path: Path
) -> None:
    load = load_of(text)
    running = start(load, places, tmp_path, LIMIT_S)
    time.sleep(2)
    achieved = running.stop()
    assert achieved is not None and 0 < achieved < 3 * load.level
    assert running.on.keys() == ({"right"} if load.kind == "net" else {"left", "right"})
    assert achieved == min(value for value in running.on.values() if value is not None)
    assert not list(tmp_path.glob("load.*"))
    assert not list(Path(places[0].run_dir(tmp_path)).iterdir())


@pytest.mark.parametrize("whose", ["tool", "way"])
def test_a_load_that_is_killed_is_told_with_its_node(
    whose: str, places: list[Place], tmp_path: Path
) -> None:
    running = start(load_of("cpu 5%"), places[:1], tmp_path, LIMIT_S)
    (part,) = running.parts
    os.kill(tool_of(running) if whose == "tool" else part.process, signal.SIGKILL)
    while not part.trouble:
        time.sleep(0.01)
    with pytest.raises(Killed, match="load on node left: stress-ng ended"):
        running.stop()


def tool_of(running: LoadThere) -> int:
    """The process of the tool, a child of the script's shell."""
    (part,) = running.parts
    while True:
        for child in Path(f"/proc/{part.process}/task/{part.process}/children").read_text().split():
            if Path(f"/proc/{child}/comm").read_text().startswith("stress-ng"):
                return int(child)


def test_a_tool_that_ends_at_once_says_why(places: list[Place], tmp_path: Path) -> None:
    load_of("net 1mbit")
    away = [places[0], Place("lo", "192.0.2.1", node=places[1].node)]
    with pytest.raises(RoundError, match=r"load net from node left to 192.0.2.1 on right: "):
        start(Load("net", 1e6), away, tmp_path, LIMIT_S)


def test_a_node_is_asked_for_the_tool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    folder = tmp_path / "bin"
    folder.mkdir()
    for name in ("sh", "cat", "chmod", "df", "find", "grep", "gzip", "head", "id", "mkdir", "mv",
                 "readlink", "rm", "sed", "touch", "uname"):  # fmt: skip
        (folder / name).symlink_to(shutil.which(name) or "")
    node = Node("bare", ["env", f"PATH={folder}"], wanted=Address(address=LOOPBACK))
    node.ready()
    question, reason = there.lacking(Load("disk", 1e6))
    assert node.asked(question) == ""
    assert reason == "load disk needs fio: apt-get install fio"
    node.close()


@pytest.mark.parametrize(
    ("load", "load_on", "expected"),
    [
        ("cpu 5%", None, ["w", "r"]), ("disk 1MB", "x", ["x"]), ("net 1mbit", None, ["x", "y"]),
        ("net 1mbit", "r+w", ["r", "w"]), (None, None, []),
    ],
)  # fmt: skip
def test_where_a_load_runs(load: str | None, load_on: str | None, expected: list[str]) -> None:
    params = {"load": load, "load_on": load_on, "writer_on": "w", "reader_on": "r"}
    assert load_names(params, ["w", "x", "r", "y"]) == expected
    if load == "net 1mbit" and not load_on:
        assert load_names(params, ["w", "x", "r"]) == ["w", "r"]


def test_words_of_the_script_are_read() -> None:
    text = (
        "Welcome\nM running\n{}\nM stopped\n\nM ended 143 10.00 12.50\n"
        "0m0.10s 0m0.00s\n1m1.50s 0m0.25s\nM told\n"
    )
    said = there.said(text, "M")
    assert said.running and said.stopped and said.ended == -signal.SIGTERM
    assert said.seconds == 2.5 and said.cpu_s == 61.75 and said.ending is None
    ended = there.said("M running\niperf3: error\n\nM ended 1 1.00 2.00\n\n\nM told\n", "M")
    assert ended.ending == "exit code 1: iperf3: error"
    assert not there.said("Welcome\n", "M").running
