"""A checksum in each table's file: a damaged one is refused before anybody reads it.

A damaged byte may pass for another value, or ask polars for more memory than there is, which ends
the process. The checksum is CRC-32 as of zlib, over the whole file with the eight hexadecimal
digits of the checksum as zeros. They stand in the footer's key-value metadata, as `busmark.crc32`;
files of other programs have none.
"""

from __future__ import annotations

import mmap
import zlib
from io import BytesIO
from pathlib import Path
from typing import Any

import polars as pl

from busmark import files

KEY = "busmark.crc32"
ZEROS = b"00000000"
MAGIC = b"PAR1"
_MARK = KEY.encode() + b"\x18\x08"
"""The key, and how Thrift's compact protocol begins a text of eight bytes in the field after it."""
_END = 4 + len(MAGIC)
"""Length of the footer, magic number."""
_TRACES = (b"busmark.", b"crc32")
"""Parts of the key, of which a few damaged bytes leave one. Names of processes, which tables hold,
begin with "busmark" as well."""
_TAIL = 1 << 18
"""Bytes at the end, in which the key is: more than any footer has, whose length may be damaged."""


def write(frame: pl.DataFrame, path: Path, **options: Any) -> None:
    """Write a Parquet file with its checksum in the place of what is there; options as of
    `DataFrame.write_parquet`."""
    # Not by polars into the file: of a full disk it says now and then "transport error" alone.
    memory = BytesIO()
    frame.write_parquet(memory, metadata={KEY: ZEROS.decode()}, **options)
    content = bytearray(memory.getbuffer())
    place = _place(content)
    assert place is not None
    content[place : place + len(ZEROS)] = _digits(content, place)
    with files.created(path, anew=True) as file:
        files.write_all(file.fileno(), bytes(content))


def agrees(path: Path) -> bool | None:
    """Return whether the file's checksum is of its bytes; None where it has none. Where its name or
    what is around it is damaged, it is not.

    Raises:
        OSError: it cannot be read.
    """
    with path.open("rb") as file:
        try:
            content = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        except ValueError:
            return None  # an empty file: no Parquet file either
        with content:
            place = _place(content)
            if place is None:
                return False if _is_traced(content[-_TAIL:]) else None
            return content[place : place + len(ZEROS)] == _digits(content, place)


def _is_traced(tail: bytes) -> bool:
    """Return whether a Parquet file that ends so has had a checksum."""
    return tail.endswith(MAGIC) and any(trace in tail for trace in _TRACES)


def _place(content: mmap.mmap | bytearray) -> int | None:
    """Return where the digits are; None where there are none."""
    size = len(content)
    if size < _END or content[size - len(MAGIC) :] != MAGIC:
        return None
    footer = int.from_bytes(content[size - _END : size - len(MAGIC)], "little")
    found = content.rfind(_MARK, max(0, size - _END - footer))
    return None if found < 0 else found + len(_MARK)


def _digits(content: mmap.mmap | bytearray, place: int) -> bytes:
    with memoryview(content) as view, view[:place] as before, view[place + len(ZEROS) :] as after:
        return f"{zlib.crc32(after, zlib.crc32(ZEROS, zlib.crc32(before))):08x}".encode()
