"""A campaign that is resumed on other nodes, or on nodes reached in another way."""

from __future__ import annotations

import json
import os
import shutil
import signal
from pathlib import Path
from typing import Any

import pytest
from e2e_harness import (
    Lab,
    assert_complete,
    count,
    eventually,
    fingerprints,
    need_adapters,
    rows,
    scenario,
    tidy,
)

ALONE = ["unshare", "--net", "sh", "-c", 'ip link set lo up; exec "$@"', "sh"]
AWAY = "right=unshare --uts sh -c 'hostname elsewhere && exec \"$@\"' sh"


def manifest(directory: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((directory / "manifest.json").read_bytes())
    return found


@pytest.fixture(scope="module")
def begun(shared_lab: Lab) -> Path:
    """A campaign between two nodes of which some rounds are finished."""
    need_adapters("tcp")
    if os.geteuid() != 0:
        pytest.skip("a private network needs root")
    nodes = "[nodes.left]\nprefix = ''\n[nodes.right]\nprefix = 'env A=b'\n"
    shared_lab.scenario(scenario('adapter = "tcp"', rounds="min = 3", also=nodes))
    out = shared_lab.folder / "result"
    with tidy(shared_lab.start("run", "scenario.toml", "--out", out, prefix=ALONE)) as process:
        eventually(lambda: count(out, "round_ends") >= 1, lambda: "no round ends")
        os.kill(process.pid, signal.SIGINT)
        process.wait()
    return out


@pytest.fixture
def half(lab: Lab, begun: Path) -> Path:
    """A copy of it."""
    shutil.copy(begun.parent / "scenario.toml", lab.folder)
    return shutil.copytree(begun, lab.folder / "result")


@pytest.mark.parametrize("named", [True])
def test_a_campaign_goes_on_with_a_node_that_is_reached_in_another_way(
    lab: Lab, half: Path, named: bool
) -> None:
    before, begun = fingerprints(half), len(rows(half))
    words = ["scenario.toml"] if named else []
    ended = lab.busmark("run", *words, "--resume", "--out", half, "--node", AWAY, prefix=ALONE)
    assert ended.code == 0, ended.text
    assert_complete(half, cases=1, rounds=3)
    assert before.items() <= fingerprints(half).items()
    stored = manifest(half)
    assert stored["hosts"]["right"]["prefix"] == "env A=b"
    (resumption,) = stored["resumptions"]
    assert resumption["nodes"].keys() == {"right"}
    assert resumption["nodes"]["right"]["prefix"].startswith("unshare --uts")
    assert resumption["nodes"]["right"]["hostname"] == "elsewhere"
    (finding,) = (each for each in stored["findings"] if each["id"] == "several-hosts")
    assert finding["evidence"].startswith("node right: ")
    assert f"then {3 - begun} round" in finding["evidence"]
    page = (half / "report" / "report.html").read_text(encoding="utf-8")
    assert "right, from " in page and "elsewhere" in page
    lab.assert_nothing_left()


def test_a_node_that_the_campaign_does_not_have_is_refused(lab: Lab, half: Path) -> None:
    before = fingerprints(half)
    for given, says in (
        ("rigth=ssh lab9", "the campaign has no node 'rigth'"),
        ("right", "--node: 'right' is not NAME=PREFIX"),
        ("right=ssh 'lab9", "No closing quotation"),
    ):
        ended = lab.quickly("run", "--resume", "--out", str(half), "--node", given)
        assert ended.code == 2 and says in ended.err, ended.text
    assert fingerprints(half) == before
