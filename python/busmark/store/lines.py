"""Files of lines that grow: a line is there whole or not at all."""

from __future__ import annotations

import os
from contextlib import suppress
from io import FileIO
from pathlib import Path


def open_lines(path: Path) -> FileIO:
    """A file of lines to append to, without the half of a line that a crash may have left."""
    file = path.open("a+b", buffering=0)
    end = file.seek(0, os.SEEK_END)
    file.seek(max(0, end - 1))
    if end and file.read(1) != b"\n":
        file.seek(0)
        file.truncate(file.read().rfind(b"\n") + 1)
    return file


def append_line(file: FileIO, line: bytes) -> None:
    """The whole line, or an error and nothing of it."""
    begin = os.fstat(file.fileno()).st_size
    try:
        while line:
            line = line[file.write(line) :]
    except OSError:
        with suppress(OSError):
            file.truncate(begin)
        raise
