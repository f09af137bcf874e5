"""Counters read beside real processes whose work is known."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from control_fakes import PARAMS, scenario

from busmark.adapters.locate import WORKER_VARIABLE
from busmark.control import counting
from busmark.control.companions import Stage
from busmark.control.companions.counters import LATE, CounterReadings
from busmark.control.counting import Counting
from busmark.control.places import Places
from busmark.control.round import RoundData
from busmark.control.worker import Worker
from busmark.host.proc import TICK_NS, task
from busmark.launcher import Launched, Start
from busmark.nodes import Address, Node
from busmark.store.columns import READER

BURNS = """
import os, sys
input()
while os.times().user + os.times().system < 0.3:
    sum(range(10_000))
print("burnt", flush=True)
input()
"""

SENDS = """
import socket, subprocess
subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
receiver = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
receiver.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 8192)
receiver.bind(("127.0.0.1", 0))
sender = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
print("ready", flush=True)
input()
for _ in range(200):
    sender.sendto(bytes(1000), receiver.getsockname())
arrived = 0
receiver.setblocking(False)
try:
    while receiver.recv(2000):
        arrived += 1
except BlockingIOError:
    pass
print(arrived, flush=True)
input()
"""

Rows = list[dict[str, Any]]


@contextmanager
def program(text: str, *prefix: str) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        [*prefix, sys.executable, "-c", text],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def say(process: subprocess.Popen[str]) -> str:
    """Lets it continue; what it says then."""
    assert process.stdin and process.stdout
    print(file=process.stdin, flush=True)
    return process.stdout.readline().strip()


async def count(process: subprocess.Popen[str], folder: Path) -> tuple[str, Rows]:
    """Lets it do its work between a first and a last reading."""
    reader = await Counting.start({process.pid: "it"}, [], 0.02, folder)
    try:
        said = await asyncio.to_thread(say, process)
        return said, await reader.stop()
    finally:
        await reader.end()


@pytest.fixture(autouse=True)
def _however_busy_the_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counting, "STOP_S", 60.0)
    monkeypatch.setattr(counting, "FIRST_S", 60.0)


def test_cpu_time_over_all_intervals_is_what_the_process_used(tmp_path: Path) -> None:
    with program(BURNS) as process:
        before = task(Path(f"/proc/{process.pid}/stat").read_text())
        said, rows = asyncio.run(count(process, tmp_path))
        after = task(Path(f"/proc/{process.pid}/stat").read_text())
    assert said == "burnt" and before and after
    used = after.user_ticks + after.system_ticks - before.user_ticks - before.system_ticks
    own = [row for row in rows if row["participant"] == "it"]
    counted = [r["user_ns"] + r["system_ns"] for r in own if r["scope"] == "process"]
    # The interpreter may still have been on its way to its first line before.
    assert 20 <= sum(counted) / TICK_NS <= used
    exact = sum(r["run_ns"] for r in own if r["scope"] == "thread")
    assert abs(exact - sum(counted)) <= 2 * TICK_NS
    assert any(row["rss_bytes"] for row in own if row["scope"] == "process")


def test_intervals_follow_each_other_without_a_gap(tmp_path: Path) -> None:
    with program(BURNS) as process:
        _, rows = asyncio.run(count(process, tmp_path))
    own = [r for r in rows if r["scope"] == "process" and r["participant"] == "it"]
    assert [r["interval"] for r in own] == list(range(len(own)))
    ends = [r["start_ns"] + r["duration_ns"] for r in own]
    assert ends[:-1] == [r["start_ns"] for r in own[1:]]


@pytest.mark.skipif(os.geteuid() != 0, reason="a network namespace needs root")
def test_packets_and_drops_in_a_namespace_are_exactly_those_sent_there(tmp_path: Path) -> None:
    with program(SENDS, "unshare", "--net") as process:
        assert process.stdout and process.stdout.readline() == "ready\n"
        said, rows = asyncio.run(count(process, tmp_path))
    interfaces = [r for r in rows if r["scope"] == "interface" and r["name"] == "lo"]
    assert sum(r["rx_packets"] for r in interfaces) == 200
    assert sum(r["tx_packets"] for r in interfaces) == 200
    networks = [r for r in rows if r["scope"] == "network"]
    assert sum(r["udp_rcvbuf_errors"] for r in networks) == 200 - int(said)
    assert 0 < int(said) < 200
    assert {r["network"] for r in interfaces} == {r["network"] for r in networks}
    assert len({r["network"] for r in networks}) == 1


def test_what_the_reading_costs_is_among_the_rows(tmp_path: Path) -> None:
    with program(BURNS) as process:
        _, rows = asyncio.run(count(process, tmp_path))
    own = [r for r in rows if r["participant"] == READER and r["scope"] == "thread"]
    assert own and all(row["run_ns"] is not None for row in own)


def test_a_program_that_cannot_count_says_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    false = tmp_path / "worker"
    false.write_text("#!/bin/sh\necho it cannot >&2\nexit 2\n")
    false.chmod(0o755)
    monkeypatch.setenv(WORKER_VARIABLE, str(false))

    async def fails() -> tuple[Rows, str | None]:
        reader = await Counting.start({os.getpid(): "it"}, [], 0.02, tmp_path)
        return await reader.stop(), reader.problem

    assert asyncio.run(fails()) == ([], "it cannot")


def test_a_first_reading_that_does_not_come_is_waited_for_and_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow = tmp_path / "worker"
    slow.write_text("#!/bin/sh\nexec cat\n")
    slow.chmod(0o755)

    async def wait() -> tuple[Rows, list[str]]:
        worker = await Worker.start("w", [], fifo=0, lock=False, log=tmp_path / "w.log",
                                    deadline_s=60.0)  # fmt: skip
        monkeypatch.setenv(WORKER_VARIABLE, str(slow))
        monkeypatch.setattr(counting, "FIRST_S", 0.05)
        watching = beside([worker], 0.02, tmp_path)
        try:
            await watching.start()
            await watching.stop()
            return watching.stage.data.system, watching.findings()
        finally:
            await watching.kill()
            await worker.stop()

    assert asyncio.run(wait()) == ([], [LATE])


def test_while_it_counts_it_is_of_the_idle_class(tmp_path: Path) -> None:
    async def become_idle() -> None:
        reader = await Counting.start({os.getpid(): "it"}, [], 60.0, tmp_path)
        try:
            # It changes its class after the first reading, which is what is waited for.
            async with asyncio.timeout(60.0):
                while os.sched_getscheduler(reader._process.pid) != os.SCHED_IDLE:
                    await asyncio.sleep(0.01)
        finally:
            await reader.end()

    asyncio.run(become_idle())


SHELLS = {
    "here": [],
    "a network": ["unshare", "--net", "sh", "-c", 'ip link set lo up; echo Hello; exec "$@"', "sh"],
}
HOLD = ["unshare", "--pid", "--fork", "--kill-child", "--mount-proc", "sh", "-c", "echo; cat"]
"""Keeps processes apart as a container does, until its input ends."""


@pytest.fixture
def nodes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Node]]:
    if os.geteuid() != 0:
        pytest.skip("namespaces need root")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(counting, "STOP_THERE_S", 60.0)
    holder = subprocess.Popen(HOLD, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert holder.stdout and holder.stdout.readline()
    (first,) = Path(f"/proc/{holder.pid}/task/{holder.pid}/children").read_text().split()
    prefixes = {**SHELLS, "container": ["nsenter", "--target", first, "--pid", "--mount"]}
    made = [Node(name.replace(" ", "-"), prefix, wanted=Address(address="127.0.0.1"))
            for name, prefix in prefixes.items()]  # fmt: skip
    for node in made:
        node.ready()
    yield made
    for node in made:
        node.close()
    holder.communicate()


def beside(workers: list[Worker], every_s: float, folder: Path) -> CounterReadings:
    """Readings beside these workers, as a round has them."""
    asked = scenario()
    asked.measure.system_interval_s = every_s
    places = Places(asked, lambda *_, **__: None)
    stage = Stage(PARAMS, asked, places, folder, RoundData(), workers=workers)
    assert CounterReadings.wanted(stage)
    return CounterReadings(stage)


async def watch(nodes: list[Node], folder: Path) -> tuple[Rows, list[str], list[Worker]]:
    """Counts beside a worker on each node."""
    workers = [
        await Worker.start(f"w{number}", [], fifo=0, lock=False, log=folder / f"w{number}.log",
                           deadline_s=60.0, node=node)
        for number, node in enumerate(nodes)
    ]  # fmt: skip
    watching = beside(workers, 0.02, folder)
    try:
        await watching.start()
        await watching.stop()
    finally:
        await watching.kill()
        await asyncio.gather(*(worker.stop() for worker in workers))
    return watching.stage.data.system, watching.findings(), workers


def test_on_nodes_every_participant_is_counted_by_its_number_there(
    nodes: list[Node], tmp_path: Path
) -> None:
    rows, problems, workers = asyncio.run(watch(nodes, tmp_path))
    assert problems == []
    for node, worker in zip(nodes, workers, strict=True):
        own = [row for row in rows if row["node"] == node.name]
        tasks = [row for row in own if row["scope"] in ("thread", "process")]
        assert {row["participant"] for row in tasks} == {worker.name, READER}
        assert {row["process"] for row in tasks if row["participant"] == worker.name} == {
            worker.process_there
        }
        assert {row["clock"] for row in own} == {node.facts.clock}
    # A process namespace of its own counts from 1.
    assert workers[2].process_there and workers[2].process_there < 100


def test_what_nodes_have_in_common_is_counted_once(nodes: list[Node], tmp_path: Path) -> None:
    rows, _, _ = asyncio.run(watch(nodes, tmp_path))
    assert len({row["node"] for row in rows if row["scope"] in ("host", "cpu")}) == 1
    networks = {(row["node"], row["network"]) for row in rows if row["scope"] == "interface"}
    # Two of three share this machine's network.
    assert len(networks) == len({network for _, network in networks}) == 2


def test_a_reader_that_is_killed_on_its_node_is_told_with_its_name(
    nodes: list[Node], tmp_path: Path
) -> None:
    async def lose() -> tuple[Rows, list[str]]:
        node = nodes[0]
        worker = await Worker.start("w", [], fifo=0, lock=False, log=tmp_path / "w.log",
                                    deadline_s=60.0, node=node)  # fmt: skip
        watching = beside([worker], 60.0, tmp_path)
        try:
            await watching.start()
            ((_, reader),) = watching.counting
            assert reader.process_there is not None
            os.kill(reader.process_there, signal.SIGKILL)
            await watching.stop()
            return watching.stage.data.system, watching.findings()
        finally:
            await watching.kill()
            await worker.stop()

    assert asyncio.run(lose()) == ([], ["node here: its counters did not come back"])


READING = '{"process": 1, "files": [[5, "/proc/stat", "cpu 1 2 3 4"]]}\n'


@pytest.mark.parametrize("noise", ["Connection closed.", "[]", "{}", "3", '{"process": "x"}', "{"])
def test_what_a_way_to_a_node_prints_besides_is_no_reading(noise: str, tmp_path: Path) -> None:
    (tmp_path / "counters.jsonl").write_text(f"{READING}{noise}\n{READING}{noise}\n")

    async def read() -> Rows:
        return Counting(Launched(Start(["true"]), "round"), {}, tmp_path)._changes()

    assert isinstance(asyncio.run(read()), list)


def test_a_first_reading_of_thousands_of_threads_is_one(tmp_path: Path) -> None:
    files = [[5, f"/proc/7/task/{thread}/stat", "x" * 600] for thread in range(5000)]
    text = json.dumps({"process": 1, "files": files})
    (tmp_path / "counters.jsonl").write_text(f"{text}\n")

    async def read() -> bool:
        return Counting(Launched(Start(["true"]), "round"), {}, tmp_path)._read

    assert asyncio.run(read())
