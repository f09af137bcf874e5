"""Campaigns under background load."""

from __future__ import annotations

import json
import os

import pytest
from e2e_harness import Lab, events, need_adapters, rows, scenario

from busmark.load import missing_tool, parse
from busmark.store import Result


def test_rounds_under_load_tell_what_the_load_came_to(lab: Lab) -> None:
    need_adapters("udp")
    load = parse("net 5mbit")
    assert load is not None
    if reason := missing_tool(load):
        pytest.skip(reason)
    lab.scenario(scenario('adapter = "udp"\nload = ["", "net 5mbit"]', rounds="min = 1"))
    ended = lab.busmark("run", "scenario.toml", "--out", "result")
    assert ended.code == 0, ended.text
    plain, loaded = sorted(rows(lab.folder / "result"), key=lambda row: row["load"] or "")
    assert plain["load"] is None and plain["load_achieved"] is None
    assert loaded["load"] == "net 5mbit" and loaded["load_achieved"] > 0
    lab.assert_nothing_left()


def test_a_load_runs_on_the_nodes_that_the_scenario_names(lab: Lab) -> None:
    need_adapters("tcp")
    if os.geteuid() != 0:
        pytest.skip("a private network needs root")
    load = parse("cpu 20%")
    assert load is not None
    if reason := missing_tool(load):
        pytest.skip(reason)
    # As on a machine without the tool.
    bare = "unshare --mount sh -c 'mount --bind /dev/null /usr/bin/stress-ng; exec \"$@\"' sh"
    matrix = 'adapter = "tcp"\nload = ["", "cpu 20%"]\nload_on = ["", "right", "bare"]'
    nodes = {"left": "", "right": "", "bare": bare}
    tables = "".join(f"[nodes.{n}]\nprefix = {json.dumps(p)}\n" for n, p in nodes.items())
    lab.scenario(scenario(matrix, rounds="min = 1", also=tables))
    out = lab.folder / "result"
    prefix = ["unshare", "--net", "sh", "-c", 'ip link set lo up; exec "$@"', "sh"]
    ended = lab.busmark("run", "scenario.toml", "--out", out, prefix=prefix)
    assert ended.code == 0, ended.text
    found = {(row["load"], row["load_on"]): row["load_achieved"] for row in rows(out)}
    assert found.keys() == {(None, None), ("cpu 20%", None), ("cpu 20%", "right")}
    assert found[None, None] is None
    assert all(value > 0 for (load, _), value in found.items() if load)
    on = [set(event["load_on"]) for event in events(out) if event["event"] == "round_ends"]
    assert sorted(map(sorted, on)) == [[], ["left", "right"], ["right"]]
    (lacking,) = (c for c in Result(out).manifest.cases if c.status == "unsupported")
    assert lacking.reason == ("on node bare: load cpu needs stress-ng: apt-get install stress-ng")
    lab.assert_nothing_left()


@pytest.mark.parametrize(
    ("load_on", "says"),
    [
        ("rigth", "there is no node 'rigth'. Did you mean right?"),
        ("right", "load_on = 'right': a network load is from one node to another"),
    ],
)
def test_a_load_on_wrong_nodes_is_refused(lab: Lab, load_on: str, says: str) -> None:
    matrix = f'adapter = "null"\nload = "net 1mbit"\nload_on = "{load_on}"'
    nodes = "[nodes.left]\nprefix = ''\n[nodes.right]\nprefix = ''\n"
    lab.scenario(scenario(matrix, also=nodes))
    ended = lab.quickly("plan", "scenario.toml")
    assert ended.code == 2 and says in ended.err


def test_without_nodes_a_load_has_no_place(lab: Lab) -> None:
    lab.scenario(scenario('adapter = "null"\nload = "cpu 5%"\nload_on = "n1"'))
    ended = lab.quickly("plan", "scenario.toml")
    assert ended.code == 2 and "load_on = 'n1': there are no [nodes]" in ended.err


def test_a_load_that_is_none_is_refused(lab: Lab) -> None:
    lab.scenario(scenario('adapter = "null"\nload = "memory 5%"'))
    ended = lab.quickly("plan", "scenario.toml")
    assert ended.code == 2
    assert "'memory 5%' is no load" in ended.err
