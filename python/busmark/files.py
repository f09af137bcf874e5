"""Files that anybody may have put where they are: only regular ones are opened, and no more is read
than a limit."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path
from typing import BinaryIO, cast

LARGE = 1 << 28
"""Bytes of a file that is read as a whole, unless its reader knows better: 256 MiB."""
SMALL = 1 << 24
"""Bytes of a file that people write by hand, such as a scenario: 16 MiB."""


def opened(path: Path, mode: str = "rb") -> BinaryIO:
    """Open a regular file, without buffer where it is written; `mode` is `rb` or `a+b`.

    Raises:
        OSError: it cannot be opened, or is a pipe, which would be waited for, or a device, which
            may have no end.
    """
    flags = os.O_RDONLY if mode == "rb" else os.O_RDWR | os.O_APPEND | os.O_CREAT
    descriptor = os.open(path, flags | os.O_NONBLOCK | os.O_CLOEXEC, 0o666)
    kind = os.fstat(descriptor).st_mode
    if not stat.S_ISREG(kind):
        os.close(descriptor)
        code = errno.EISDIR if stat.S_ISDIR(kind) else errno.EINVAL
        text = os.strerror(code) if stat.S_ISDIR(kind) else "not a regular file"
        raise OSError(code, text, str(path))
    return cast(BinaryIO, os.fdopen(descriptor, mode, buffering=-1 if mode == "rb" else 0))


def content(path: Path, most_bytes: int = LARGE) -> bytes:
    """Read a regular file as a whole.

    Raises:
        OSError: it cannot be opened, is not a regular file, or is larger than `most_bytes`.
    """
    found = beginning(path, most_bytes + 1)
    if len(found) > most_bytes:
        raise OSError(errno.EFBIG, f"larger than {most_bytes >> 20} MiB", str(path))
    return found


def beginning(path: Path, most_bytes: int) -> bytes:
    """Read the first bytes of a regular file.

    Raises:
        OSError: it cannot be opened, or is not a regular file.
    """
    with opened(path) as file:
        return file.read(most_bytes)
