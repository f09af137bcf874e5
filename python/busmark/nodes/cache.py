"""Files on a node, kept between runs by what is in them: `CACHE/SHA256/NAME`.

A file is sent only where it is missing. It is there whole or not at all: it is written beside its
place, renamed into it, and checked against the SHA-256 in its path at each use.
"""

from __future__ import annotations

import gzip
import hashlib
import shlex
from functools import cache
from pathlib import Path

from busmark.errors import UserError
from busmark.nodes.shell import Shell
from busmark.nodes.site import UnfitError

LEVEL = 1
"""Level of compression: networks are fast, and this is waited for once."""
SPARE_KIB = 1024


def key(path: Path) -> str:
    """Where a file is kept, within the cache.

    Raises:
        UserError: it cannot be read.
    """
    try:
        status = path.stat()
        return f"{_sha256(path, status.st_mtime_ns, status.st_size)}/{path.name}"
    except OSError as error:
        raise UserError(f"cannot be sent to a node ({error.strerror})", where=str(path)) from None


@cache
def _sha256(path: Path, _mtime_ns: int, _size: int) -> str:
    """Read once for all nodes, as long as it does not change."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def send(shell: Shell, paths: list[Path], free_kib: int | None) -> int:
    """Sends what is missing there; how many bytes, before compression.

    Raises:
        UnfitError: there is no room.
        NodeDown: the shell ends on the way.
    """
    keys = {key(path): path for path in paths}
    quoted = " ".join(map(shlex.quote, keys))
    # Other output on the way to the node is not a file of ours.
    answer = shell.ask(f"busmark_missing {quoted}").splitlines()
    missing = [name for name in keys if name in answer]
    total = sum(keys[name].stat().st_size for name in missing)
    if missing and free_kib is not None and total // 1024 + SPARE_KIB > free_kib:
        raise UnfitError(
            f"{free_kib} KiB are free for its cache, {total // 1024} KiB are to be sent",
            "Make room in ~/.cache there, or name another folder in XDG_CACHE_HOME.",
        )
    for name in missing:
        data = gzip.compress(keys[name].read_bytes(), LEVEL)
        shell.give(f"busmark_put {shlex.quote(name)} {len(data)}", data)
    return total
