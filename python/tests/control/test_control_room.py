"""Limits of processes and memory are reported in words."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from busmark.cli import room
from busmark.errors import UserError

GROUPS = Path("/sys/fs/cgroup/pids")


def run(*arguments: str, before: str = "", **options: object) -> subprocess.CompletedProcess[str]:
    command = f'{before} exec "$@"'
    return subprocess.run(
        ["sh", "-c", command, "sh", sys.executable, "-m", "busmark", *arguments],
        text=True, capture_output=True, check=False,
    )  # fmt: skip


def test_too_little_memory_is_told_before_anything_is_loaded() -> None:
    ended = run("run", "quickstart", before="ulimit -v 800000;")
    assert ended.returncode == 2
    assert ended.stderr.startswith("busmark: ulimit -v: 781 MiB of memory may be addressed")
    assert "Traceback" not in ended.stderr


@pytest.fixture
def group() -> Iterator[Path]:
    """A control group with few processes."""
    folder = GROUPS / f"busmark-test-{os.getpid()}"
    try:
        folder.mkdir()
    except OSError as error:
        pytest.skip(f"no control group of processes: {error}")
    yield folder
    folder.rmdir()


@pytest.mark.parametrize("most", [4, 12, 20])
def test_a_limit_of_processes_is_told(most: int, group: Path) -> None:
    (group / "pids.max").write_text(str(most))
    ended = run("run", "quickstart", before=f"echo $$ > {group}/cgroup.procs;")
    assert ended.returncode == 2
    assert f"{group}/pids.max: {most - 1} more processes and threads may be" in ended.stderr
    assert "Traceback" not in ended.stderr


class PanicException(BaseException):
    """Like the panics of libraries in Rust."""


@pytest.mark.parametrize(
    "error",
    [
        RuntimeError("can't start new thread"),
        BlockingIOError(11, "Resource temporarily unavailable"),
        PanicException('failed to spawn thread: Os { code: 11, kind: WouldBlock, message: "x" }'),
        MemoryError(),
        OSError(12, "Cannot allocate memory"),
    ],
)
def test_a_limit_that_is_met_on_the_way_is_told_too(error: BaseException) -> None:
    wrapped = ValueError("something else")
    wrapped.__cause__ = error
    for each in (error, wrapped):
        told = room.explained(each)
        assert isinstance(told, UserError) and "the system" in told.message
        assert "--resume" in told.remedy


def test_other_errors_are_no_limit() -> None:
    assert room.explained(ValueError("x")) is None
    assert room.explained(OSError(2, "No such file or directory")) is None


READER = """
import sys
from pathlib import Path
import polars as pl
from busmark.store.tables import read, start_threads
pl.DataFrame({"row": [1, 2]}).write_parquet("table.parquet")
start_threads()
Path(sys.argv[1]).write_text("1")
print(read(Path("table.parquet")).height)
"""


def test_tables_are_read_where_no_further_thread_may_start(group: Path, tmp_path: Path) -> None:
    (group / "pids.max").write_text("100")
    ended = subprocess.run(
        ["sh", "-c", f'echo $$ > {group}/cgroup.procs; exec "$@"', "sh",
         sys.executable, "-c", READER, str(group / "pids.max")],
        cwd=tmp_path, text=True, capture_output=True, check=False, timeout=120,
    )  # fmt: skip
    assert ended.stdout == "2\n", ended.stderr
