"""One pcapng file of the several that a ring leaves.

Put one behind the other they would be valid too, but each as a section of its own, with an
interface of its own: whoever follows packets would take each for another network.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable
from pathlib import Path
from typing import BinaryIO

SECTION = 0x0A0D0D0A
INTERFACE = 1
MAGIC = 0x1A2B3C4D
HEAD = 12
"""Type and length of a block; of a section's, its byte order as well."""
LONGEST = 1 << 24


def join(parts: Iterable[Path], whole: Path) -> None:
    """Writes the blocks of captures of one interface as one section. A part ends where it is
    damaged."""
    first = True
    with whole.open("wb") as target:
        for part in parts:
            with part.open("rb") as source:
                first = _copy(source, target, first=first)


def _copy(source: BinaryIO, target: BinaryIO, *, first: bool) -> bool:
    """Copies blocks; of further sections without what describes section and interface. Whether the
    next section is still the first."""
    order, known = "<", first
    while len(head := source.read(HEAD)) == HEAD:
        if head[:4] == struct.pack("<I", SECTION):  # the same in either byte order
            order = "<" if struct.unpack("<I", head[8:])[0] == MAGIC else ">"
            known, first = first, False
        kind, length = struct.unpack(f"{order}II", head[:8])
        if not HEAD <= length <= LONGEST:
            break
        rest = source.read(length - HEAD)
        if len(rest) < length - HEAD:
            break
        if known or kind not in (SECTION, INTERFACE):
            target.write(head + rest)
    return first
