"""The command as a user calls it, and OpenSSL beside it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path


def busmark(*words: str | Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "busmark", "security", *map(str, words)]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)


def openssl(*words: str | Path) -> str:
    """What `openssl` prints; it must succeed."""
    ended = subprocess.run(
        ["openssl", *map(str, words)], capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, ended.stderr
    return ended.stdout
