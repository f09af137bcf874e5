"""The files that are imported: named, found in folders and by patterns, or packed in archives.

Only ordinary files are opened, each below a limit. Archives are read in memory and nothing of them
is written, so that a member's name leads nowhere; what is no ordinary file in them is refused.
"""

from __future__ import annotations

import bz2
import glob
import gzip
import io
import lzma
import os
import re
import stat
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO

from busmark import files
from busmark.errors import UserError
from busmark.plugins.imports.registry import unread
from busmark.plugins.imports.text import SourceText

LARGEST = files.LARGE
"""Octets of one file, unpacked; no tool writes one as large, and all of it is held in memory."""
LARGEST_UNPACKED = 1 << 30
"""Octets of all files in an archive together: a few kilobytes can claim any number."""
MOST_MEMBERS = 100_000
DIRECTORY_ENTRY = 46
"""Octets of a file in the directory of a zip archive, at least."""

DAMAGED = (
    tarfile.TarError,
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    EOFError,
    OSError,
    ValueError,
    OverflowError,
    NotImplementedError,
    RuntimeError,
    struct.error,
)
"""Exceptions of the libraries for an archive that is damaged, encrypted, or packed in a way that
they do not know."""

UNPACKED: dict[bytes, Callable[[BinaryIO], io.BufferedIOBase]] = {
    b"\x1f\x8b": gzip.open,
    b"BZh": bz2.open,
    b"\xfd7zXZ\0": lzma.open,
}
"""Compressions, by the bytes that begin them."""
BEGIN, BLOCK = 262, 1 << 16
"""Octets by which an archive is recognised, and that are read at once."""
DRIVE = re.compile(r"[A-Za-z]:(/|$)")
ZIP = (b"PK\x03\x04", b"PK\x05\x06")
END_OF_ZIP = b"PK\x05\x06"


@dataclass(frozen=True, slots=True)
class Refusal:
    """A file that cannot be a result."""

    name: str
    reason: str


Found = SourceText | Refusal


def sources(paths: Sequence[Path]) -> Iterator[Found]:
    """Return all files that `paths` name, each as its text or with the reason why not.

    Raises:
        UserError: a path leads to nothing.
    """
    for path in paths:
        for place in _matching(path):
            if place.is_dir():
                inside = sorted(each for each in place.rglob("*") if not each.is_dir())
                if not inside:
                    yield Refusal(str(place), "an empty folder")
                for each in inside:
                    yield from _file(each)
            else:
                yield from _file(place)


def _matching(path: Path) -> list[Path]:
    """Return the path, or those which it matches as a pattern: a shell may not have done it."""
    if path.exists() or not glob.has_magic(str(path)):
        if not path.exists():
            raise UserError(
                "no such file or folder",
                where=str(path),
                remedy="Name files, folders, archives or patterns in quotes, such as 'runs/*.csv'.",
            )
        return [path]
    found = sorted(map(Path, glob.glob(str(path), recursive=True)))
    if not found:
        raise UserError(
            "no file matches",
            where=str(path),
            remedy="Name the files' folder, or another pattern; ** stands for folders in between.",
        )
    return found


def _file(path: Path) -> Iterator[Found]:
    name = _shown(str(path))
    try:
        with files.opened(path) as file:
            begin = file.read(BEGIN)
            file.seek(0)
            if begin.startswith(ZIP):
                yield from _guarded(name, _zipped(name, file))
            elif unpack := next((u for b, u in UNPACKED.items() if begin.startswith(b)), None):
                yield from _guarded(name, _unpacked(name, _limited(unpack(file))))
            elif _is_tar(begin):
                yield from _guarded(name, _tarred(name, _limited(file)))
            else:
                yield _text(name, _whole(file))
    except TooLarge as error:
        yield Refusal(name, str(error))
    except OSError as error:
        yield Refusal(name, f"cannot be read ({error.strerror or error})")


def _whole(file: BinaryIO) -> bytes:
    data = file.read(LARGEST + 1)
    if len(data) > LARGEST:
        raise TooLarge(LARGEST)
    return data


def _text(name: str, data: bytes) -> Found:
    if b"\0" in data[:4096] and not data.startswith((b"\xff\xfe", b"\xfe\xff")):
        known = unread(data[:4096].decode("latin-1"))
        return Refusal(name, f"{known}: this format is not read" if known else "not a text file")
    return SourceText(name, data)


class LimitedStream(io.RawIOBase):
    """An unpacked stream that ends with an error where it is larger than any result."""

    def __init__(self, stream: io.BufferedIOBase | BinaryIO) -> None:
        self.stream, self.left = stream, LARGEST_UNPACKED

    def readable(self) -> bool:
        """Return True: the stream is only read."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Return the next bytes."""
        data = self.stream.read(min(len(buffer), self.left + 1))
        self.left -= len(data)
        if self.left < 0:
            raise TooLarge(LARGEST_UNPACKED)
        buffer[: len(data)] = data
        return len(data)


def _limited(stream: io.BufferedIOBase | BinaryIO) -> io.BufferedReader:
    return io.BufferedReader(LimitedStream(stream), BLOCK)


class TooLarge(Exception):
    """More bytes than any result has."""

    def __init__(self, most: int) -> None:
        super().__init__(f"more than {most >> 20} MiB")


def _guarded(name: str, members: Iterator[Found]) -> Iterator[Found]:
    """Yield the members, up to where the archive is found to be damaged, or to be a trap."""
    try:
        yield from members
    except TooLarge as error:
        yield Refusal(name, f"unpacks to {error}: not read further")
    except DAMAGED as error:
        yield Refusal(name, f"the archive is damaged, or cannot be unpacked ({error})")


def _unpacked(name: str, stream: io.BufferedReader) -> Iterator[Found]:
    """Return what one compressed file holds: an archive, or itself a result."""
    begin = stream.peek(BEGIN)
    if _is_tar(begin) or name.endswith((".tgz", ".tbz2", ".txz")) or ".tar." in name:
        yield from _tarred(name, stream)
    else:
        data = _whole(stream)
        yield _text(name, data) if data else Refusal(name, "the file is empty")


def _is_tar(begin: bytes) -> bool:
    return begin[257:BEGIN] == b"ustar"


def _tarred(name: str, stream: io.BufferedReader) -> Iterator[Found]:
    count = 0
    with tarfile.open(fileobj=stream, mode="r|") as archive:
        for member in archive:
            count += 1
            if count > MOST_MEMBERS:
                raise ValueError(f"more than {MOST_MEMBERS} files")
            if member.isdir():
                continue
            kind = "a link" if member.issym() or member.islnk() else "a device or a pipe"
            reason = _reason(member.name, None if member.isreg() else kind, member.size)
            opened = None if reason else archive.extractfile(member)
            inside = _inside(name, member.name)
            if opened is None:
                yield Refusal(inside, reason or "not an ordinary file")
            else:
                with opened:
                    yield _member(inside, opened.read())


def _zipped(name: str, file: BinaryIO) -> Iterator[Found]:
    _check_directory(file)
    left = LARGEST_UNPACKED
    with closing(zipfile.ZipFile(file)) as archive:
        for member in archive.infolist():
            if member.filename.endswith("/"):
                continue
            kind = _kind_of(member)
            reason = _reason(member.filename, kind, member.file_size)
            inside = _inside(name, member.filename)
            if reason:
                yield Refusal(inside, reason)
                continue
            if member.flag_bits & 1:
                yield Refusal(inside, "encrypted: unpack the archive, and import the files")
                continue
            with archive.open(member) as opened:
                # No more than the directory says of its size, which was looked at.
                data = opened.read()
            left -= len(data)
            if left < 0:
                raise TooLarge(LARGEST_UNPACKED)
            yield _member(inside, data)


def _check_directory(file: BinaryIO) -> None:
    """Check that the directory of a zip archive is of as many files as one may have: all of it
    would be held in memory."""
    file.seek(max(0, file.seek(0, os.SEEK_END) - (1 << 16) - 22))
    end = file.read()
    place = end.rfind(END_OF_ZIP)
    file.seek(0)
    if place >= 0 and len(end) >= place + 16:
        (size,) = struct.unpack_from("<I", end, place + 12)
        if size > MOST_MEMBERS * DIRECTORY_ENTRY * 4:
            raise ValueError(f"more than {MOST_MEMBERS} files")


def _kind_of(member: zipfile.ZipInfo) -> str | None:
    """Return what a member is, where it is no ordinary file; zip archives of some systems do not
    say."""
    kind = stat.S_IFMT(member.external_attr >> 16)
    if kind in (0, stat.S_IFREG):
        return None
    return "a link" if kind == stat.S_IFLNK else "a device or a pipe"


def _reason(member: str, kind: str | None, size: int) -> str | None:
    path = PurePosixPath(member.replace("\\", "/"))
    if path.is_absolute() or ".." in path.parts or DRIVE.match(str(path)):
        return "its name leads out of the archive"
    if kind:
        return f"{kind}, not an ordinary file"
    if size > LARGEST:
        return f"larger than {LARGEST >> 20} MiB"
    return None


def _inside(archive: str, member: str) -> str:
    """Return a member's name for people; where it leads does not matter, for nothing is written
    there."""
    return _shown(f"{archive}/{PurePosixPath(member.lstrip('/'))}")


def _shown(name: str) -> str:
    """Return a name in one line, and of characters that can be written."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in name)


def _member(name: str, data: bytes) -> Found:
    if data.startswith((*ZIP, *UNPACKED)):
        return Refusal(name, "an archive in an archive: unpack it first")
    return _text(name, data)
