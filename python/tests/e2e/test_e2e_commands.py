"""Commands before and after every round: recorded, shown, bounded, and ended with the campaign."""

from __future__ import annotations

import json
import os
import signal

from e2e_harness import Lab, end, events, eventually, need_adapters, rows, scenario, tidy

NODE = """
[nodes.there]
prefix = "env THERE=1"
address = "127.0.0.1"
interface = "lo"
"""


PREPARE = """n=$(cat n 2>/dev/null || echo 0); echo $((n + 1)) >n; echo $THERE; sleep 60 &
[ $n != 1 ] || { echo no licence >&2; exit 3; }"""
CONCLUDE = "echo one; echo two; test $(cat n) != 3"
"""The second round cannot be prepared, the third cannot be concluded."""


def test_commands_around_every_round_are_shown_and_one_that_fails_fails_the_round(
    lab: Lab,
) -> None:
    need_adapters("udp")
    text = scenario('adapter = "udp"', run=f"conclude = {json.dumps(CONCLUDE)}",
                    rounds="min = 4\nretries = 0", also=NODE)  # fmt: skip
    lab.campaign(text, "--prepare", f"there:{PREPARE}", code=1)
    out = lab.folder / "result"
    whys = [
        None,
        f"prepare: exit code 3 of `{PREPARE}` on node there: no licence",
        f"conclude: exit code 1 of `{CONCLUDE}`: two",
        None,
    ]
    assert [row["reason"] for row in rows(out)] == whys
    ended = [event for event in events(out) if event["event"] in ("round_ends", "round_failed")]
    # A round is concluded whether it has failed or not.
    assert [
        [(each["when"], each["node"], each["exit_code"], each["output"])
         for each in event["commands"]] for event in ended
    ] == [
        [("prepare", "there", code, ["1", *said]), ("conclude", None, failed, ["one", "two"])]
        for code, said, failed in
        ((0, [], 0), (3, ["no licence"], 0), (0, [], 1), (0, [], 0))
    ]  # fmt: skip
    text = json.loads(lab.busmark("show", "result", "--json").out)["commands"]
    assert [(each["command"], each["runs"], each["failed"]) for each in text] == [
        (PREPARE, 4, 1), (CONCLUDE, 4, 1),
    ]  # fmt: skip
    assert "echo one; echo two" in lab.busmark("show", "result").out
    page = out / "report" / "report.html"
    assert "Commands around each round" in page.read_text()
    lab.assert_nothing_left()


def test_a_command_is_ended_by_its_limit_and_by_an_interrupt_and_the_round_concluded(
    lab: Lab,
) -> None:
    """The first round takes longer than it may; one after that is interrupted."""
    need_adapters("udp")
    slow = "test -e first || sleep 600"
    prepare = f'[{{ command = "{slow}", timeout_s = "50ms" }}, "touch begun; sleep 600"]'
    conclude = "touch first; test ! -e begun || touch concluded"
    lab.scenario(scenario(
        'adapter = "udp"', run=f'prepare = {prepare}\nconclude = "{conclude}"',
        rounds="min = 500\nretries = 0",
    ))  # fmt: skip
    with tidy(lab.start("run", "scenario.toml", "--out", "result")) as process:
        eventually((lab.folder / "begun").exists, lambda: "the command has not begun")
        os.kill(process.pid, signal.SIGINT)
        assert end(process).code == 130
    assert (lab.folder / "concluded").exists()
    first, *_ = rows(lab.folder / "result")
    assert first["reason"] == f"prepare: not ended after 0.05 s of `{slow}`"
    lab.assert_nothing_left()
