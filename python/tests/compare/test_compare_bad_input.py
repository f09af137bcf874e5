"""Damaged, foreign and unfinished results: what is usable is used, what is left out is reported."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from compare_results import HOST, Builder, campaign, compared

from busmark.errors import UserError


def copied(place: Path, folder: Path, name: str = "slow") -> Path:
    return Path(shutil.copytree(place / name, folder / name))


def test_a_truncated_round_is_left_out_and_reported(place: Path, tmp_path: Path) -> None:
    damaged = copied(place, tmp_path)
    file = damaged / "samples" / "udp-64-same.r002.parquet"
    file.write_bytes(file.read_bytes()[:100])
    comparison = compared(place / "base", damaged)
    pair = comparison.pairs[0]
    assert (pair.baseline_rounds, pair.candidate_rounds) == (5, 4)
    assert pair.verdict == "slower"
    assert "truncated or damaged" in pair.remarks[0]


def test_a_case_of_which_nothing_can_be_read_has_no_verdict(place: Path, tmp_path: Path) -> None:
    damaged = copied(place, tmp_path)
    for file in (damaged / "samples").glob("udp-64-same.*"):
        file.write_bytes(b"PAR1")
    comparison = compared(place / "base", damaged)
    first, second = comparison.pairs
    assert (first.verdict, second.verdict) == ("undecided", "slower")
    assert len(first.remarks) == 5


def test_no_finished_round_is_refused_with_its_reason(place: Path, tmp_path: Path) -> None:
    build = Builder(tmp_path / "none", seed=9)
    build.case("udp-64-same")
    build.row("udp-64-same", 0, "failed", reason="the responder hung")
    build.finish(cookie="none")
    with pytest.raises(UserError, match="no case has a finished round") as refused:
        compared(place / "base", tmp_path / "none")
    assert "the responder hung" in refused.value.message


def test_an_interrupted_campaign_is_compared_as_far_as_it_is(place: Path, tmp_path: Path) -> None:
    campaign(tmp_path / "half", seed=9, rounds=2, finished_utc=None)
    comparison = compared(place / "base", tmp_path / "half")
    assert comparison.candidates[0].finished_utc is None
    assert (comparison.warnings[0].kind, comparison.warnings[0].of) == ("not finished", "half")


def test_a_campaign_without_a_case_is_refused(place: Path, tmp_path: Path) -> None:
    Builder(tmp_path / "empty").finish(cookie="empty")
    with pytest.raises(UserError, match="it has no case"):
        compared(place / "base", tmp_path / "empty")


def test_other_environments_are_reported_in_full(place: Path, tmp_path: Path) -> None:
    host = HOST | {"kernel": "6.19.0", "cpu_model": "Other CPU", "cpus_online": 8,
                   "governors": {"performance": [0, 1]}}  # fmt: skip
    campaign(tmp_path / "new", seed=9, hosts={"": host}, busmark_version="0.9.0")
    comparison = compared(place / "base", tmp_path / "new")
    found = {(d.area, d.fact): (d.baseline, d.candidate_value) for d in comparison.differences}
    assert found == {
        ("machine", "cpu model"): ("Example CPU @ 2.50GHz", "Other CPU"),
        ("machine", "cpus online"): ("2", "8"),
        ("machine", "kernel"): ("6.18.0", "6.19.0"),
        ("Busmark", "version"): ("0.1.0", "0.9.0"),
    }
    assert all(difference.warning for difference in comparison.differences)
    (of,) = [each.of for each in comparison.warnings if each.kind == "other environment"]
    assert of == "cpu model, cpus online, kernel and version of Busmark"


def test_other_cpus_and_another_middleware_are_reported(tmp_path: Path) -> None:
    for seed, cpus in ((1, "1;0"), (2, "3;2")):
        build = Builder(tmp_path / f"s{seed}", seed=seed)
        directory = campaign(build.directory, seed=seed, build=build)
        for row in build.rows:
            row["cpus"] = cpus
        build.finish(cookie=str(seed))
        manifest = json.loads((directory / "manifest.json").read_text())
        manifest["adapters"]["cyclonedds"]["middleware_version"] = f"Cyclone DDS {seed}"
        (directory / "manifest.json").write_text(json.dumps(manifest))
    comparison = compared(tmp_path / "s1", tmp_path / "s2")
    found = {d.fact: (d.baseline, d.candidate_value, d.warning) for d in comparison.differences}
    assert found == {
        "middleware of cyclonedds": ("Cyclone DDS 1", "Cyclone DDS 2", False),
        "CPUs used": ("1;0", "3;2", True),
    }
