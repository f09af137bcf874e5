"""Nodes that cannot be used, or are not there: told before anything is measured."""

from __future__ import annotations

import os
import platform

import pytest
from e2e_harness import Lab, need_adapters, scenario
from nodes_harness import ALONE, need_root, on_nodes


@pytest.fixture(autouse=True)
def _root() -> None:
    need_root()


OTHER = "aarch64" if platform.machine() != "aarch64" else "x86_64"


@pytest.mark.parametrize(
    ("prefix", "code", "says"),
    [
        ("busmark-no-such-program lab1", 2, "'busmark-no-such-program' cannot be started"),
        ("false", 2, "it ended, exit code 1"),
        ("sh -c 'echo Welcome; exec \"$@\"' sh", 0, ""),
        ("sh -c 'printf \"password: \" >&2; exec sleep 1000'", 2, "asks for a password"),
        ("sh -c 'exec sleep 1000'", 2, "no answer within 2 s"),
        ("env PATH={tools}:{path}", 2, f"its architecture is {OTHER}"),
    ],
)
def test_a_prefix_that_leads_nowhere_ends_the_command(
    lab: Lab, prefix: str, code: int, says: str
) -> None:
    need_adapters("tcp")
    uname = lab.scratch / "uname"
    uname.write_text(f'#!/bin/sh\n[ "$1" != -m ] || exec echo {OTHER}\necho Linux\n')
    uname.chmod(0o755)
    prefix = prefix.replace("{tools}:{path}", f"{lab.scratch}:{os.environ['PATH']}")
    nodes = {"left": "", "right": prefix}
    run = "hang_s = 2" if "within" in says else ""
    lab.scenario(on_nodes(nodes, 'adapter = "tcp"', run=run))
    ended = lab.busmark("run", "scenario.toml", "--out", "result", prefix=ALONE)
    assert ended.code == code, ended.text
    if says:
        assert "nodes.right: " in ended.err and says in ended.err
        assert not (lab.folder / "result").exists()
    lab.assert_nothing_left()


TWO = {"left": "", "right": "", "other": ""}


@pytest.mark.parametrize(
    ("text", "given", "says"),
    [
        (on_nodes(TWO, 'adapter = "null"\nwriter_on = "rigth"'), [],
         "there is no node 'rigth'. Did you mean right?"),
        (on_nodes(TWO, 'adapter = "null"\nwriter_on = "left+x"'), [], "there is no node 'x'"),
        (scenario('adapter = "null"', also="[nodes.lab1]\nprefx = 'ssh lab1'"), [],
         "Did you mean prefix?"),
        (scenario('adapter = "null"', also="[nodes.lab1]\nprefix = \"ssh 'lab1\""), [],
         "is no command: No closing quotation"),
        (scenario('adapter = "null"', also='[nodes."a b"]\nprefix = ""'), [],
         "a name is of letters"),
        (on_nodes(TWO, 'adapter = "null"') + "\n[lab]\nnodes = 2\n[nodes.n1]\nprefix = ''", [],
         "nodes.n1: there are two of this name"),
        (on_nodes(TWO, 'adapter = "null"\nwriter_on = "n1"\nreader_on = "left"')
         + "\n[lab]\nnodes = 2", [], "do not reach each other"),
        (on_nodes(TWO, 'adapter = "null"\nwriter_on = "g"\nreader_on = "g"', groups={"left": "g"}),
         [], "the group g is to write and to read"),
        (scenario('adapter = "null"'), ["lab1"], "--node: 'lab1' is not NAME=PREFIX"),
        (scenario('adapter = "null"'), ["l/1=ssh l"], "nodes.l/1: a name is of letters"),
    ],
)  # fmt: skip
def test_a_scenario_with_wrong_nodes_is_refused(
    lab: Lab, text: str, given: list[str], says: str
) -> None:
    lab.scenario(text)
    words = [word for node in given for word in ("--node", node)]
    ended = lab.quickly("run", "scenario.toml", "--out", "result", *words)
    assert ended.code == 2
    assert says in ended.err


def test_what_does_not_go_with_nodes_is_unsupported(lab: Lab) -> None:
    need_adapters("null", "tcp")
    lab.scenario(on_nodes(TWO, 'adapter = ["null", "tcp"]'))
    planned = lab.busmark("plan", "scenario.toml")
    assert "null does not reach another node" in planned.out
