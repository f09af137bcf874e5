"""Whichever process of a campaign on a lab is killed: no round is lost and nothing is left."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess

import pytest
from e2e_harness import (
    Lab,
    assert_complete,
    count,
    eventually,
    fingerprints,
    need_adapters,
    rows,
    scenario,
    strike,
    tidy,
)

from busmark.load import missing_tool, parse

ROUNDS = 6
VICTIMS = {
    "worker": " participate",
    "forwarder": "busmark-forwarder",
    "load": "stress-ng",
    "counters": "busmark-worker counters",
}
"""What is in the command of each; without what reads the counters a round continues."""


def spaces(run: int) -> list[str]:
    """Return the network namespaces of the lab that this process has made."""
    listed = subprocess.run(["ip", "netns", "list"], capture_output=True, text=True, check=True)
    return [line for line in listed.stdout.splitlines() if f"-r{run}x" in line]


@pytest.mark.usefixtures("lab_is_possible")
def test_a_campaign_survives_the_death_of_each_of_its_processes(lab: Lab) -> None:
    if reason := missing_tool(parse("cpu 20%")):
        pytest.skip(reason)
    need_adapters("udp")
    text = scenario(
        'adapter = "udp"\nlink.delay = "1ms"\nload = "cpu 20%"',
        measure="duration_s = 1.0\nwarmup_s = 0.05\nmax_samples = 5000\ntimeout_s = 0.5",
        rounds=f"min = {ROUNDS}\nretries = 6", run="hang_s = 10", also="[lab]\nnodes = 2",
    )  # fmt: skip
    lab.scenario(f"capture = {str(bool(shutil.which('dumpcap'))).lower()}\n{text}")
    out = lab.folder / "result"
    with tidy(lab.start("run", "scenario.toml", "--out", out)) as run:
        for number, mark in enumerate(VICTIMS.values(), 1):
            killed = eventually(
                lambda mark=mark: [
                    pid for pid, command in lab.processes().items()
                    if mark in command and pid != run.pid and strike(pid)
                ],
                lambda mark=mark: f"no {mark}: {lab.processes()}",
            )  # fmt: skip
            assert killed
            eventually(
                lambda number=number: count(out, "round_ends") >= number,
                lambda: "no round ends after the strike",
            )
        before, table = fingerprints(out), [r for r in rows(out) if r["status"] != "failed"]
        os.kill(run.pid, signal.SIGKILL)
        run.wait()
        assert spaces(run.pid)
    eventually(lambda: not any("dumpcap" in each for each in lab.processes().values()),
               lambda: f"alive: {lab.processes()}")  # fmt: skip
    kept = [path.read_bytes() for path in out.glob("artefacts/*.pcapng")]
    assert all(file.startswith(b"\x0a\x0d\x0d\x0a") for file in kept), "only whole files"
    assert kept or not shutil.which("dumpcap")
    assert before.items() <= fingerprints(out).items()
    resumed = lab.busmark("run", "--resume", "--out", out)
    assert resumed.code == 0, resumed.text
    assert_complete(out, cases=1, rounds=ROUNDS)
    assert before.items() <= fingerprints(out).items()
    assert all(row in rows(out) for row in table)
    lab.assert_nothing_left()
    assert not spaces(run.pid)
