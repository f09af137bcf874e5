"""What `busmark show` keeps of a result: found again while nothing has changed, and never else."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest
from click.testing import CliRunner
from synthetic_campaign import small

from busmark.cli.main import busmark as command

PATIENCE_S = 60.0


@pytest.fixture
def directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A result of which something is kept: nothing is as long as it may change again."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    made = small(tmp_path / "result")
    deadline = time.monotonic() + PATIENCE_S
    while show(made) and not kept(made):
        assert time.monotonic() < deadline, "nothing is kept"
        time.sleep(0.2)
    return made


def show(directory: Path) -> str:
    ended = CliRunner().invoke(command, ["show", str(directory), "--json"], catch_exceptions=False)
    assert ended.exit_code == 0, ended.output
    return ended.stdout


def kept(directory: Path) -> set[Path]:
    """Return what is kept of results; they lie beside each other here."""
    return {path for path in (directory.parent / "cache").rglob("*.json") if path.stat().st_size}


def test_it_lies_outside_of_the_result_and_shows_the_same(directory: Path) -> None:
    before = {path: path.stat().st_mtime_ns for path in directory.rglob("*")}
    shown = show(directory)
    (file,) = kept(directory)
    touched = file.stat().st_ino
    assert show(directory) == shown
    assert {file} == kept(directory) and file.stat().st_ino == touched, "it is found again"
    assert {path: path.stat().st_mtime_ns for path in directory.rglob("*")} == before


@pytest.mark.parametrize("name", ["manifest.json", "cases.parquet", "samples"])
def test_a_changed_result_is_analysed_anew_or_refused(directory: Path, name: str) -> None:
    """Also where size and time are as before."""
    before = CliRunner().invoke(command, ["show", str(directory), "--json"])
    changed = directory / name
    changed = next(changed.iterdir()) if changed.is_dir() else changed
    content, seen = bytearray(changed.read_bytes()), changed.stat()
    content[len(content) // 2] ^= 1
    changed.write_bytes(content)
    os.utime(changed, ns=(seen.st_atime_ns, seen.st_mtime_ns))
    ended = CliRunner().invoke(command, ["show", str(directory), "--json"])
    assert before.exit_code == 0 and ended.stdout != before.stdout


@pytest.mark.parametrize("damage", [b"", b"nonsense"])
def test_what_is_kept_and_damaged_is_left_aside(directory: Path, damage: bytes) -> None:
    shown = show(directory)
    (file,) = kept(directory)
    file.write_bytes(damage)
    assert show(directory) == shown


def test_a_place_that_cannot_be_written_to_is_no_error(
    directory: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown = show(directory)
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    assert show(directory) == shown
