"""Clients of DDS-XRCE, their agents and DDS participants, in every deployment."""

from __future__ import annotations

import os
import signal
from pathlib import Path

from e2e_harness import (
    Lab,
    count,
    eventually,
    need_adapters,
    rows,
    scenario,
    tidy,
)

MATRIX = """
adapter = "zerodds-xrce"
size = 64
placement = "free"
qos.reliability = "reliable"
"""
AGENT = "busmark-zerodds-xrce-agent"


def agents(lab: Lab) -> list[int]:
    return [pid for pid, command in lab.processes().items() if AGENT in command]


def test_an_agent_that_is_killed_ends_the_round_with_its_name(lab: Lab, tmp_path: Path) -> None:
    need_adapters("zerodds-xrce")
    text = scenario(
        MATRIX, measure="duration_s = 60.0\nwarmup_s = 0.3", rounds="min = 1\nmax = 1\nretries = 0"
    )
    out = tmp_path / "out"
    with tidy(lab.start("run", lab.scenario(text), "--out", out)) as run:
        eventually(
            lambda: count(out, "round_begins") and agents(lab), lambda: "no agent is started"
        )
        # Clients are there when the round runs; before, the round fails too, and says so.
        (agent,) = agents(lab)
        os.kill(agent, signal.SIGKILL)
        _, errors = run.communicate(timeout=120)
    (row,) = rows(out)
    assert row["status"] == "failed", row
    assert "agent at 127.0.0.1:" in row["reason"], (row["reason"], errors)
    lab.assert_nothing_left()
