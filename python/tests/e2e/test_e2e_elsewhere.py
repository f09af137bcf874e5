"""A campaign that is begun on one machine and finished on another, from a copied directory."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
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

ELSEWHERE = ["unshare", "--uts", "sh", "-c", 'hostname elsewhere && exec "$@"', "sh"]
"""A host of another name."""


@pytest.fixture
def half(lab: Lab) -> Path:
    """A campaign of which some rounds are finished."""
    need_adapters("udp", "null")
    lab.scenario(scenario('adapter = ["udp", "null"]', rounds="min = 5"))
    out = lab.folder / "result"
    with tidy(lab.start("run", "scenario.toml", "--out", out)) as process:
        eventually(lambda: count(out, "round_ends") >= 3, lambda: "no third round ends")
        os.kill(process.pid, signal.SIGINT)
        process.wait()
    return out


def manifest(directory: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((directory / "manifest.json").read_bytes())
    return found


def found(directory: Path) -> list[str]:
    return [finding["id"] for finding in manifest(directory)["findings"]]


def test_a_copied_result_is_finished_elsewhere_and_says_so(lab: Lab, half: Path) -> None:
    try:
        subprocess.run([*ELSEWHERE, "true"], check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("another host name needs root")
    before, begun = fingerprints(half), len(rows(half))
    copy = lab.folder / "away" / "copy"
    shutil.move(half, copy)
    (lab.folder / "scenario.toml").unlink()
    ended = lab.busmark("run", "--resume", "--out", copy, prefix=["env", "-C", "/", *ELSEWHERE])
    assert ended.code == 0, ended.text
    assert_complete(copy, cases=2, rounds=5)
    assert before.items() <= fingerprints(copy).items()
    stored = manifest(copy)
    (resumption,) = stored["resumptions"]
    assert resumption["host"]["hostname"] == "elsewhere"
    assert stored["hosts"][""]["hostname"] != "elsewhere"
    assert sum(row["order"] < resumption["first_order"] for row in rows(copy)) == begun
    (finding,) = (each for each in stored["findings"] if each["id"] == "several-hosts")
    assert f"{10 - begun} rounds on elsewhere" in finding["evidence"]
    assert "hostname" in finding["evidence"]
    assert "elsewhere" in (copy / "report" / "report.html").read_text(encoding="utf-8")
