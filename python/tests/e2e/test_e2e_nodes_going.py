"""Nodes that go while a campaign runs: between rounds, within one, one by one, or for ever."""

from __future__ import annotations

import os
import random
import re
import signal

import pytest
from e2e_harness import (
    Lab,
    assert_complete,
    count,
    end,
    events,
    eventually,
    need_adapters,
    rows,
    tidy,
)
from nodes_harness import ALONE, Switch, beside_sshd, need_root, on_nodes, ssh

KILLS = int(os.environ.get("BUSMARK_TEST_KILLS", "3"))
PATIENCE = "hang_s = 4"
"""So long is waited before a node that has gone is tried again."""


@pytest.fixture(autouse=True)
def _root() -> None:
    need_root()


def test_a_node_that_goes_costs_its_rounds_and_they_are_made_up_later(lab: Lab) -> None:
    """It goes with all that runs there: within a round, after which it is there again; then between
    rounds, and stays away until the campaign is resumed."""
    need_adapters("tcp")
    far = Switch(lab, "lab3")
    matrix = 'adapter = "tcp"\nwriter_on = "left"\nreader_on = ["right", "far"]'
    nodes = {"left": "", "right": "", "far": far.prefix}
    measure = "duration_s = 1.0\nmax_samples = 500000"
    lab.scenario(on_nodes(nodes, matrix, rounds="min = 2", run=PATIENCE, measure=measure))
    out = lab.folder / "result"

    def ended_on_far() -> int:
        rounds = (e for e in events(out) if e["event"] == "round_ends")
        return sum("far" in event["case"] for event in rounds)

    with tidy(lab.start("run", "scenario.toml", "--out", out, prefix=ALONE)) as process:
        # Whoever reads the counters comes last before a round is measured.
        eventually(
            lambda: any(" counters " in command for command in far.processes().values()),
            lambda: f"on {far.name}: {far.processes()}",
        )
        killed = far.off()
        assert {"sh "} < set(killed) and any(" participate" in command for command in killed)
        eventually(
            lambda: count(out, "postponed"),
            lambda: f"not postponed: {events(out)[-3:]}; the run: {process.poll()}",
        )
        far.on()
        eventually(ended_on_far, lambda: f"not made up: {events(out)[-3:]}")
        assert "sh " in far.off()
        ended = end(process)
    assert ended.code == 1, ended.text
    for row in rows(out):
        if row["reader_on"] == "right":
            assert row["status"] == "ok"
    first = next(e["reason"] for e in events(out) if e["event"] == "round_failed")
    # By whatever it was noticed first: its worker, or the shell that reads its kernel's counters.
    assert re.match(
        r"died: (passive on node far: the worker died|nodes\.far: the node cannot)|"
        r"node: nodes\.far: ",
        first,
    )
    assert "nodes.far: the node cannot be used" in first
    failed = [row for row in rows(out) if row["status"] == "failed"]
    assert failed
    for row in failed:
        assert row["reader_on"] == "far"
        assert row["reason"].startswith("node: nodes.far: ")
    assert "lab3 is switched off" in failed[-1]["reason"]
    far.on()
    ended = lab.busmark("run", "--resume", "--out", out, prefix=ALONE)
    assert ended.code == 0, ended.text
    assert_complete(out, cases=2, rounds=2)
    lab.assert_nothing_left()


def test_whatever_is_killed_on_the_way_costs_no_more_than_its_round(lab: Lab) -> None:
    """Clients of ssh, their servers, the nodes' shells, workers, what reads the counters."""
    need_adapters("tcp")
    nodes = {"left": ssh(lab, "lab1"), "right": ssh(lab, "lab2")}
    rounds = f"min = {KILLS + 1}\nretries = 5"
    lab.scenario(on_nodes(nodes, 'adapter = "tcp"', rounds=rounds, run="hang_s = 5"))
    out = lab.folder / "result"
    chance, strikes = random.Random(3), 0
    with tidy(lab.start("run", "scenario.toml", "--out", out, prefix=beside_sshd(lab))) as process:
        for number in range(KILLS):
            eventually(
                lambda number=number: (
                    process.poll() is not None or count(out, "round_ends") > number
                ),
                lambda: f"no round ends: {events(out)[-3:]}",
            )
            victims = [pid for pid, command in lab.processes().items()
                       if command.startswith(("ssh ", "sshd: root@")) or command == "sh "
                       or " participate" in command or " counters " in command]  # fmt: skip
            if victims:
                os.kill(chance.choice(victims), signal.SIGKILL)
                strikes += 1
        ended = end(process)
    assert ended.code == 0, ended.text
    assert strikes > 0
    assert_complete(out, cases=1, rounds=KILLS + 1)
    lab.assert_nothing_left()
