"""Files of lines that grow: a line is there whole or not at all."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

from busmark import files


def open_lines(path: Path) -> BinaryIO:
    """A file of lines to append to, without the half of a line that a crash may have left."""
    file = files.opened(path, "a+b")
    end = file.seek(0, os.SEEK_END)
    file.seek(max(0, end - 1))
    if end and file.read(1) != b"\n":
        file.seek(0)
        file.truncate(file.read().rfind(b"\n") + 1)
    return file


def append_line(file: BinaryIO, line: bytes) -> None:
    """The whole line, or an error and nothing of it."""
    begin = os.fstat(file.fileno()).st_size
    try:
        while line:
            line = line[file.write(line) :]
    except OSError:
        with suppress(OSError):
            file.truncate(begin)
        raise
