"""Data inside the page: JSON that may stand in a script element, in which nothing is said twice."""

from __future__ import annotations

import base64
import json
from itertools import groupby
from typing import Any

import numpy as np

SHORT = 8
"""Columns of at most this many values are written out."""

NUMBERS = {int, float, type(None)}
"""Types in a column of numbers."""

MANY = 200
"""Values from which on fewer digits are kept: a plot has no more pixels."""

COARSE = 6
"""Bits that are left out of them: ten significant ones remain."""

RISING = 0.9
"""Share of steps from which on a column is kept as differences."""

WORTH = 48
"""Characters from which on a text or an object is kept apart, to be referred to."""


def plain_json(data: object) -> str:
    """Short JSON, the same for the same data."""
    return _ENCODER.encode(data)


def as_json(data: object) -> str:
    """JSON that may stand inside an HTML script element."""
    return plain_json(data).replace("<", "\\u003c").replace("\u2028", "\\u2028")


_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), sort_keys=True)
"""One for all: making it anew for each of a hundred thousand values takes longer than its work."""


class Parts:
    """Texts, objects and columns that several panels have in common, each kept once.

    The rows of a table become columns. Numbers are floats in base64, NaN where there is none; of
    what is the same in many rows, each value stands with how many rows have it.
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
        names = dict.fromkeys(name for row in rows for name in row)
        return {name: self._column([row.get(name) for row in rows]) for name in names}

    def _column(self, values: list[Any]) -> Any:
        if len(values) > SHORT:
            runs = [[value, len(list(same))] for value, same in groupby(values)]
            if 2 * len(runs) <= len(values):
                return self._kept({"runs": runs})
            if set(map(type, values)) <= NUMBERS:
                return self._kept(_floats(values))
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


def _floats(values: list[float | None]) -> dict[str, str]:
    """Return floats of 16 significant bits, of which a chart shows four digits: the three upper
    bytes of each 32-bit float, first all lower ones. So they compress to half; what mostly rises,
    such as times, as differences to a quarter. Long columns keep three digits."""
    bits = (np.array(values, "<f4").view("<u4") + 0x80) >> 8
    rises = float(np.mean(bits[1:] >= bits[:-1])) >= RISING
    if len(values) >= MANY and not rises:
        # A NaN needs all of its bits.
        coarse = (bits + (1 << COARSE - 1)) >> COARSE << COARSE
        bits = np.where(np.isnan(np.array(values, "<f4")), bits, coarse)
    if rises:
        bits = np.diff(bits, prepend=bits.dtype.type(0)) & 0xFFFFFF
    planes = bits.astype("<u4").view("u1").reshape(-1, 4)[:, :3].T.tobytes()
    return {"differences" if rises else "floats": base64.b64encode(planes).decode()}
