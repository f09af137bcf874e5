"""A short-lived directory for sockets and pipes of a campaign.

It lies in the system's temporary folder and not in the result: the path of a Unix-domain socket
must be short. Its owner holds a lock on it, so that what a killed campaign left behind is found and
removed by the next; a process number would not tell, for a campaign in a container may share the
folder and not the numbers. Names of shared memory carry a hash of the directory's path.
"""

from __future__ import annotations

import fcntl
import os
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
        path, lock = _make()
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
        os.close(lock)


def _make() -> tuple[Path, int]:
    """A directory and the lock on it."""
    while True:
        path = Path(tempfile.mkdtemp(prefix=f"{PREFIX}{os.getpid()}-"))
        lock = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
        # Who looks for orphans at this moment may be first; then this one is gone.
        if _locked(lock) and path.exists():
            return path, lock
        os.close(lock)


def _locked(directory: int) -> bool:
    """Whether we now have the lock on an open directory; the kernel frees it with its owner."""
    try:
        fcntl.flock(directory, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _remove_orphans() -> None:
    """Removes directories of our own user that have no owner."""
    for path in Path(tempfile.gettempdir()).glob(PREFIX + "*"):
        try:
            directory = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        except OSError:
            continue
        if os.fstat(directory).st_uid == os.getuid() and _locked(directory):
            _remove(path)
        os.close(directory)


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
