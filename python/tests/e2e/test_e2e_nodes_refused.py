"""Nodes that cannot be used, or are not there: told before anything is measured."""

from __future__ import annotations

import pytest
from e2e_harness import MARK, Lab, need_adapters, scenario
from nodes_harness import on_nodes

DOWN = [
    ("busmark-no-such-program lab1", "'busmark-no-such-program' cannot be started"),
    ("false", "it ended, exit code 1"),
    ("sh -c 'printf \"password: \" >&2; exec sleep 1000'", "asks for a password"),
    ("sh -c 'exec sleep 1000'", "no answer within 2 s"),
]


@pytest.mark.parametrize(("prefix", "says"), DOWN, ids=[says for _, says in DOWN])
def test_a_prefix_that_leads_nowhere_ends_the_command(
    lab: Lab, prefix: str, says: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    need_adapters("tcp")
    for name in ("TMPDIR", "XDG_CACHE_HOME", MARK):
        monkeypatch.setenv(name, lab.environment[name])
    # On a busy machine a sound node may not answer within so short a time: then neither does.
    left, run = (prefix, "hang_s = 2") if "within" in says else ("", "")
    lab.scenario(on_nodes({"left": left, "right": prefix}, 'adapter = "tcp"', run=run))
    ended = lab.quickly("run", "scenario.toml", "--out", "result")
    assert ended.code == 2, ended.text
    assert "nodes.right: " in ended.err or (left and "nodes.left: " in ended.err)
    assert says in ended.err, ended.err
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
