"""The command in a folder, and OpenSSL beside it."""

from __future__ import annotations

import contextlib
import subprocess
from pathlib import Path

from seams import Ended, run


def busmark(*words: str | Path, cwd: Path) -> Ended:
    with contextlib.chdir(cwd):
        return run("security", *words)


def openssl(*words: str | Path) -> str:
    """Run `openssl`, which must succeed; return what it prints."""
    ended = subprocess.run(
        ["openssl", *map(str, words)], capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, ended.stderr
    return ended.stdout
