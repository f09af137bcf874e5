"""What `busmark show` keeps of a result: found again while nothing has changed, and never else."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "analysis"))

from busmark.compare.cache import Kept, folder
from busmark.compare.campaign import Campaign, summarise
from synthetic_campaign import comparison

import busmark
from busmark.compare import cache as module
from busmark.compare import compare
from busmark.compare.sides import select
from busmark.store import Result


@pytest.fixture
def directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    # It was made just now, and nobody else changes it.
    monkeypatch.setattr(module, "SETTLED_S", 0.0)
    return comparison(tmp_path / "result", samples=60, rounds=2)


def analysed(directory: Path) -> Campaign:
    return summarise(Result(directory), with_series=False)


def file() -> Path:
    where = folder()
    assert where is not None
    (found,) = where.iterdir()
    return found


def test_it_is_found_again_as_it_was_and_lies_outside_of_the_result(directory: Path) -> None:
    before = sorted(directory.rglob("*"))
    found = analysed(directory)
    assert Kept(directory).campaign() is None
    Kept(directory).keep(found)
    assert Kept(directory).campaign() == found
    assert sorted(directory.rglob("*")) == before
    file().unlink()
    assert Kept(directory).campaign() is None


def test_what_a_run_keeps_is_what_show_finds(directory: Path) -> None:
    Kept(directory).keep(summarise(Result(directory)))
    assert Kept(directory).campaign() == analysed(directory)


def test_a_comparison_of_what_is_kept_is_the_same(directory: Path) -> None:
    by = ["adapter", "transport"]
    anew = compare(select([str(directory)], by, None), by=by)
    Kept(directory).keep(summarise(Result(directory)))
    assert compare(select([str(directory)], by, None), by=by) == anew


def test_the_points_of_plots_are_kept_by_themselves(directory: Path) -> None:
    whole = summarise(Result(directory))
    Kept(directory).keep(analysed(directory))
    assert Kept(directory).campaign(with_series=True) is None
    Kept(directory).keep(whole)
    assert Kept(directory).campaign(with_series=True) == whole


@pytest.mark.parametrize("table", ["estimates", "series"])
def test_a_table_that_is_made_meanwhile_changes_nothing(directory: Path, table: str) -> None:
    found = analysed(directory)
    Kept(directory).keep(found)
    made = getattr(busmark.open(directory), table)
    assert made.height and (directory / f"{table}.parquet").exists()
    assert Kept(directory).campaign() == found
    assert getattr(busmark.open(directory), table).equals(made)


@pytest.mark.parametrize("name", ["manifest.json", "cases.parquet", "samples"])
def test_a_changed_result_is_analysed_anew(directory: Path, name: str) -> None:
    Kept(directory).keep(analysed(directory))
    changed = directory / name
    changed = next(changed.iterdir()) if changed.is_dir() else changed
    content, seen = bytearray(changed.read_bytes()), changed.stat()
    content[len(content) // 2] ^= 1
    changed.write_bytes(content)
    # Not even if size and time are as before.
    os.utime(changed, ns=(seen.st_atime_ns, seen.st_mtime_ns))
    assert Kept(directory).campaign() is None


def test_a_result_that_changes_meanwhile_is_not_kept(directory: Path) -> None:
    kept, found = Kept(directory), analysed(directory)
    next((directory / "samples").iterdir()).touch()
    kept.keep(found)
    assert Kept(directory).campaign() is None


def test_nothing_is_kept_of_a_result_that_may_still_change(
    directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "SETTLED_S", 3600.0)
    Kept(directory).keep(analysed(directory))
    assert Kept(directory).campaign() is None


@pytest.mark.parametrize("damage", [b"", b"nonsense", None])
def test_what_is_kept_and_damaged_is_left_aside(directory: Path, damage: bytes | None) -> None:
    Kept(directory).keep(analysed(directory))
    whole = file().read_bytes()
    file().write_bytes(whole.replace(b'"value":', b'"value": 1', 1) if damage is None else damage)
    assert Kept(directory).campaign() is None


def test_another_version_of_busmark_looks_anew(
    directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Kept(directory).keep(analysed(directory))
    monkeypatch.setattr(module, "__version__", "0.0.9")
    assert Kept(directory).campaign() is None


def test_other_code_of_the_analysis_looks_anew(
    directory: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "package"
    for part in module.CODE:
        (package / part).mkdir(parents=True)
    code = package / "analysis" / "case" / "latency.py"
    code.parent.mkdir()
    code.write_text("FACTOR = 1\n")
    monkeypatch.setattr(module, "__file__", str(package / "cli" / "kept.py"))
    found = analysed(directory)
    Kept(directory).keep(found)
    assert Kept(directory).campaign() == found
    code.write_text("FACTOR = 2\n")
    assert Kept(directory).campaign() is None


def test_a_place_that_cannot_be_written_to_is_no_error(
    directory: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    Kept(directory).keep(analysed(directory))
    assert Kept(directory).campaign() is None
    assert Kept(tmp_path / "no such").campaign() is None


def test_what_was_not_used_for_longest_goes_first(
    directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Kept(directory).keep(analysed(directory))
    where, old = file().parent, file().with_name("old.json")
    old.write_bytes(b"x" * 100)
    os.utime(old, (time.time() - 1000,) * 2)
    monkeypatch.setattr(module, "MOST_FILES", 1)
    file_of = Kept(directory)
    file_of.keep(analysed(directory))
    assert [path.name for path in where.iterdir()] != [old.name] and not old.exists()
    assert file_of.campaign() is not None
