"""The directory for sockets."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from busmark.control.rundir import PREFIX, PREFIXES, _hash, run_directory
from busmark.errors import UserError


@pytest.fixture(autouse=True)
def _scratch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))


def test_it_is_there_as_long_as_it_is_needed() -> None:
    with pytest.raises(RuntimeError), run_directory() as path:
        (path / "socket").touch()
        raise RuntimeError
    assert not path.exists()


def test_only_what_nobody_holds_is_removed(tmp_path: Path) -> None:
    orphan, foreign = tmp_path / f"{PREFIX}{os.getpid()}-x", tmp_path / "notes"
    orphan.mkdir()
    foreign.mkdir()
    with run_directory() as first, run_directory():
        assert first.exists() and not orphan.exists() and foreign.exists()


@pytest.mark.parametrize("prefix", PREFIXES)
def test_that_of_a_killed_owner_is_removed(tmp_path: Path, prefix: str) -> None:
    code = (
        "import time; from busmark.control.rundir import run_directory\n"
        f"with run_directory({prefix!r}) as path: print(path, flush=True); time.sleep(600)"
    )
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    with subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, env=environment
    ) as owner:
        assert owner.stdout is not None
        path = Path(owner.stdout.readline().strip())
        with run_directory():
            assert path.exists()
        owner.kill()
        owner.wait()
    with run_directory():
        assert not path.exists()


def test_shared_memory_goes_with_the_directory_whose_path_its_name_tells(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("busmark.control.rundir.SHARED_MEMORY", tmp_path)
    assert _hash(Path("foobar")) == 0xBF9CF968  # a test vector of the algorithm's authors
    with run_directory() as path:
        own = tmp_path / f"busmark_{_hash(path):08x}_0_x.data"
        other = tmp_path / "busmark_00000000_0_x.data"
        own.touch()
        other.touch()
    assert not own.exists() and other.exists()


def test_a_temporary_folder_that_cannot_be_used_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "absent"))
    with pytest.raises(UserError, match="TMPDIR"), run_directory():
        pass
