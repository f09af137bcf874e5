"""Limits of processes and memory are reported in words."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

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
