"""What is known of a campaign's nodes before its first round."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from busmark.control import outfit
from busmark.findings import plan_findings
from busmark.nodes import Address, Node
from busmark.store import Case


def test_a_plan_is_judged_by_the_nodes_on_which_its_cases_may_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Members of a group too. Real nodes, of which two have one CPU."""
    cpus = sorted(os.sched_getaffinity(0))
    if not shutil.which("taskset") or len(cpus) < 2:
        pytest.skip("needs taskset and two CPUs")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    one, last = ["taskset", "-c", str(cpus[0])], f"{cpus[-1]}+{cpus[-1]}"
    loopback = Address(address="127.0.0.1")
    nodes = [Node("wide", [], wanted=loopback), Node("narrow", one, wanted=loopback),
             Node("third", one, group="readers", wanted=loopback)]  # fmt: skip
    for node in nodes:
        node.ready()
    of = outfit.profiles_of(nodes)
    cases = [
        Case(id=f"{on}", status="planned", params={
            "network": "nodes", "writer_on": "wide", "reader_on": on, "placement": last,
        })
        for on in ("wide", "narrow", "readers")
    ]  # fmt: skip
    assert [list(of(case)) for case in cases] == [["wide"], ["wide", "narrow"], ["wide", "third"]]
    assert of(Case(id="here", status="planned", params={"network": None})) == {}
    found = plan_findings(cases, {}, nodes_of=of)
    (finding,) = (each for each in found if each.id == "placement-impossible")
    assert finding.cases == ["narrow", "readers"]
    assert "node narrow: " in finding.evidence and finding.evidence.endswith("; and on third")
    for node in nodes:
        node.close()
