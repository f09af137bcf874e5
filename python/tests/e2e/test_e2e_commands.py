"""Commands before and after every round: recorded, shown, bounded, and ended with the campaign."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path
from typing import Any

import pytest
from e2e_harness import Lab, end, events, eventually, need_adapters, rows, scenario, tidy

NODE = """
[nodes.there]
prefix = "env THERE=1"
address = "127.0.0.1"
interface = "lo"
"""


def ran(out: Path, event: str = "round_ends") -> list[dict[str, Any]]:
    """What became of commands, in order of time."""
    return [one for each in events(out) if each["event"] == event for one in each["commands"]]


def test_commands_are_run_around_every_round_and_shown(lab: Lab) -> None:
    need_adapters("udp")
    lab.scenario(scenario('adapter = "udp"', run='conclude = "echo one; echo two"', also=NODE))
    ended = lab.busmark("run", "scenario.toml", "--prepare", "there:echo $THERE; sleep 60 & true",
                        "--out", "result")  # fmt: skip
    assert ended.code == 0, ended.text
    found = ran(lab.folder / "result")
    assert [(each["when"], each["node"], each["exit_code"], each["output"]) for each in found] == [
        ("prepare", "there", 0, ["1"]), ("conclude", None, 0, ["one", "two"]),
    ] * 2  # fmt: skip
    text = json.loads(lab.busmark("show", "result", "--json").out)["commands"]
    assert [(each["command"], each["runs"], each["failed"]) for each in text] == [
        ("echo $THERE; sleep 60 & true", 2, 0), ("echo one; echo two", 2, 0),
    ]  # fmt: skip
    assert "echo one; echo two" in lab.busmark("show", "result").out
    page = lab.folder / "result" / "report" / "report.html"
    assert "Commands around each round" in page.read_text()
    lab.assert_nothing_left()


@pytest.mark.parametrize(
    ("key", "command", "why"),
    [
        ("prepare", '"echo no licence >&2; exit 3"',
         "prepare: exit code 3 of `echo no licence >&2; exit 3`: no licence"),
        ("conclude", '"false"', "conclude: exit code 1 of `false`"),
        ("prepare", '{ command = "sleep 60", timeout_s = "50ms" }',
         "prepare: not ended after 0.05 s of `sleep 60`"),
    ],
)  # fmt: skip
def test_a_round_whose_command_fails_has_failed(lab: Lab, key: str, command: str, why: str) -> None:
    need_adapters("udp")
    other = "" if key == "conclude" else '\nconclude = "echo concluded"'
    lab.scenario(scenario('adapter = "udp"', run=f"{key} = {command}{other}",
                          rounds="min = 1\nretries = 0"))  # fmt: skip
    ended = lab.busmark("run", "scenario.toml", "--out", "result")
    assert ended.code == 1 and why in ended.err
    assert [row["reason"] for row in rows(lab.folder / "result")] == [why]
    found = ran(lab.folder / "result", "round_failed")
    assert [each["when"] for each in found if each["reason"]] == [key]
    assert other == "" or found[-1]["output"] == ["concluded"]
    lab.assert_nothing_left()


def test_an_interrupt_ends_a_command_and_concludes_the_round(lab: Lab) -> None:
    need_adapters("udp")
    lab.scenario(scenario(
        'adapter = "udp"', run='prepare = "touch begun; sleep 600"\nconclude = "touch concluded"'
    ))  # fmt: skip
    with tidy(lab.start("run", "scenario.toml", "--out", "result")) as process:
        eventually((lab.folder / "begun").exists, lambda: "the command has not begun")
        os.kill(process.pid, signal.SIGINT)
        assert end(process).code == 130
    assert (lab.folder / "concluded").exists()
    lab.assert_nothing_left()
