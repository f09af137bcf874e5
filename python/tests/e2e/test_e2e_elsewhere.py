"""A campaign that is interrupted on one machine and finished on another, from a copied directory,
on a node that is reached in another way."""

from __future__ import annotations

import os
import shutil
import signal
from pathlib import Path

import pytest
from e2e_harness import (
    Ended,
    Lab,
    assert_complete,
    assert_intact,
    count,
    end,
    events,
    eventually,
    fingerprints,
    need_adapters,
    rows,
    scenario,
    tidy,
)
from nodes_harness import ALONE, need_root

from busmark.store import Result

ELSEWHERE = ["unshare", "--uts", "sh", "-c", 'hostname elsewhere && exec "$@"', "sh"]
"""A host of another name."""
AWAY = "right=unshare --uts sh -c 'hostname away && exec \"$@\"' sh"
NODES = "[nodes.left]\nprefix = ''\n[nodes.right]\nprefix = 'env A=b'\n"
ROUNDS = 5


@pytest.fixture(scope="module")
def begun(shared_lab: Lab) -> tuple[Path, Ended]:
    """End a campaign between two nodes after some rounds; return its directory and its end."""
    need_adapters("tcp")
    need_root()
    text = scenario('adapter = "tcp"\nsize = [64, 256]', rounds=f"min = {ROUNDS}", also=NODES)
    shared_lab.scenario(text)
    out = shared_lab.folder / "result"
    with tidy(shared_lab.start("run", "scenario.toml", "--out", out, prefix=ALONE)) as process:
        eventually(lambda: count(out, "round_ends") >= 3, lambda: "no third round ends")
        os.kill(process.pid, signal.SIGTERM)
        return out, end(process)


def test_an_interrupted_campaign_ends_in_order(shared_lab: Lab, begun: tuple[Path, Ended]) -> None:
    out, ended = begun
    assert ended.code == 130, ended.text
    assert "interrupted; the finished rounds are stored" in ended.err
    assert f"Go on with: busmark run --resume --out {out}" in ended.err
    shared_lab.assert_nothing_left()
    result = assert_intact(out)
    assert 3 <= result.cases.height < 2 * ROUNDS
    assert result.manifest.finished_utc is None
    assert events(out)[-1]["event"] == "campaign_ends" and events(out)[-1]["complete"] is False
    assert (out / "report" / "report.html").is_file()


def test_a_node_that_the_campaign_does_not_have_is_refused(
    lab: Lab, begun: tuple[Path, Ended]
) -> None:
    before = fingerprints(begun[0])
    for given, says in (
        ("rigth=ssh lab9", "the campaign has no node 'rigth'"),
        ("right", "--node: 'right' is not NAME=PREFIX"),
        ("right=ssh 'lab9", "No closing quotation"),
    ):
        ended = lab.quickly("run", "--resume", "--out", str(begun[0]), "--node", given)
        assert ended.code == 2 and says in ended.err, ended.text
    assert fingerprints(begun[0]) == before


def test_a_copied_result_is_finished_elsewhere_and_says_so(
    lab: Lab, begun: tuple[Path, Ended]
) -> None:
    before, table = fingerprints(begun[0]), rows(begun[0])
    copy = lab.folder / "away" / "copy"
    shutil.copytree(begun[0], copy)
    words = ("run", "--resume", "--out", copy, "--node", AWAY)
    ended = lab.busmark(*words, prefix=["env", "-C", "/", *ALONE, *ELSEWHERE])
    assert ended.code == 0, ended.text
    assert_complete(copy, cases=2, rounds=ROUNDS)
    assert before.items() <= fingerprints(copy).items()
    assert count(copy, "resumed") == 1
    stored = Result(copy).manifest
    assert stored.hosts["right"]["prefix"] == "env A=b"
    (resumption,) = stored.resumptions
    assert resumption.host["hostname"] == "elsewhere" != stored.hosts[""]["hostname"]
    assert resumption.nodes["right"]["prefix"].startswith("unshare --uts")
    assert resumption.nodes["right"]["hostname"] == "away"
    assert sum(row["order"] < resumption.first_order for row in rows(copy)) == len(table)
    (finding,) = (each for each in stored.findings if each.id == "several-hosts")
    left = 2 * ROUNDS - len(table)
    for says in (
        f"{left} rounds on elsewhere",
        "node right: ",
        f"{left} rounds on away",
        "hostname",
    ):
        assert says in finding.evidence, finding.evidence
    page = (copy / "report" / "report.html").read_text(encoding="utf-8")
    assert "right, from " in page and "elsewhere" in page
    lab.assert_nothing_left()
