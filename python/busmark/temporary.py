"""Short-lived directories: for sockets and pipes of a campaign, and for what a command makes on its
way.

They lie in the system's temporary folder and not in the result: the path of a Unix-domain socket
must be short. Their owner holds a lock on a file in each, so that what a killed command left behind
is found and removed by the next; a process number would not identify it, for a campaign in a
container may share the folder and not the numbers. Names of shared memory carry a hash of the
directory's path.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from os.path import samestat
from pathlib import Path

from busmark import platform
from busmark.errors import UserError

PREFIX = "busmark-run-"
LOAD_PREFIX = "busmark-load-"
CHECK_PREFIX = "busmark-suite-"
"""Not the prefix of the suite itself, whose folders nobody locks."""
WORK_PREFIX = "busmark-work-"
"""Prefix of folders that belong to no run and have no participants."""
PREFIXES = (PREFIX, LOAD_PREFIX, CHECK_PREFIX, WORK_PREFIX)
"""Prefixes of all folders that are removed when their owner has gone."""
BESIDE_PREFIX = ".busmark-"
"""For what is made beside the place where it is to stand."""
OWNER = ".owner"
"""Adapters may lock the directory itself."""
SHARED_MEMORY = Path("/dev/shm")
LONGEST = 80
"""Bytes of a directory's path, so that a socket's (107, unix(7)) has room for a name in it:
`BUSMARK_RUN_DIR_BYTES` of the contract."""


@contextmanager
def run_directory(prefix: str = PREFIX) -> Iterator[Path]:
    """Yield a fresh directory, removed at the end.

    Raises:
        UserError: none can be made, or sockets in it would have a path that is too long.
    """
    try:
        for each in PREFIXES:
            _remove_orphans(Path(tempfile.gettempdir()), f"{each}*")
        path, lock = _make(prefix)
        if prefix != WORK_PREFIX and len(os.fsencode(path)) > LONGEST:
            _remove(path)
            os.close(lock)
            raise UserError(
                f"sockets need a shorter path: {path.name} in this folder has "
                f"{len(os.fsencode(path))} bytes, and may have {LONGEST}",
                where=str(path.parent),
                remedy="Name a folder with a short path in the variable TMPDIR, such as /tmp.",
            )
    except OSError as error:
        raise UserError(
            f"no directory for sockets can be made ({error.strerror or error})",
            where=str(error.filename or "TMPDIR"),
            remedy="Make room there, or name another folder in the variable TMPDIR.",
        ) from None
    try:
        yield path
    finally:
        _remove(path)
        os.close(lock)


@contextmanager
def made_beside(folder: Path) -> Iterator[Path]:
    """Yield a path, on the file system of `folder`, at which something is made that is moved to its
    place when it is whole. What is left there at the end is removed, and so is what killed commands
    have left in this folder.

    Raises:
        OSError: the folder cannot be written.
    """
    # In a folder of the user's nothing goes that does not say whose it is.
    _remove_orphans(folder, f"{BESIDE_PREFIX}*/{OWNER}")
    path, lock = _make(BESIDE_PREFIX, folder)
    try:
        yield path / "made"
    finally:
        _remove(path)
        os.close(lock)


def _make(prefix: str, folder: Path | None = None) -> tuple[Path, int]:
    """Make a directory and lock it; return its path and the lock."""
    while True:
        path = Path(tempfile.mkdtemp(prefix=f"{prefix}{os.getpid()}-", dir=folder))
        # Who looks for orphans at this moment may be first; then this one is gone.
        with suppress(FileNotFoundError):
            lock = os.open(path / OWNER, os.O_RDWR | os.O_CREAT, 0o600)
            with suppress(FileNotFoundError):
                if platform.lock(lock) and samestat(os.fstat(lock), (path / OWNER).stat()):
                    return path, lock
            os.close(lock)


def _remove_orphans(folder: Path, pattern: str) -> None:
    """Remove directories of our own user that nobody holds. The pattern matches these, or their
    locks."""
    for found in folder.glob(pattern):
        path = found.parent if found.name == OWNER else found
        with suppress(OSError):
            if path.lstat().st_uid == os.getuid():
                _remove_orphan(path)


def _remove_orphan(path: Path) -> None:
    """Remove a directory unless somebody holds its lock. The lock is held meanwhile: whoever has
    just made the directory makes another."""
    lock = os.open(path / OWNER, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        if platform.lock(lock):
            _remove(path)
    finally:
        os.close(lock)


def _remove(path: Path) -> None:
    """Remove a run directory, and the shared memory of its participants, who may have been killed.

    The shared memory goes first: without the path, its remains cannot be distinguished from
    others'.
    """
    # FNV-1a, 32 bits, by which adapters tell apart the shared memory of runs.
    value = 0x811C9DC5
    for byte in os.fsencode(path):
        value = ((value ^ byte) * 0x01000193) & 0xFFFFFFFF
    for left in SHARED_MEMORY.glob(f"busmark_{value:08x}_*"):
        with suppress(OSError):
            left.unlink()
    shutil.rmtree(path, ignore_errors=True)
