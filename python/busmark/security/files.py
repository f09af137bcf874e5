"""Files of a directory that anybody may have made."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path


def beginning(path: Path, most_bytes: int) -> bytes:
    """The first bytes of a file; OSError for a pipe, which would block, and for special files."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(errno.EINVAL, "this is not a regular file", str(path))
        return file.read(most_bytes)
