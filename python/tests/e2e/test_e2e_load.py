"""Campaigns under background load."""

from __future__ import annotations

import pytest
from e2e_harness import Lab, need_adapters, rows, scenario

from busmark.load import missing_tool, parse


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


def test_a_load_that_is_none_is_refused(lab: Lab) -> None:
    lab.scenario(scenario('adapter = "null"\nload = "memory 5%"'))
    ended = lab.quickly("plan", "scenario.toml")
    assert ended.code == 2
    assert "'memory 5%' is no load" in ended.err
