"""A cache of its own for every test of nodes, and no shell left behind."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from busmark.adapters import worker

MARK = "BUSMARK_TEST_NODE"
PATIENCE_S = 60.0


@pytest.fixture(autouse=True)
def scratch(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Make home and temporary folder of the nodes, all on this machine; short, for sockets."""
    folder = Path(tempfile.mkdtemp(prefix="bm-", dir="/tmp"))
    (folder / "tmp").mkdir()
    monkeypatch.setenv("TMPDIR", str(folder / "tmp"))
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv("XDG_CACHE_HOME", "")
    monkeypatch.setenv(MARK, folder.name)
    try:
        yield folder
        # What hangs on a terminal ends when that has gone, which takes a moment.
        end = time.monotonic() + PATIENCE_S
        while (left := marked(folder.name)) and time.monotonic() < end:
            time.sleep(0.05)
        assert left == []
        assert not list((folder / "tmp").glob("busmark-node-*"))
    finally:
        shutil.rmtree(folder)


@pytest.fixture
def small_worker(scratch: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Use a worker of a line, which runs the real one: each node is sent the worker, and the real
    one has megabytes of debugging information."""
    if not (real := worker()).exists():
        pytest.skip("needs the worker: make build")
    script = scratch / "busmark-worker"
    script.write_text(f'#!/bin/sh\nexec {real} "$@"\n')
    script.chmod(0o755)
    monkeypatch.setenv("BUSMARK_WORKER", str(script))


@pytest.fixture
def tool(scratch: Path) -> Any:
    """Return a function that puts a program before the system's; it returns the prefix for that."""

    def put(name: str, script: str) -> list[str]:
        folder = scratch / "tools"
        folder.mkdir(exist_ok=True)
        (folder / name).write_text(f"#!/bin/sh\n{script}\n")
        (folder / name).chmod(0o755)
        return ["env", f"PATH={folder}:{os.environ['PATH']}"]

    return put


def marked(name: str) -> list[str]:
    """Return the commands of processes alive that were started here, but this one."""
    wanted, found = f"{MARK}={name}".encode(), []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            try:
                if wanted in (entry / "environ").read_bytes().split(b"\0"):
                    found.append((entry / "cmdline").read_bytes().decode(errors="replace"))
            except OSError:
                continue
    return found
