"""Nodes that share a home: nodes of a cluster, and containers with a volume."""

from __future__ import annotations

import gzip
import hashlib
import os
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import busmark.nodes

SCRIPT = Path(busmark.nodes.__file__).with_name("node.sh")
CONTAINER = ["unshare", "--pid", "--fork", "--kill-child", "--mount-proc"]
"""Process numbers of its own: the shell is number 1, and others are not to be seen."""
PATIENCE_S = 60.0
CONTENT = os.urandom(5000)
DATA = gzip.compress(CONTENT)


@contextmanager
def taking(prefix: list[str], token: str, folder: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Yield a shell that has opened the cache, and waits for the second half of a file."""
    with subprocess.Popen([*prefix, "sh"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as shell:
        assert shell.stdin is not None and shell.stdout is not None
        shell.stdin.write(SCRIPT.read_bytes())
        put = f"busmark_put {folder.name}/body.bin {len(DATA)}"
        shell.stdin.write(f"busmark_open {token}; {put}\n".encode())
        shell.stdin.flush()
        while (line := shell.stdout.readline()) != b"send\n":
            assert line, "it has ended"
        shell.stdin.write(DATA[:2000])
        shell.stdin.flush()
        assert parts(folder, 1), "it does not begin"
        yield shell


def parts(folder: Path, wanted: int) -> int:
    """Count the parts once `wanted` are there: they begin a moment after they are asked for."""
    end = time.monotonic() + PATIENCE_S
    while (found := len(list(folder.glob(".part.*")))) < wanted and time.monotonic() < end:
        time.sleep(0.01)
    return found


def finish(shell: subprocess.Popen[bytes]) -> None:
    """Send the second half; the shell ends after it."""
    shell.communicate(DATA[2000:])
    assert shell.returncode == 0


@pytest.mark.parametrize("first", [[], CONTAINER], ids=["unseen", "same number"])
def test_nodes_take_the_same_file_at_the_same_time(first: list[str], scratch: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("a namespace needs root")
    folder = scratch / ".cache/busmark/nodes" / hashlib.sha256(CONTENT).hexdigest()
    with (
        taking(first, "one", folder) as one,
        taking(CONTAINER, "two", folder) as two,
    ):
        assert parts(folder, 2) == 2
        for shell in (one, two):
            finish(shell)
            assert (folder / "body.bin").read_bytes() == CONTENT
    assert [path.name for path in folder.iterdir()] == ["body.bin"]
