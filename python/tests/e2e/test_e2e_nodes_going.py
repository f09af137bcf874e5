"""Nodes that go while a campaign runs: between rounds, within one, one by one, or for ever."""

from __future__ import annotations

import os
import random
import signal
from pathlib import Path

import pytest
from e2e_harness import (
    Ended,
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
from nodes_harness import ALONE, SHORT, Switch, beside_sshd, need_root, on_nodes, ssh

KILLS = int(os.environ.get("BUSMARK_TEST_KILLS", "4"))
PATIENCE = "hang_s = 3"
"""So long is waited before a node that has gone is tried again."""


@pytest.fixture(autouse=True)
def _root() -> None:
    need_root()


def gone(lab: Lab, text: str, node: Switch, when: str, rounds_before: int) -> Ended:
    """Runs a campaign whose node goes, with all that runs there, after so many rounds."""
    lab.scenario(text)
    out = lab.folder / "result"
    with tidy(lab.start("run", "scenario.toml", "--out", out, prefix=ALONE)) as process:
        eventually(
            lambda: process.poll() is not None or count(out, "round_ends") >= rounds_before,
            lambda: "no round ends",
        )
        if when == "within":
            # Whoever reads the counters comes last before a round is measured.
            eventually(
                lambda: any(" counters " in command for command in node.processes().values()),
                lambda: f"on {node.name}: {node.processes()}",
            )
        ended = node.off()
        assert any(command == "sh " for command in ended), f"no shell: {ended}"
        assert when == "between" or any(" participate" in command for command in ended), ended
        return end(process)


@pytest.mark.parametrize("when", ["between", "within"])
def test_a_node_that_goes_costs_its_rounds_and_they_are_made_up_later(lab: Lab, when: str) -> None:
    need_adapters("tcp")
    far = Switch(lab, "lab3")
    matrix = 'adapter = "tcp"\nwriter_on = "left"\nreader_on = ["right", "far"]'
    nodes = {"left": "", "right": "", "far": far.prefix}
    measure = SHORT if when == "between" else "duration_s = 1.5\nmax_samples = 500000"
    text = on_nodes(nodes, matrix, rounds="min = 2", run=PATIENCE, measure=measure)
    ended = gone(lab, text, far, when, rounds_before=1)
    assert ended.code == 1, ended.text
    out = lab.folder / "result"
    for row in rows(out):
        if row["reader_on"] == "right":
            assert row["status"] == "ok"
    failed = [row for row in rows(out) if row["status"] == "failed"]
    assert failed
    for row in failed:
        assert row["reader_on"] == "far"
        assert row["reason"].startswith("node: nodes.far: ")
    assert "lab3 is switched off" in failed[-1]["reason"]
    attempts = [event["reason"] for event in events(out) if event["event"] == "round_failed"]
    if when == "within":
        # What was under way is told by the participant, the node, and what became of it.
        assert attempts[0].startswith("died: passive on node far: the worker died")
        assert "nodes.far: the node cannot be used" in attempts[0]
    far.on()
    ended = lab.busmark("run", "--resume", "--out", out, prefix=ALONE)
    assert ended.code == 0, ended.text
    assert_complete(out, cases=2, rounds=2)
    lab.assert_nothing_left()


def test_a_worker_that_dies_alone_is_told_with_its_node(lab: Lab) -> None:
    need_adapters("tcp")
    far = Switch(lab, "lab3")
    measure = "duration_s = 1.5\nmax_samples = 500000"
    nodes = {"left": "", "far": far.prefix}
    lab.scenario(on_nodes(nodes, 'adapter = "tcp"', measure=measure))
    out = lab.folder / "result"
    with tidy(lab.start("run", "scenario.toml", "--out", out, prefix=ALONE)) as process:
        (victim,) = eventually(
            lambda: (
                any(" counters " in command for command in far.processes().values())
                and [pid for pid, command in far.processes().items() if " participate" in command]
            ),
            lambda: f"on the node: {far.processes()}",
        )
        os.kill(victim, signal.SIGKILL)
        ended = end(process)
    assert ended.code == 0, ended.text
    assert_complete(out, cases=1, rounds=1)
    (reason,) = (event["reason"] for event in events(out) if event["event"] == "round_failed")
    assert reason.startswith("died: passive on node far: the worker died (killed by SIGKILL)")
    lab.assert_nothing_left()


def test_another_of_the_group_takes_the_place_of_a_node_that_goes(lab: Lab) -> None:
    need_adapters("tcp")
    first = Switch(lab, "lab3")
    nodes = {"left": "", "first": first.prefix, "second": ""}
    matrix = 'adapter = "tcp"\nwriter_on = "left"\nreader_on = "readers"'
    text = on_nodes(nodes, matrix, rounds="min = 3",
                    groups={"first": "readers", "second": "readers"})  # fmt: skip
    ended = gone(lab, text, first, "between", rounds_before=1)
    assert ended.code == 0, ended.text
    assert_complete(lab.folder / "result", cases=1, rounds=3)
    ran_on = [row["nodes"] for row in rows(lab.folder / "result")]
    assert ran_on[0] == "first;left" and ran_on[-1] == "second;left"
    # The folder of a shell that was killed goes when the next one comes to its node.
    eventually(lambda: not lab.processes(), lambda: f"alive: {lab.processes()}")


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


def test_a_killed_controller_leaves_nothing_on_its_nodes(lab: Lab) -> None:
    need_adapters("tcp")
    nodes = {"left": ssh(lab, "lab1"), "right": ssh(lab, "lab2")}
    lab.scenario(on_nodes(nodes, 'adapter = "tcp"', measure="duration_s = 600"))
    out = lab.folder / "result"
    with tidy(lab.start("run", "scenario.toml", "--out", out, prefix=beside_sshd(lab))):
        eventually(lambda: len(lab.workers()) == 2, lambda: f"running: {lab.processes()}")
        (controller,) = (pid for pid, command in lab.processes().items()
                         if " -m busmark run" in command and "unshare" not in command
                         and "with_sshd" not in command)  # fmt: skip
        os.kill(controller, signal.SIGKILL)
        eventually(lambda: not lab.workers(), lambda: f"alive: {lab.processes()}")
    eventually(lambda: not lab.processes(), lambda: f"alive: {lab.processes()}")
    # The campaign's own folder goes with the next one; those of the nodes went with their shells.
    assert len(list(Path(lab.scratch).glob("busmark-run-*"))) == 1
