"""Names stand for results, wherever these are; nothing that is gone or damaged spoils that."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from busmark.errors import UserError
from busmark.store import listing, load_manifest, named, newest_two


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a working directory and a state folder for the test alone."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    return work


def result(place: str | Path, day: int, campaign: str = "x", **more: Any) -> Path:
    """Make a directory with those parts of a manifest that are looked at."""
    directory = Path(place)
    directory.mkdir(parents=True)
    manifest = {
        "format": 1, "busmark_version": "0.1.0", "created_utc": f"2026-01-{day:02d}T10:00:00Z",
        "finished_utc": f"2026-01-{day:02d}T11:00:00Z", "scenario": {"name": campaign},
        "cases": [{"status": "planned"}, {"status": "planned"}, {"status": "unsupported"}],
        "hosts": {"": {"hostname": "box"}, "lab1": {"hostname": "far"}}, **more,
    }  # fmt: skip
    (directory / "manifest.json").write_text(json.dumps(manifest, indent=2))
    return directory


def remedy(text: str) -> str:
    with pytest.raises(UserError) as caught:
        named.resolve(text)
    return str(caught.value)


def test_the_newest_is_found_by_its_begin_wherever_it_is(tmp_path: Path) -> None:
    here = result("busmark-results/first-20260103-100000", 3)
    assert not named.note(result(tmp_path / "elsewhere" / "out", 5))
    assert not named.note(here)
    assert named.resolve("@last") == tmp_path / "elsewhere" / "out"
    assert named.resolve("@last~1") == here
    assert named.resolve("@out") == tmp_path / "elsewhere" / "out"
    assert named.resolve("plain/path") == Path("plain/path")
    assert [each.name for each in named.stored()] == ["out", "first-20260103-100000"]


def test_a_job_in_another_folder_is_nobodys_last(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two jobs of one account each have their own newest result, wherever they put it."""
    jobs = [tmp_path / name for name in ("one", "two")]
    for day, job in enumerate(jobs, start=1):
        job.mkdir()
        monkeypatch.chdir(job)
        result("busmark-results/nightly-20260101-100000", day)
        assert not named.note(Path("busmark-results/nightly-20260101-100000"))
        assert not named.note(result(tmp_path / "disk" / job.name, day + 2))
    for job in jobs:
        monkeypatch.chdir(job)
        own = Path("busmark-results/nightly-20260101-100000")
        assert (named.newest(), named.resolve("@last~1")) == (tmp_path / "disk" / job.name, own)
        assert named.resolve("@nightly") == own
        assert "there are 2 results only of this folder" in remedy("@last~2")
        assert newest_two() == (own, tmp_path / "disk" / job.name)
        # What has a name is found wherever it is.
        assert named.resolve("@one") == tmp_path / "disk" / "one"
        assert [each.here for each in listing().results] == [True, True, False, False]
    monkeypatch.chdir(tmp_path / "work")
    for ask in (named.newest, lambda: named.resolve("@last"), lambda: named.resolve("@last~1")):
        with pytest.raises(UserError, match="no result was begun in this folder or below") as none:
            ask()
        assert f"@two ({tmp_path}/disk/two)" in str(none.value)
    with pytest.raises(UserError, match="no two results"):
        newest_two()
    monkeypatch.chdir(tmp_path)
    assert named.newest() == Path("disk/two")


def test_a_result_is_of_the_folder_in_which_it_was_resumed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun = result(tmp_path / "out", 1)
    named.note(begun)
    (tmp_path / "later").mkdir()
    monkeypatch.chdir(tmp_path / "later")
    assert not [each for each in named.stored() if each.here]
    named.note(begun)
    assert named.newest() == begun


def test_without_a_register_the_default_folder_is_enough() -> None:
    old, new = result("busmark-results/a", 1), result("busmark-results/b", 2)
    assert not named.noted()
    assert (named.resolve("@last"), named.resolve("@last~1")) == (new, old)


def test_a_name_without_its_time_is_the_newest_of_that_campaign() -> None:
    result("busmark-results/qos-20260101-100000", 1)
    result("busmark-results/qos-20260104-100000", 4)
    result("busmark-results/qos-more", 6)
    assert named.resolve("@qos").name == "qos-20260104-100000"
    assert named.resolve("@qos~1").name == "qos-20260101-100000"
    assert "there are 2 results only of the name @qos" in remedy("@qos~2")


def test_a_directory_whose_name_looks_like_a_place_back_is_found() -> None:
    result("busmark-results/a~1", 1)
    result("busmark-results/a", 2)
    assert named.resolve("@a~1").name == "a~1"


def test_an_unknown_name_gets_what_there_is_and_what_is_close() -> None:
    assert "no result is known yet" in remedy("@last")
    result("busmark-results/before", 1)
    text = remedy("@befor")
    assert "@befor: no result of this name" in text
    assert "Did you mean @before?" in text and "`busmark list`" in text
    assert "there is one result only" in remedy("@last~1")


def test_a_path_that_is_no_result_gets_names(tmp_path: Path) -> None:
    result("busmark-results/before", 1)
    (tmp_path / "file").touch()
    for place in (tmp_path / "file", tmp_path / "nothing", tmp_path):
        with pytest.raises(UserError, match="@before"):
            load_manifest(place)


def test_a_removed_result_is_passed_over_and_comes_back(tmp_path: Path) -> None:
    away = result(tmp_path / "disk" / "away", 9)
    assert not named.note(away)
    here = result("busmark-results/here", 1)
    kept = shutil.move(away, tmp_path / "unmounted")
    assert named.resolve("@last") == here
    shutil.move(kept, away)
    assert named.resolve("@last") == away


def test_links_that_lead_nowhere_go_when_there_are_very_many(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(named, "MOST", 3)
    there = [result(tmp_path / f"there{n}", n + 1) for n in range(3)]
    for place in (*there, tmp_path / "gone1", tmp_path / "gone2"):
        assert not named.note(place)
    assert set(named.noted()) == set(there)


def test_many_processes_note_at_a_time(tmp_path: Path) -> None:
    code = (
        "import sys\nfrom pathlib import Path\nfrom busmark.store import named\n"
        "sys.stdin.read()\n"
        "for n in range(20): assert not named.note(Path(sys.argv[1]) / f'{n}')\n"
    )
    runs = [
        subprocess.Popen([sys.executable, "-c", code, str(tmp_path / "r")], stdin=subprocess.PIPE)
        for _ in range(3)
    ]
    for run in runs:
        assert run.stdin
        run.stdin.close()
    assert [run.wait() for run in runs] == [0, 0, 0]
    assert sorted(map(str, named.noted())) == sorted(str(tmp_path / "r" / f"{n}")
                                                        for n in range(20))  # fmt: skip


def test_a_register_that_cannot_be_written_is_reported_and_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("a file")
    trouble = named.note(result("busmark-results/a", 1))
    assert trouble and str(tmp_path / "state") in trouble
    assert named.resolve("@last") == Path("busmark-results/a")


def test_a_relative_state_folder_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", "relative")
    assert named.folder() == Path.home() / ".local" / "state" / "busmark" / "results"


def test_a_damaged_manifest_is_listed_as_such_and_hides_no_other(tmp_path: Path) -> None:
    result("busmark-results/good", 2)
    for name, content in (("empty", b""), ("half", b'{"created_utc": "2026-01-09'), ("list", b"[]"),
                          ("binary", bytes(range(256)))):  # fmt: skip
        (tmp_path / "work" / "busmark-results" / name).mkdir()
        (tmp_path / "work" / "busmark-results" / name / "manifest.json").write_bytes(content)
    found = {each.name: each for each in listing().results}
    assert found["good"].state == "finished"
    assert {found[name].state for name in ("empty", "half", "list", "binary")} == {"damaged"}
    assert named.resolve("@last").name == "good"


def test_a_list_tells_name_begin_machine_cases_and_state(tmp_path: Path) -> None:
    result("busmark-results/done", 4, "Mine")
    result("busmark-results/begun", 3, finished_utc=None)
    result("busmark-results/theirs", 2, source={"files": []}, hosts={})
    result(tmp_path / "archive" / "old", 1)
    done, begun, theirs, old = listing([tmp_path / "archive"]).results
    assert (done.name, done.campaign, done.machine, done.nodes) == ("done", "Mine", "box", 1)
    assert (done.cases, done.unsupported, done.state) == (2, 1, "finished")
    assert done.created_utc == "2026-01-04T10:00:00Z"
    assert Path(done.directory).is_absolute()
    assert (begun.state, theirs.state, theirs.machine) == ("interrupted", "imported", None)
    assert old.name == "old"
    assert [each.name for each in listing([tmp_path / "archive" / "old"]).results][-1] == "old"


def test_a_result_is_running_while_its_lock_is_held() -> None:
    directory = result("busmark-results/a", 1, finished_utc=None)
    with (directory / ".lock").open("ab") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert listing().results[0].state == "running"
    assert listing().results[0].state == "interrupted"


def test_the_newest_is_compared_with_its_own_campaign() -> None:
    old = result("busmark-results/a", 1, "Mine")
    result("busmark-results/b", 2, "Other")
    with pytest.raises(UserError, match="no two results of 'Other'"):
        newest_two()
    new = result("busmark-results/c", 3, "Mine")
    assert newest_two() == (old, new)


def test_a_new_result_is_named_in_the_default_folder() -> None:
    assert named.target("@before") == Path("busmark-results/before")
    assert named.target("some/where") == Path("some/where")
    for name in ("@last", "@", "@a/b", "@..", "@a~1", "@a#b", "@-x"):
        with pytest.raises(UserError, match="no name for a new result"):
            named.target(name)


def test_names_are_relative_below_the_working_directory(tmp_path: Path) -> None:
    named.note(result(tmp_path / "work" / "deep" / "out", 1))
    assert named.resolve("@out") == Path("deep/out")
    os.chdir(tmp_path)
    assert named.resolve("@out") == Path("work/deep/out")
