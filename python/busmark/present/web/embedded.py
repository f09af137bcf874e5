"""Data inside the page: JSON that may stand in a script element, in which nothing is said twice.
What is large is compressed, as base64; `unpacked` in the page's script gives it back.

Compressing takes as long as drawing, and leaves the interpreter alone meanwhile: it is done on
threads beside it, piece by piece.
"""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import chain, groupby
from operator import ne
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
from numpy.typing import NDArray

import busmark
from busmark.errors import UserError

SHORT = 8
"""Columns of at most this many values are written out."""

NUMBERS = {int, float, type(None)}
"""Types in a column of numbers."""

MANY = 60
"""Numbers from which on a column has levels: a chart has no more pixels than these."""

LEVELS = 1023
"""Above the lowest; where values rise, as times do, twice as many as there are values, so that
neighbours remain apart. Where all are multiples of a step, there is a level for each."""

RATIO = 4.0
"""Highest over lowest value, from which on levels are of equal ratio."""

FIRST = 35
"""Character of level 0: JSON has it and those above it unchanged, but for the backslash. The one
before it stands for no number."""

WORTH = 48
"""Characters from which on a text or an object is kept apart, to be referred to."""


def plain_json(data: object) -> str:
    """Write short JSON, the same for the same data."""
    return _ENCODER.encode(data)


def as_json(data: object) -> str:
    """Write JSON that may stand inside an HTML script element."""
    return plain_json(data).replace("<", "\\u003c").replace("\u2028", "\\u2028")


_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), sort_keys=True)
"""Encoder for all values: a new one for each of a hundred thousand values takes longer than its
work."""


class Parts:
    """Texts, objects and columns that several panels have in common, each kept once.

    The rows of a table become columns: of many numbers, levels as characters of a text; of what is
    the same in many rows, each value with how many rows have it.
    """

    def __init__(self) -> None:
        self.values: list[Any] = []
        self._known: dict[str, int] = {}

    def shared(self, value: Any) -> Any:
        """Return the value with what is long replaced by `{"part": index}`, from the inside out."""
        if isinstance(value, dict):
            rows = value.get("values")
            if set(value) == {"values"} and rows and isinstance(rows[0], dict):
                return {"columns": self._columns(rows)}
            return self._kept({key: self.shared(item) for key, item in value.items()})
        if isinstance(value, str):
            return value if len(value) < WORTH else self._at(value, value)
        if not isinstance(value, list | tuple):
            return value
        return self._kept([self.shared(item) for item in value])

    def _columns(self, rows: list[dict[str, Any]]) -> dict[str, Any]:
        names = dict.fromkeys(chain.from_iterable(rows))
        return {name: self._column([row.get(name) for row in rows]) for name in names}

    def _column(self, values: list[Any]) -> Any:
        if len(values) > SHORT:
            if 2 * (1 + sum(map(ne, values, values[1:]))) <= len(values):
                runs = [[value, len(list(same))] for value, same in groupby(values)]
                return self._kept({"runs": runs})
            if len(values) >= MANY and set(map(type, values)) <= NUMBERS:
                return self._kept(_levels(values))
        return self._kept(values)

    def _kept(self, value: Any) -> Any:
        written = _ENCODER.encode(value)
        return value if len(written) < WORTH else self._at(written, value)

    def _at(self, written: str, value: Any) -> dict[str, int]:
        """Return a reference to the part that is `written` so."""
        if written not in self._known:
            self._known[written] = len(self.values)
            self.values.append(value)
        return {"part": self._known[written]}


def _levels(values: list[float | None]) -> dict[str, Any]:
    """Return numbers as levels between the lowest and the highest, or as steps from level to level
    where these vary less: one character each, which compresses to what it says."""
    numbers = np.array(values, float)
    known = numbers[np.isfinite(numbers)]
    low, high = float(known.min()), float(known.max())
    rises = len(known) == len(numbers) and bool((np.diff(numbers) >= 0).all())
    count = max(LEVELS, 2 * len(values)) if rises else LEVELS
    above = known - low
    step = float(min(above[above > 0], default=1.0))
    even = high - low <= count * step and np.allclose(above / step, np.rint(above / step), 0, 1e-3)
    if even:
        count = max(1, round((high - low) / step))
    ratio = not even and low > 0 and high > RATIO * low
    place = np.log(numbers / low) / np.log(high / low) if ratio else (numbers - low) / (high - low)
    levels = np.nan_to_num(np.rint(count * place), nan=-1).astype(int)
    steps = np.diff(levels, prepend=0)
    steps = np.where(steps < 0, -2 * steps - 1, 2 * steps)
    stepped = len(known) == len(numbers) and _entropy(steps) < _entropy(levels)
    text = "".join(map(chr, FIRST + (steps if stepped else levels)))
    return {"steps" if stepped else "levels": text, "ratio": ratio, "range": [low, high, count]}


def _entropy(symbols: NDArray[np.int_]) -> float:
    """Return the bits that each of these takes."""
    counts = np.unique_counts(symbols).counts / len(symbols)
    return -float(np.sum(counts * np.log2(counts)))


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
            where=str(SCRIPT),
            remedy="Run `make build` in the checkout of Busmark.",
        ) from None


def parts_of(text: str) -> list[str]:
    """Cut a long text into pieces."""
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

    def pack(self, pieces: Iterable[str]) -> PackedText:
        """Pack these pieces into one text; each is begun as soon as it is there."""
        packed = PackedText()
        for piece in pieces:
            data = piece.encode()
            packed.check = zlib.adler32(data, packed.check)
            packed.pieces.append(self._threads.submit(_deflated, data))
        return packed


class PackedText:
    """A text that is being compressed: one stream, of blocks that are independent."""

    def __init__(self) -> None:
        self.pieces: list[Future[bytes]] = []
        self.check = zlib.adler32(b"")

    def __str__(self) -> str:
        body = b"".join(piece.result() for piece in self.pieces)
        return base64.b64encode(HEAD + body + END + self.check.to_bytes(4, "big")).decode()


def _deflated(data: bytes) -> bytes:
    """Compress to blocks up to the border of a byte, of which none is the last."""
    compress = zlib.compressobj(9, wbits=-zlib.MAX_WBITS)
    return compress.compress(data) + compress.flush(zlib.Z_FULL_FLUSH)
