"""Nodes for real: places of this machine behind prefixes of several kinds."""

from __future__ import annotations

import os
import platform
import shutil
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest

from busmark.adapters import libraries, worker
from busmark.host import profile, snapshot
from busmark.nodes import Address, Node, NodeDown, Nodes

LOOPBACK = Address(address="127.0.0.1")


@pytest.fixture
def adapter() -> Path:
    path = libraries().get("udp")
    if path is None:
        pytest.skip("not built here: udp")
    return path


def cached(scratch: Path) -> dict[str, Path]:
    return {path.name: path for path in (scratch / ".cache/busmark/nodes").glob("*/*")}


def test_a_node_has_worker_and_adapter_and_sends_them_once(adapter: Path, scratch: Path) -> None:
    first = Node("lab1", ["env", "A=b"], wanted=LOOPBACK)
    first.ready([adapter])
    assert first.sent_bytes == worker().stat().st_size + adapter.stat().st_size
    files = cached(scratch)
    assert files.keys() == {"busmark-worker", adapter.name}
    for path in (worker(), adapter):
        there = Path(first.path(path))
        assert there == files[path.name] and there.read_bytes() == path.read_bytes()
        assert there.stat().st_mode & 0o777 == 0o700
        assert there.parent.stat().st_mode & 0o777 == 0o700
    assert first.lacks(adapter) is None
    assert Path(first.run_dir).is_dir()
    first.ready([adapter])
    second = Node("lab2", [], wanted=LOOPBACK)
    second.ready([adapter])
    assert (first.visits, second.visits, second.sent_bytes) == (1, 1, 0)
    Nodes([first, second]).close()


def test_a_profile_and_counters_are_those_of_the_same_code_here() -> None:
    node = Node("lab1", [], wanted=LOOPBACK)
    node.ready()
    here, there = profile(), node.facts.profile
    moving = {"load_average", "memory_bytes", "swap_used_bytes", "python_version"}
    moving.add("clock_step_ns")  # a node's shell cannot read a clock twice in a row
    assert {k: v for k, v in there.items() if k not in moving} == {
        k: v for k, v in here.items() if k not in moving
    }
    early, counted, late = snapshot(), node.counters(), snapshot()
    for name in ("udp_rcvbuf_errors", "tcp_retransmits", "context_switches"):
        assert getattr(early, name) <= getattr(counted, name) <= getattr(late, name)
    assert early.cpus.keys() == counted.cpus.keys()
    assert node.facts.system == here["boot_id"]
    node.close()


def test_what_is_one_machine_one_network_one_clock_is_distinguished() -> None:
    if os.geteuid() != 0:
        pytest.skip("a namespace needs root")
    prefixes = {
        "here": [],
        "network": ["unshare", "--net", "sh", "-c", 'ip link set lo up; exec "$@"', "sh"],
        "clock": ["unshare", "--time", "--fork", "--kill-child", "--monotonic", "5000"],
    }
    nodes = {name: Node(name, prefix, wanted=LOOPBACK) for name, prefix in prefixes.items()}
    for node in nodes.values():
        node.ready()
    here, network, clock = (node.facts for node in nodes.values())
    assert here.system == network.system == clock.system
    assert here.network != network.network and here.network == clock.network
    assert here.clock == network.clock and here.clock != clock.clock
    Nodes(nodes.values()).close()


def test_a_node_that_cannot_take_part_says_why(tool: Any, scratch: Path) -> None:
    other = "aarch64" if platform.machine() != "aarch64" else "x86_64"
    uname = 'case $1 in -m) echo {};; *) echo {};; esac'  # fmt: skip
    full = 'echo a; echo "/dev/vda 9 9 10 1% /"'
    for name, script, says in (
        ("uname", uname.format(other, "Linux"), f"its architecture is {other}"),
        ("uname", uname.format(platform.machine(), "Darwin"), "it runs Darwin"),
        ("df", full, "10 KiB are free for its cache"),
    ):
        node = Node("lab1", tool(name, script), wanted=LOOPBACK)
        with pytest.raises(NodeDown, match=says) as error:
            node.ready()
        assert error.value.where == "nodes.lab1" and error.value.remedy
        (scratch / "tools" / name).unlink()
    assert cached(scratch) == {}
    with pytest.raises(NodeDown, match="no interface eth77"):
        Node("lab1", [], wanted=Address("eth77")).ready()
    bare = scratch / "bare"
    bare.mkdir()
    for need in ("sh", "mkdir", "id", "rm", "chmod", "uname"):
        (bare / need).symlink_to(shutil.which(need) or "")
    with pytest.raises(NodeDown, match=r"it has no df, env, find, grep, gzip, head"):
        Node("lab1", ["env", f"PATH={bare}"]).ready()


def test_a_worker_that_does_not_start_there_is_reported(
    scratch: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = scratch / "busmark-worker"
    old.write_text("#!/bin/sh\necho \"libc.so.6: version 'GLIBC_2.99' not found\" >&2; exit 1\n")
    old.chmod(0o755)
    monkeypatch.setenv("BUSMARK_WORKER", str(old))
    with pytest.raises(NodeDown, match=r"does not start there: libc.so.6: version 'GLIBC_2.99'"):
        Node("lab1", []).ready()


@pytest.mark.parametrize("place", ["home", "none"])
def test_without_a_home_that_takes_programs_they_go_elsewhere(place: str, scratch: Path) -> None:
    """Containers may have no home, clusters mount it without execution."""
    home = scratch / "sealed" if place == "home" else ""
    prefix = ["env", f"HOME={home}"]
    if place == "home":
        if os.geteuid() != 0:
            pytest.skip("a mount needs root")
        Path(home).mkdir()
        mount = f'mount -t tmpfs -o noexec none {home}; exec "$@"'
        prefix += ["unshare", "--mount", "sh", "-c", mount, "sh"]
    node = Node("lab1", prefix, wanted=LOOPBACK)
    node.ready()
    # Nothing is kept in a folder that others may write to: programs go with the shell.
    assert node.path(worker()).startswith(f"{node.run_dir}/cache/")
    node.close()
    assert not list((scratch / "tmp").iterdir())


def test_a_node_whose_shell_is_killed_comes_back(adapter: Path) -> None:
    node = Node("lab1", [], wanted=LOOPBACK)
    node.ready([adapter])
    lost = node.run_dir
    os.kill(int(lost.rpartition("busmark-node-")[2].split("-")[1]), signal.SIGKILL)
    with pytest.raises(NodeDown):
        node.counters()
    node.ready([adapter])
    assert node.visits == 2
    assert node.run_dir != lost and not Path(lost).exists()
    node.close()


def test_only_workers_of_ours_are_ended(adapter: Path) -> None:
    node = Node("lab1", [], wanted=LOOPBACK)
    node.ready()
    own = subprocess.Popen([node.path(worker()), "participate"], stdin=subprocess.PIPE,
                           stdout=subprocess.PIPE)  # fmt: skip
    other = subprocess.Popen(["sleep", "1000"])
    assert own.stdout is not None and own.stdout.readline()
    node.end([own.pid, other.pid, 2**22 - 1])
    assert own.wait() == -signal.SIGKILL
    assert other.poll() is None
    other.kill()
    for process in (own, other):
        process.communicate()
    node.close()


def test_a_group_is_those_of_its_nodes_that_can_be_used() -> None:
    nodes = Nodes([
        Node("a1", [], group="a", wanted=LOOPBACK), Node("a2", ["false"], group="a"),
        Node("b1", ["false"], group="b"), Node("c", [], wanted=LOOPBACK),
    ])  # fmt: skip
    assert [node.name for node in nodes.usable(["a"], [])] == ["a1"]
    assert [node.name for node in nodes.usable(["c", "a"], [])] == ["c", "a1"]
    for names in (["a2"], ["b"], ["a", "b1"]):
        with pytest.raises(NodeDown, match="exit code 1"):
            nodes.usable(names, [])
    nodes.close()
