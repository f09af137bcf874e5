"""A short-lived directory for sockets and pipes of a campaign.

It lies in the system's temporary folder and not in the result: the path of a Unix-domain socket
must be short. Its name carries the owner's process, so that what a killed campaign left behind is
found and removed by the next. Names of shared memory carry a hash of the directory's path.
"""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from busmark.errors import UserError

PREFIX = "busmark-run-"
SHARED_MEMORY = Path("/dev/shm")


@contextmanager
def run_directory() -> Iterator[Path]:
    """A fresh directory, removed at the end."""
    try:
        _remove_orphans()
        path = Path(tempfile.mkdtemp(prefix=f"{PREFIX}{os.getpid()}-"))
    except OSError as error:
        raise UserError(
            f"no directory for sockets can be made ({error.strerror})",
            where=str(error.filename or "TMPDIR"),
            remedy="Make room there, or name another folder in the variable TMPDIR.",
        ) from None
    try:
        yield path
    finally:
        _remove(path)


def _remove_orphans() -> None:
    """Removes directories of our own user whose process is gone."""
    for path in Path(tempfile.gettempdir()).glob(PREFIX + "*"):
        named = re.match(rf"{PREFIX}(\d+)-", path.name)
        try:
            owned = path.stat().st_uid == os.getuid()
        except OSError:
            continue
        if named and owned and not Path("/proc", named[1]).exists():
            _remove(path)


def _remove(path: Path) -> None:
    """Removes a run directory, and the shared memory of its participants, who may have been killed.

    The shared memory goes first: what is left of it cannot be told from others' without the path.
    """
    for left in SHARED_MEMORY.glob(f"busmark_{_hash(path):08x}_*"):
        with suppress(OSError):
            left.unlink()
    shutil.rmtree(path, ignore_errors=True)


def _hash(path: Path) -> int:
    """FNV-1a, 32 bits, by which adapters tell apart the shared memory of runs."""
    value = 0x811C9DC5
    for byte in os.fsencode(path):
        value = ((value ^ byte) * 0x01000193) & 0xFFFFFFFF
    return value
