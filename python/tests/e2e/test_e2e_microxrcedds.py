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


def statuses(lab: Lab, matrix: str) -> dict[str, object]:
    """Status of each case, by its name."""
    need_adapters(NAME)
    lab.campaign(scenario(matrix, measure=MEASURE, rounds=ROUNDS))
    lab.assert_nothing_left()
    return {str(row["case"]): row["status"] for row in rows(lab.folder / "result")}


def reason(lab: Lab, matrix: str, *prefix: str) -> str:
    need_adapters(NAME)
    lab.campaign(
        scenario(f'adapter = "{NAME}"\n{matrix}', measure=MEASURE, rounds=ROUNDS),
        prefix=prefix,
        code=1,
    )
    (row,) = rows(lab.folder / "result")
    lab.assert_nothing_left()
    return str(row["reason"])


@contextmanager
def agent(lab: Lab, transport: str) -> Iterator[tuple[subprocess.Popen[bytes], str]]:
    """One that the user runs, and its address."""
    kind = socket.SOCK_DGRAM if transport == "udp" else socket.SOCK_STREAM
    with socket.socket(socket.AF_INET, kind) as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = subprocess.Popen(
        [AGENT, f"{transport}4", "-p", str(port)], cwd=lab.folder, stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        yield process, f"127.0.0.1:{port}"
    finally:
        # Not killed: it would leave shared memory behind.
        process.terminate()
        process.wait()


@needs_agent
def test_all_transports_carry_both_streams(lab: Lab) -> None:
    found = statuses(
        lab,
        f'adapter = "{NAME}"\ntransport = ["udp", "tcp", "serial"]\n'
        'wait = ["listener", "waitset"]\n'
        'size = [0, 420]\nqos.reliability = ["reliable", "best_effort"]',
    )
    assert len(found) == 24
    assert set(found.values()) == {"ok"}


@needs_agent
@pytest.mark.parametrize("native", ["cyclonedds", "fastdds"])
def test_native_participants_talk_to_clients(lab: Lab, native: str) -> None:
    need_adapters(native)
    for adapter, peer in ((NAME, native), (native, NAME)):
        found = statuses(
            lab, f'adapter = "{adapter}"\npeer = "{peer}"\nqos.reliability = "reliable"'
        )
        assert set(found.values()) == {"ok"}
        shutil.rmtree(lab.folder / "result")


@needs_agent
def test_dds_joins_two_agents(lab: Lab) -> None:
    found = statuses(
        lab,
        f'adapter = "{NAME}"\ntransport = ["udp", "serial"]\noption.{NAME}.agents = ["1", "2"]',
    )
    assert len(found) == 4
    assert set(found.values()) == {"ok"}


@needs_agent
@pytest.mark.parametrize("transport", ["udp", "tcp"])
def test_an_agent_that_dies_in_a_round(lab: Lab, transport: str) -> None:
    need_adapters(NAME)
    with agent(lab, transport) as (process, address):
        matrix = (
            f'adapter = "{NAME}"\ntransport = "{transport}"\noption.{NAME}.server = "{address}"'
        )
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
