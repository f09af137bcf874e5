"""Campaigns under background load."""

from __future__ import annotations

import json

import pytest
from e2e_harness import Lab, events, need_adapters, rows, scenario
from nodes_harness import ALONE, need_root

from busmark.load import missing_tool, parse
from busmark.store import Result

LONG = "duration_s = 1.0\nwarmup_s = 0.02\nmax_samples = 5000"
"""On a busy machine stress-ng rests for long after it had to wait: a shorter round may see none of
it, and fails."""


def test_rounds_under_load_on_the_nodes_that_the_scenario_names(lab: Lab) -> None:
    need_adapters("tcp")
    need_root()
    if reason := missing_tool(parse("net 5mbit + cpu 20% + disk max")):
        pytest.skip(reason)
    # As on a machine without the tool.
    bare = "unshare --mount sh -c 'mount --bind /dev/null /usr/bin/stress-ng; exec \"$@\"' sh"
    both = "cpu 20% + disk 1MB"
    matrix = f'adapter = "tcp"\nrate_hz = 500\nload = ["", "{both}"]\n'
    matrix += 'load_on = ["", "right", "bare"]'
    nodes = {"left": "", "right": "", "bare": bare}
    tables = "".join(f"[nodes.{n}]\nprefix = {json.dumps(p)}\n" for n, p in nodes.items())
    here = ["net 5mbit", "cpu 20% + net 5mbit", "disk max"]
    also = f'[[also]]\nload = {json.dumps(here)}\nload_on = ""\n{tables}'
    text = scenario(matrix, measure=LONG, rounds="min = 1\nretries = 5", also=also)
    lab.campaign(text, prefix=ALONE)
    lab.assert_nothing_left()
    out = lab.folder / "result"
    found = {(row["load"], row["load_on"]): row for row in rows(out)}
    net = {"load_net_asked", "load_net_achieved"}
    of_both = {"load_cpu_asked", "load_cpu_achieved", "load_disk_asked", "load_disk_achieved"}
    wanted = {
        (None, None): set(), ("net 5mbit", None): net, ("disk max", None): {"load_disk_achieved"},
        ("cpu 20% + net 5mbit", None): net | {"load_cpu_asked", "load_cpu_achieved"},
        (both, None): of_both, (both, "right"): of_both,
    }  # fmt: skip
    columns = [f"load_{kind}_{what}" for kind in ("cpu", "net", "disk")
               for what in ("asked", "achieved")]  # fmt: skip
    assert wanted == {
        load: {name for name in columns if row[name] is not None} for load, row in found.items()
    }
    assert all(found[load][name] > 0 for load, names in wanted.items() for name in names)
    on = [event["load_on"] for event in events(out) if event["event"] == "round_ends"]
    assert sorted([sorted(each.get("cpu", [])) for each in on if "disk" in each]) == [
        [], ["left", "right"], ["right"],
    ]  # fmt: skip
    assert sum(each == {} for each in on) == 1
    (lacking,) = (c for c in Result(out).manifest.cases if c.status == "unsupported")
    assert lacking.reason == ("on node bare: load cpu needs stress-ng: apt-get install stress-ng")
