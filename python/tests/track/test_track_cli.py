"""`busmark history` on results: real ones of older versions, and ones in the real format."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from kept_results import NAMES
from seams import row_of
from track_histories import campaign, repository, run

from busmark.errors import UserError
from busmark.track import read


@pytest.mark.parametrize("name", NAMES)
def test_a_real_result_is_added_with_the_figures_that_compare_shows(
    kept: Path, name: str, tmp_path: Path
) -> None:
    result, path = kept / name / "result", tmp_path / "h.jsonl"
    ended = run(
        "history", "add", result, "--history", path, "--commit", "v1", "--date", "2025-03-01"
    )
    assert ended.exit_code == 0, ended.output
    (entry,) = read(path)
    assert (entry.commit.id, entry.commit.utc) == ("v1", "2025-03-01T00:00:00Z")
    shown = json.loads(run("show", result, "--json").stdout)
    by_id = {case["id"]: case for case in shown["cases"]}
    compared = 0
    for case in entry.cases:
        own = by_id[case.id]
        if own["test"] == "throughput":
            key, row = "goodput.throughput", row_of(own, "goodput", "median")
        else:
            key, row = "median.latency", row_of(own, "half_round_trip", "median")
        if row and "value" in row:
            assert case.figures[key].value == pytest.approx(row["value"])
            compared += 1
    assert compared > 0
    again = run("history", "add", result, "--history", path, "--commit", "v1")
    assert again.exit_code == 0 and "is there already" in again.output
    assert len(read(path)) == 1
    refused = run("history", "add", result, "--history", path, "--commit", "v2")
    assert isinstance(refused.exception, UserError) and "for commit v1" in str(refused.exception)
    assert run("history", "check", "--history", path).exit_code == 0


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make campaigns, from the eleventh on 6 % slower."""
    folder = tmp_path_factory.mktemp("made")
    for n in range(17):
        campaign(folder / f"r{n}", 1.06 if n >= 10 else 1.0, seed=n, rounds=3, samples=300,
                 cases=({"adapter": "udp"},))  # fmt: skip
    return folder


@pytest.fixture
def results(made: Path, tmp_path: Path) -> list[Path]:
    """Copy the campaigns, r0 to r16."""
    shutil.copytree(made, tmp_path, dirs_exist_ok=True)
    return [tmp_path / f"r{n}" for n in range(17)]


def test_a_slowdown_is_found_in_results_of_commits(
    tmp_path: Path, results: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    commits = repository(tmp_path / "code", 17)
    monkeypatch.chdir(tmp_path / "code")
    codes = []
    for result, commit in zip(results, commits, strict=True):
        added = run("history", "add", result, "--commit", commit[:12])
        assert added.exit_code == 0, added.output
        codes.append(run("history", "check").exit_code)
    assert sum(codes) == 1 and codes.index(1) in (14, 15, 16)
    entries = read(Path("busmark-history.jsonl"))
    assert [entry.commit.id for entry in entries] == commits
    assert entries[3].commit.subject == "Change 3"
    assert entries[3].commit.utc == "2026-02-04T12:00:00Z"
    (row,) = (line for line in run("history", "show").output.splitlines() if "Change 10 " in line)
    assert row.split()[:2] == [commits[10][:10], "2026-02-11"] and commits[9][:10] in row


@pytest.mark.parametrize(
    "day_of", [lambda number: 3, lambda number: 20 - number], ids=["one second", "clocks backwards"]
)
def test_commits_are_ordered_by_ancestry_whatever_their_dates(
    tmp_path: Path,
    results: list[Path],
    monkeypatch: pytest.MonkeyPatch,
    day_of: Callable[[int], int],
) -> None:
    """A rebase gives many commits one second; results of the newest may be added first."""
    commits = repository(tmp_path / "code", 17, day_of)
    monkeypatch.chdir(tmp_path / "code")
    for result, commit in reversed(list(zip(results, commits, strict=True))):
        assert run("history", "add", result, "--commit", commit).exit_code == 0
    (row,) = (line for line in run("history", "show").output.splitlines() if "Change 10 " in line)
    assert commits[10][:10] in row and commits[9][:10] in row
    assert tracked()["series"][0]["points"][0]["commit"] == commits[0]


def test_an_unknown_order_is_said(
    tmp_path: Path, results: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    commits = repository(tmp_path / "code", 3, lambda number: 3)
    subprocess.run(["git", "clone", "-q", "--depth", "2", f"file://{tmp_path}/code", "shallow"],
                   cwd=tmp_path, check=True)  # fmt: skip
    monkeypatch.chdir(tmp_path / "shallow")
    for result, commit in zip(results, commits[1:], strict=False):
        assert run("history", "add", result, "--commit", commit).exit_code == 0
    (remark,) = [text for text in tracked()["remarks"] if "ancestry" in text]
    assert remark.startswith("2 commits have the date of another")


def tracked() -> Any:
    """Return what `history show` says of the history here."""
    return json.loads(run("history", "show", "--json").stdout)


def test_the_commit_is_the_one_that_is_checked_out(
    tmp_path: Path, results: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    commits = repository(tmp_path / "code", 2)
    monkeypatch.chdir(tmp_path / "code")
    run("history", "add", results[0])
    (tmp_path / "code" / "code").write_text("changed")
    text = run("history", "add", results[1])
    assert "files here differ from the commit" in text.output
    first, second = read(Path("busmark-history.jsonl"))
    assert first.commit.id == second.commit.id == commits[1]
    assert (first.commit.modified, second.commit.modified) == (False, True)


def test_a_runner_without_a_name_of_its_own_is_named(tmp_path: Path, results: list[Path]) -> None:
    path = tmp_path / "h.jsonl"
    for number in range(2):
        run("history", "add", results[number], "--history", path, "--commit", f"c{number}",
            "--machine", "pool-a")  # fmt: skip
    run("history", "add", results[2], "--history", path, "--commit", "c2")
    entries = read(path)
    assert [entry.machine.name for entry in entries[:2]] == ["pool-a", "pool-a"]
    assert "hostname" not in entries[0].machine.facts
    assert entries[0].machine.facts == entries[1].machine.facts != entries[2].machine.facts


def unfinished(directory: Path) -> None:
    manifest = json.loads((directory / "manifest.json").read_text())
    (directory / "manifest.json").write_text(json.dumps({**manifest, "finished_utc": None}))


def elsewhere(directory: Path) -> None:
    manifest = json.loads((directory / "manifest.json").read_text())
    manifest["resumptions"] = [{"utc": "2025-01-01T00:00:00Z", "first_order": 1, "host": {}}]
    (directory / "manifest.json").write_text(json.dumps(manifest))


@pytest.mark.parametrize(
    ("spoil", "text"), [(unfinished, "not finished"), (elsewhere, "2 machines in turn")]
)
def test_a_result_that_belongs_to_no_commit_or_machine_is_refused(
    results: list[Path], tmp_path: Path, spoil: object, text: str
) -> None:
    spoil(results[0])  # type: ignore[operator]
    ended = run("history", "add", results[0], "--history", tmp_path / "h.jsonl", "--commit", "a")
    assert isinstance(ended.exception, UserError) and text in str(ended.exception)
    assert not (tmp_path / "h.jsonl").exists()


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (("add", "nowhere", "--commit", "a"), "nowhere"),
        (("add", "r0"), "there is no commit here"),
        (("add", "r0", "--commit", "--exec"), "names no commit"),
        (("add", "r0", "--commit", "a", "--date", "soon"), "is no date"),
        (("add", "r0", "--commit", "a", "--history", "no/h"), "this folder is not there"),
        (("add", "r0", "--commit", "a", "--history", "r1"), "this is not a file"),
        (("show",), "there is no such history"),
        (("check", "--history", "empty"), "has no result yet"),
        (("check", "--history", "one", "--figure", "medain.latency"), "no statistic 'medain'"),
        (("check", "--history", "one", "--figure", "median"), "median of what"),
        (("check", "--history", "one", "--figure", "goodput.throughput"), "no result of this"),
        (("check", "--history", "one", "--worse-than", "much"), "is not a share"),
        (("check", "--history", "one", "--new-for", "0"), "not in the range"),
    ],
)
def test_bad_input_is_reported(
    tmp_path: Path, results: list[Path], monkeypatch: pytest.MonkeyPatch,
    words: tuple[str, ...], text: str,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", os.fspath(tmp_path.parent))
    Path("empty").touch()
    run("history", "add", results[0], "--commit", "a", "--history", "one")
    ended = run("history", *words)
    said = str(ended.exception) + ended.output
    assert text in said
    assert isinstance(ended.exception, UserError) or ended.exit_code == 2
