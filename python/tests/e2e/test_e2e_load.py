"""Campaigns under background load."""

from __future__ import annotations

import json
import os

import pytest
from e2e_harness import Lab, events, need_adapters, rows, scenario

from busmark.load import missing_tool, parse
from busmark.store import Result

LONG = "duration_s = 1.0\nwarmup_s = 0.02\nmax_samples = 5000"
"""On a busy machine stress-ng rests for long after it had to wait: a shorter round may see none of
it, and fails."""


def test_rounds_under_load_tell_what_the_load_came_to(lab: Lab) -> None:
    need_adapters("udp")
    if reason := missing_tool(parse("net 5mbit + cpu 20% + disk max")):
        pytest.skip(reason)
    loads = '["", "net 5mbit", "cpu 20% + net 5mbit", "disk max"]'
    matrix = f'adapter = "udp"\nrate_hz = 500\nload = {loads}'
    lab.campaign(scenario(matrix, measure=LONG, rounds="min = 1\nretries = 5"))
    found = {row["load"]: row for row in rows(lab.folder / "result")}
    columns = [f"load_{kind}_{what}" for kind in ("cpu", "net", "disk")
               for what in ("asked", "achieved")]  # fmt: skip
    known = {load: {name for name in columns if row[name] is not None}
             for load, row in found.items()}  # fmt: skip
    net = {"load_net_asked", "load_net_achieved"}
    assert known == {
        None: set(), "net 5mbit": net, "disk max": {"load_disk_achieved"},
        "cpu 20% + net 5mbit": net | {"load_cpu_asked", "load_cpu_achieved"},
    }  # fmt: skip
    assert all(row[name] > 0 for load, row in found.items() for name in known[load])
    assert any(case.endswith("cpu20pctandnet5mbit") for case in {r["case"] for r in found.values()})
    shown = lab.busmark("show", "result", "--json")
    values = {case["params"]["load"]: case["loads"] for case in json.loads(shown.out)["cases"]}
    assert [load["kind"] for load in values["cpu 20% + net 5mbit"]] == ["cpu", "net"]
    assert [load["unlimited"] for load in values["disk max"]] == [True] and values[None] == []
    lab.assert_nothing_left()


def test_a_load_runs_on_the_nodes_that_the_scenario_names(lab: Lab) -> None:
    need_adapters("tcp")
    if os.geteuid() != 0:
        pytest.skip("a private network needs root")
    if reason := missing_tool(parse("cpu 20% + disk 1MB")):
        pytest.skip(reason)
    # As on a machine without the tool.
    bare = "unshare --mount sh -c 'mount --bind /dev/null /usr/bin/stress-ng; exec \"$@\"' sh"
    matrix = 'adapter = "tcp"\nrate_hz = 500\nload = ["", "cpu 20% + disk 1MB"]\n'
    matrix += 'load_on = ["", "right", "bare"]'
    nodes = {"left": "", "right": "", "bare": bare}
    tables = "".join(f"[nodes.{n}]\nprefix = {json.dumps(p)}\n" for n, p in nodes.items())
    rounds = "min = 1\nretries = 5"
    lab.scenario(scenario(matrix, measure=LONG, rounds=rounds, also=tables))
    out = lab.folder / "result"
    prefix = ["unshare", "--net", "sh", "-c", 'ip link set lo up; exec "$@"', "sh"]
    ended = lab.busmark("run", "scenario.toml", "--out", out, prefix=prefix)
    assert ended.code == 0, ended.text
    both = "cpu 20% + disk 1MB"
    found = {(row["load"], row["load_on"]): (row["load_cpu_achieved"], row["load_disk_achieved"])
             for row in rows(out)}  # fmt: skip
    assert found.keys() == {(None, None), (both, None), (both, "right")}
    assert found[None, None] == (None, None)
    assert all(value > 0 for (load, _), values in found.items() for value in values if load)
    on = [event["load_on"] for event in events(out) if event["event"] == "round_ends"]
    assert sorted([sorted(each.get("cpu", [])) for each in on]) == [
        [], ["left", "right"], ["right"],
    ]  # fmt: skip
    assert all(each == {} or each.keys() == {"cpu", "disk"} for each in on)
    (lacking,) = (c for c in Result(out).manifest.cases if c.status == "unsupported")
    assert lacking.reason == ("on node bare: load cpu needs stress-ng: apt-get install stress-ng")
    lab.assert_nothing_left()
