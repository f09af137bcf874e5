"""The one door of files: every one that is read or written passes here.

Anybody may have put it where it is. So only regular files are read, and no more of them than a
limit; and a file is written whole or not at all: beside its place, then renamed into it.

Links, by one rule: a path that the user has typed is followed to where it leads; a name that
Busmark has chosen is not: a link that has it is replaced by the file. What is neither file nor link
is never replaced: a pipe, a terminal or a character device that the user has typed is written to,
all else is refused.
"""

from __future__ import annotations

import errno
import os
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, cast

LARGE = 1 << 28
"""Bytes of a file that is read as a whole, unless its reader knows better: 256 MiB."""
SMALL = 1 << 24
"""Bytes of a file that people write by hand, such as a scenario: 16 MiB."""
SUFFIX = ".partial"
"""Suffix of a file that is being written; a leftover of a crash may be deleted."""
OUTPUTS = (1, 2)
"""Descriptors of our own outputs, which a path such as /dev/stdout may lead to."""


def opened(path: Path, mode: str = "rb", *, typed: bool = False) -> BinaryIO:
    """Open a regular file, without buffer where it is written; `mode` is `rb` or `a+b`. A link is
    read through; it is written through only where the user has `typed` the path.

    Raises:
        OSError: it cannot be opened, or is a pipe, which would be waited for, or a device, which
            may have no end.
    """
    flags = os.O_RDONLY if mode == "rb" else os.O_RDWR | os.O_APPEND | os.O_CREAT
    if mode != "rb" and not typed:
        flags |= os.O_NOFOLLOW
    descriptor = os.open(path, flags | os.O_NONBLOCK | os.O_CLOEXEC, 0o666)
    kind = os.fstat(descriptor).st_mode
    if not stat.S_ISREG(kind):
        os.close(descriptor)
        raise _unfit(path, kind)
    if mode == "rb":
        try:
            os.pread(descriptor, 1, 0)
        except BlockingIOError:  # a file of the kernel's that is waited for, as /proc/kmsg is
            os.close(descriptor)
            raise _unfit(path, kind) from None
    return cast(BinaryIO, os.fdopen(descriptor, mode, buffering=-1 if mode == "rb" else 0))


def _unfit(path: Path, mode: int) -> OSError:
    if stat.S_ISDIR(mode):
        return IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    return OSError(errno.EINVAL, "not a regular file", str(path))


def content(path: Path, most_bytes: int = LARGE) -> bytes:
    """Read a regular file as a whole.

    Raises:
        OSError: it cannot be opened, is not a regular file, or is larger than `most_bytes`.
    """
    with opened(path) as file:
        # By its size first, for reading up to the limit takes long; it may grow meanwhile.
        if os.fstat(file.fileno()).st_size <= most_bytes:
            found = file.read(most_bytes + 1)
            if len(found) <= most_bytes:
                return found
    raise OSError(errno.EFBIG, f"larger than {most_bytes >> 20} MiB", str(path))


def beginning(path: Path, most_bytes: int) -> bytes:
    """Read the first bytes of a regular file.

    Raises:
        OSError: it cannot be opened, or is not a regular file.
    """
    with opened(path) as file:
        return file.read(most_bytes)


def created(path: Path, *, anew: bool = False, mode: int = 0o666) -> BinaryIO:
    """Open a new file to write to, without buffer; `anew`: in the place of a file or link there.

    Raises:
        OSError: it cannot be made, or something of this name is there.
    """
    if anew:
        path.unlink(missing_ok=True)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
    return cast(BinaryIO, os.fdopen(descriptor, "wb", buffering=0))


def create(path: Path, data: str | bytes) -> None:
    """Write a new file, not durably: of a folder that appears, or is removed, as a whole.

    Raises:
        OSError: as for `created`.
    """
    with created(path) as file:
        write_all(file.fileno(), _bytes(data))


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Yield a path to write to; on success it takes the place of `path`, durably, with the
    permissions of the file that was there.

    Raises:
        OSError: it cannot be written, or what is there is neither a file nor a link.
    """
    there = _replaceable(path)
    partial = path.with_name(path.name + SUFFIX)
    # A leftover; or a link, through which another file would be written.
    partial.unlink(missing_ok=True)
    try:
        yield partial
        with partial.open("rb") as file:
            if there and stat.S_ISREG(there.st_mode):
                os.fchmod(file.fileno(), there.st_mode & 0o777)
            os.fsync(file.fileno())
        partial.replace(path)
        sync_directory(path.parent)
    except BaseException:
        with suppress(OSError):
            partial.unlink(missing_ok=True)
        raise


def write(path: Path, data: str | bytes, *, typed: bool = False) -> None:
    """Make this the file's content; the path is one that the user has `typed`, or a name that
    Busmark has chosen.

    Raises:
        OSError: as for `replacing` and `writable`.
    """
    raw = _bytes(data)
    if typed:
        real = writable(path)
        there = _status(path)
        if there and not stat.S_ISREG(there.st_mode):
            _write_through(path, there, raw)
            return
        for own in OUTPUTS:
            with suppress(OSError):
                if there and os.path.samestat(there, os.fstat(own)):
                    write_all(own, raw)
                    return
        path = real
    with replacing(path) as partial:
        partial.write_bytes(raw)


def writable(path: Path) -> Path:
    """Look, before anything is measured, whether a file that the user has typed can be written;
    return where it is, without links.

    Raises:
        OSError: its folder is not there or closed to us, or it is a folder, a socket or a disk.
    """
    there = _status(path)
    if there and not stat.S_ISREG(there.st_mode):
        kind = there.st_mode
        if stat.S_ISDIR(kind) or stat.S_ISSOCK(kind) or stat.S_ISBLK(kind):
            raise _unfit(path, kind)
        place = path
    else:
        place = Path(os.path.realpath(path)).parent
        os.stat(place)
        if not place.is_dir():
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(place))
    if not os.access(place, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(place))
    return Path(os.path.realpath(path))


def _bytes(data: str | bytes) -> bytes:
    # A name that is not UTF-8 must not cost the file.
    return data.encode("utf-8", "replace") if isinstance(data, str) else data


def _replaceable(path: Path) -> os.stat_result | None:
    """Return the file or link that is there."""
    there = _status(path, follow=False)
    if there and not stat.S_ISREG(there.st_mode) and not stat.S_ISLNK(there.st_mode):
        raise _unfit(path, there.st_mode)
    return there


def _status(path: Path, *, follow: bool = True) -> os.stat_result | None:
    """Return what is there; None: nothing, or a link that leads to nothing."""
    try:
        return os.stat(path, follow_symlinks=follow)
    except FileNotFoundError:
        return None


def _write_through(path: Path, there: os.stat_result, raw: bytes) -> None:
    """Write to a pipe, a terminal or a device; a pipe without a reader would be waited for."""
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
    except OSError as error:
        if error.errno == errno.ENXIO:
            raise OSError(errno.ENXIO, "nobody reads this pipe", str(path)) from None
        raise
    try:
        if not os.path.samestat(there, os.fstat(descriptor)):
            raise OSError(errno.EINVAL, "another file has taken its place", str(path))
        os.set_blocking(descriptor, True)
        write_all(descriptor, raw)
    finally:
        os.close(descriptor)


def write_all(descriptor: int, raw: bytes) -> None:
    """Write all of this to an open file."""
    rest = memoryview(raw)
    while rest:
        rest = rest[os.write(descriptor, rest) :]


def move(source: Path, path: Path) -> None:
    """Put a file that was made beside it in the place of a file or link.

    Raises:
        OSError: it cannot be, or what is there is neither.
    """
    _replaceable(path)
    shutil.move(source, path)


def sync_directory(path: Path) -> None:
    """Make a rename in this directory durable."""
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def open_lines(path: Path, *, typed: bool = False) -> BinaryIO:
    """Open a file of lines to append to, without the half of a line that a crash may have left."""
    file = opened(path, "a+b", typed=typed)
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
