"""Folders for a while: what a killed command leaves behind is removed by the next one."""

from __future__ import annotations

import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from busmark import temporary
from busmark.temporary import PREFIXES


@pytest.fixture
def place() -> Iterator[Path]:
    """Make a place for the folders whose path is short enough for sockets."""
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder)


HOLDS = """
import signal, sys
from busmark.temporary import run_directory
with run_directory(sys.argv[1]) as folder:
    (folder / "made").write_text("on the way")
    print(folder, flush=True)
    signal.pause()
"""


def holding(prefix: str, folder: Path) -> tuple[subprocess.Popen[str], Path]:
    """Start a process that has made a folder, and return both."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDS, prefix], stdout=subprocess.PIPE, text=True,
        env={"TMPDIR": str(folder), "PYTHONPATH": ":".join(sys.path)},
    )  # fmt: skip
    assert process.stdout is not None
    return process, Path(process.stdout.readline().strip())


def ended(process: subprocess.Popen[str], how: signal.Signals) -> None:
    process.send_signal(how)
    process.communicate()


@pytest.mark.parametrize("prefix", PREFIXES)
def test_a_killed_command_leaves_a_folder_that_the_next_one_removes(
    place: Path, monkeypatch: pytest.MonkeyPatch, prefix: str
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(place))
    killed, left = holding(prefix, place)
    living, held = holding(prefix, place)
    try:
        ended(killed, signal.SIGKILL)
        assert (left / "made").exists(), "nobody could remove it"
        # Whatever kind the next command makes, it removes all.
        for other in PREFIXES:
            with temporary.run_directory(other) as own:
                assert own.is_dir() and not left.exists() and (held / "made").exists()
    finally:
        ended(living, signal.SIGKILL)


MAKES = """
import signal, sys
from pathlib import Path
from busmark.temporary import made_beside
with made_beside(Path(sys.argv[1])) as path:
    path.mkdir()
    print(path, flush=True)
    signal.pause()
"""


def test_what_a_killed_command_was_making_beside_its_place_is_removed_by_the_next(
    place: Path,
) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", MAKES, str(place)], stdout=subprocess.PIPE, text=True,
        env={"PYTHONPATH": ":".join(sys.path)},
    )  # fmt: skip
    assert process.stdout is not None
    left = Path(process.stdout.readline().strip())
    with temporary.made_beside(place):
        assert left.is_dir(), "its maker lives"
    ended(process, signal.SIGKILL)
    assert left.is_dir()
    with temporary.made_beside(place) as path:
        assert not left.parent.exists() and not path.exists()
    assert list(place.iterdir()) == []


def test_what_others_have_just_made_is_no_orphan(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(place))

    def make(times: int) -> None:
        for _ in range(times):
            with temporary.run_directory(temporary.WORK_PREFIX) as folder:
                (folder / "made").write_text("on the way")
                assert (folder / "made").exists()

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(make, [50] * 8))
    assert list(place.iterdir()) == []
