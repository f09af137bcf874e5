"""Files that are there whole or not at all: write beside, fsync, rename."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from busmark import files

SUFFIX = ".partial"
"""Suffix of a file that is being written; a leftover of a crash may be deleted."""


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Yield a path to write to; on success it takes the place of `path`, durably."""
    partial = path.with_name(path.name + SUFFIX)
    # A leftover; or a link, through which another file would be written.
    partial.unlink(missing_ok=True)
    try:
        yield partial
        with partial.open("rb") as file:
            os.fsync(file.fileno())
        partial.replace(path)
        sync_directory(path.parent)
    except BaseException:
        partial.unlink(missing_ok=True)
        raise


def write_text(path: Path, text: str) -> None:
    """Replace the file's content by `text`."""
    with replacing(path) as partial:
        partial.write_text(text, encoding="utf-8")


def sync_directory(path: Path) -> None:
    """Make a rename in this directory durable."""
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def open_lines(path: Path) -> BinaryIO:
    """Open a file of lines to append to, without the half of a line that a crash may have left."""
    file = files.opened(path, "a+b")
    end = file.seek(0, os.SEEK_END)
    file.seek(max(0, end - 1))
    if end and file.read(1) != b"\n":
        file.seek(0)
        file.truncate(file.read().rfind(b"\n") + 1)
    return file


def append_line(file: BinaryIO, line: bytes) -> None:
    """Append the whole line, or raise an error and leave nothing of it."""
    begin = os.fstat(file.fileno()).st_size
    try:
        while line:
            line = line[file.write(line) :]
    except OSError:
        with suppress(OSError):
            file.truncate(begin)
        raise
