"""eProsima's XRCE client and agent, where they are installed."""

from __future__ import annotations

import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from e2e_harness import Lab, end, eventually, need_adapters, rows, scenario

NAME = "microxrcedds"
AGENT = "MicroXRCEAgent"
MEASURE = "duration_s = 0.5\nwarmup_s = 0.1\nverify = true"
ROUNDS = "min = 1\nretries = 0"

needs_agent = pytest.mark.skipif(shutil.which(AGENT) is None, reason=f"needs {AGENT} in PATH")


@contextmanager
def agent(lab: Lab) -> Iterator[tuple[subprocess.Popen[bytes], str]]:
    """Start an agent as its user does; yield it and its address."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = subprocess.Popen(
        [AGENT, "udp4", "-p", str(port)], cwd=lab.folder, stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        yield process, f"127.0.0.1:{port}"
    finally:
        # Not killed: it would leave shared memory behind.
        process.terminate()
        process.wait()


@needs_agent
def test_all_transports_carry_both_streams_also_to_native_participants(lab: Lab) -> None:
    """DDS joins two agents, and agents and participants of other vendors."""
    natives = ("cyclonedds", "fastdds")
    need_adapters(NAME, *natives)
    reliable = 'size = 64\nqos.reliability = "reliable"'
    joined = f"{reliable}\ntransport = ['udp', 'serial']\noption.{NAME}.agents = ['1', '2']"
    also = [joined, *(
        f"{reliable}\ntransport = 'default'\nadapter = '{adapter}'\npeer = '{peer}'"
        for native in natives for adapter, peer in ((NAME, native), (native, NAME))
    )]  # fmt: skip
    matrix = (
        f'adapter = "{NAME}"\ntransport = ["udp", "tcp", "serial"]\nsize = [0, 420]\n'
        'wait = ["listener", "waitset"]\nqos.reliability = ["reliable", "best_effort"]'
    )
    lab.campaign(scenario(
        matrix, measure=MEASURE, rounds=ROUNDS,
        also="\n".join(f"[[also]]\nwait = 'listener'\n{each}" for each in also),
    ))  # fmt: skip
    lab.assert_nothing_left()
    found = rows(lab.folder / "result")
    assert [row["status"] for row in found] == ["ok"] * (24 + 4 + 4)


@needs_agent
def test_an_agent_that_dies_in_a_round(lab: Lab) -> None:
    need_adapters(NAME)
    with agent(lab) as (process, address):
        matrix = f'adapter = "{NAME}"\ntransport = "udp"\noption.{NAME}.server = "{address}"'
        measure = "duration_s = 60\nwarmup_s = 0.1"
        lab.scenario(scenario(matrix, measure=measure, rounds=ROUNDS, run="hang_s = 20"))
        running = lab.start("run", "scenario.toml", "--out", "result")
        # In the measured part of the round, or before it: both end the round.
        eventually(lambda: len(lab.workers()) == 2, lambda: f"{lab.processes()}")
        process.terminate()
        ended = end(running)
    assert ended.code == 1, ended.text
    (row,) = rows(lab.folder / "result")
    assert "the agent at" in str(row["reason"])
    lab.assert_nothing_left()
