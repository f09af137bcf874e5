"""eProsima's XRCE clients at serial lines, which are pseudo-terminals."""

from __future__ import annotations

import os
import pty
import select
import shutil
import subprocess
import threading
import tty
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from e2e_harness import DOMAIN, Lab, end, eventually, need_adapters, rows, scenario

NAME = "microxrcedds"
AGENT = "MicroXRCEAgent"
MEASURE = "duration_s = 0.5\nwarmup_s = 0.1\nverify = true"
ROUNDS = "min = 1\nretries = 0"

pytestmark = pytest.mark.skipif(shutil.which(AGENT) is None, reason=f"needs {AGENT} in PATH")


def row(lab: Lab, matrix: str, code: int) -> dict[str, object]:
    """The only round of the only case."""
    need_adapters(NAME)
    text = f'transport = "serial"\n{matrix}'
    lab.scenario(scenario(text, measure=MEASURE, rounds=ROUNDS))
    ended = lab.busmark("run", "scenario.toml", "--out", "result")
    assert ended.code == code, ended.text
    (found,) = rows(lab.folder / "result")
    lab.assert_nothing_left()
    shutil.rmtree(lab.folder / "result")
    return dict(found)


@contextmanager
def wire() -> Iterator[tuple[str, str]]:
    """Two devices of which each reads what is written to the other."""
    ends = [pty.openpty(), pty.openpty()]
    for _, device in ends:
        tty.setraw(device)
    ours = [master for master, _ in ends]
    stopped, stop = os.pipe()

    def carry() -> None:
        while True:
            ready, _, _ = select.select([*ours, stopped], [], [])
            if stopped in ready:
                return
            for own in ready:
                os.write(ours[1 - ours.index(own)], os.read(own, 4096))

    carrier = threading.Thread(target=carry)
    carrier.start()
    try:
        yield os.ttyname(ends[0][1]), os.ttyname(ends[1][1])
    finally:
        os.close(stop)
        carrier.join()
        for descriptor in (*ours, stopped, *(device for _, device in ends)):
            os.close(descriptor)


PROFILE = """<profiles xmlns="http://www.eprosima.com/XMLSchemas/fastRTPS_Profiles">
<transport_descriptors><transport_descriptor><transport_id>loopback</transport_id><type>UDPv4</type>
<interfaceWhiteList><address>127.0.0.1</address></interfaceWhiteList>
</transport_descriptor></transport_descriptors>
<participant profile_name="busmark-{domain}"><rtps>
<builtin><initialPeersList><locator><udpv4><address>127.0.0.1</address></udpv4></locator>
</initialPeersList></builtin>
<userTransports><transport_id>loopback</transport_id></userTransports>
<useBuiltinTransports>false</useBuiltinTransports>
</rtps></participant></profiles>"""
"""The participant of an agent, over loopback alone; its shared memory would stay behind."""


@contextmanager
def agent(lab: Lab, device: str) -> Iterator[None]:
    """One that the user runs at a device."""
    profile = lab.folder / "profile.xml"
    profile.write_text(PROFILE.format(domain=DOMAIN))
    process = subprocess.Popen(
        [AGENT, "serial", "-D", device, "-r", str(profile)],
        cwd=lab.folder, stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        yield
    finally:
        process.terminate()
        process.wait()


def test_an_agent_of_one_s_own_at_a_device(lab: Lab) -> None:
    need_adapters("cyclonedds")
    with wire() as (near, far), agent(lab, far):
        matrix = (
            f'adapter = "{NAME}"\npeer = "cyclonedds"\npeer_transport = "udp"\n'
            f'option.{NAME}.server = "{near}"'
        )
        assert row(lab, matrix, 0)["status"] == "ok"
        found = row(lab, f'adapter = "{NAME}"\noption.{NAME}.server = "{near}"', 1)
        assert "another client has it, and each needs a line of its own" in str(found["reason"])


def agents(lab: Lab) -> list[int]:
    """Agents that runs have started here."""
    return [
        pid for pid, command in lab.processes().items() if Path(command.split()[0]).name == AGENT
    ]


def test_an_agent_that_dies_in_a_round(lab: Lab) -> None:
    need_adapters(NAME)
    measure = "duration_s = 60\nwarmup_s = 0.1"
    matrix = f'adapter = "{NAME}"\ntransport = "serial"'
    lab.scenario(scenario(matrix, measure=measure, rounds=ROUNDS, run="hang_s = 20"))
    running = lab.start("run", "scenario.toml", "--out", "result")
    # The kernel's counters are read while participants are measured.
    eventually(
        lambda: any(" counters " in command for command in lab.processes().values()),
        lambda: f"{lab.processes()}",
    )
    (process,) = agents(lab)
    os.kill(process, 15)
    ended = end(running)
    assert ended.code == 1, ended.text
    (found,) = rows(lab.folder / "result")
    assert "the agent at" in str(found["reason"])
    lab.assert_nothing_left()


def test_an_adapter_without_serial_lines(lab: Lab) -> None:
    need_adapters("zerodds-xrce")
    lab.scenario(scenario('adapter = "zerodds-xrce"\ntransport = "serial"'))
    planned = lab.busmark("plan", "scenario.toml")
    assert "no transport serial: the adapter offers udp, tcp" in planned.text
