"""What is large in a page is in it compressed, as base64; `unpacked` in the page's script gives it
back.

Compressing takes as long as drawing, and leaves the interpreter alone meanwhile: it is done on
threads beside it, piece by piece.
"""

from __future__ import annotations

import base64
import zlib
from collections.abc import Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from types import TracebackType

import busmark
from busmark.errors import UserError

HEAD, END = b"\x78\x9c", b"\x03\x00"
"""Head of a zlib stream (RFC 1950), and the last, empty block of what it holds (RFC 1951)."""

SCRIPT = Path(busmark.__file__).parent / "present" / "scripts" / "charts.js"
"""Vega-Lite and what it needs; see `packaging/scripts`."""

PART = 1 << 20
"""Characters of a piece: a page that turns out to have no charts waits for one at most."""


def drawing_script() -> str:
    """Return the script that draws charts."""
    try:
        return SCRIPT.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise UserError(
            "the script that draws the charts of the page has not been made",
            where=str(SCRIPT), remedy="Run `make build` in the checkout of Busmark.",
        ) from None  # fmt: skip


def parts_of(text: str) -> list[str]:
    """A long text in pieces."""
    return [text[begin : begin + PART] for begin in range(0, len(text), PART)]


class Packing:
    """Threads that compress."""

    def __init__(self) -> None:
        self._threads = ThreadPoolExecutor(2)

    def __enter__(self) -> Packing:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._threads.shutdown(cancel_futures=True)

    def pack(self, pieces: Iterable[str]) -> Packed:
        """The text that these are together; each is begun as soon as it is there."""
        packed = Packed()
        for piece in pieces:
            data = piece.encode()
            packed.check = zlib.adler32(data, packed.check)
            packed.pieces.append(self._threads.submit(_deflated, data))
        return packed


class Packed:
    """A text that is being compressed: one stream, of blocks that are independent."""

    def __init__(self) -> None:
        self.pieces: list[Future[bytes]] = []
        self.check = zlib.adler32(b"")

    def __str__(self) -> str:
        body = b"".join(piece.result() for piece in self.pieces)
        return base64.b64encode(HEAD + body + END + self.check.to_bytes(4, "big")).decode()


def _deflated(data: bytes) -> bytes:
    """Blocks up to the border of a byte, of which none is the last."""
    compress = zlib.compressobj(9, wbits=-zlib.MAX_WBITS)
    return compress.compress(data) + compress.flush(zlib.Z_FULL_FLUSH)
