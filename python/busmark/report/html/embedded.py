"""Data inside the page: JSON that may stand in a script element, in which nothing is said twice."""

from __future__ import annotations

import base64
import json
from typing import Any

import numpy as np

SHORT = 8
"""Lists of so few numbers are written out."""

NUMBERS = {bool, int, float}
"""Types of coordinates. To compare them takes a fraction of asking each value whether it is a
number, and there are a million values."""

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
    """Texts, objects and lists that several panels have in common, each kept once.

    Coordinates become 32-bit floats in base64, which plotly reads directly: seven digits, of which
    a plot shows four.
    """

    def __init__(self) -> None:
        self.values: list[Any] = []
        self._known: dict[str, int] = {}

    def shared(self, value: Any, name: str = "") -> Any:
        """The value with what is long replaced by `{"part": index}`, from the inside out. `name`
        is the key under which it stands."""
        if isinstance(value, dict):
            return self._kept({key: self.shared(item, key) for key, item in value.items()})
        if isinstance(value, str):
            return value if len(value) < WORTH else self._at(value, value)
        if not isinstance(value, list | tuple):
            return value
        if name in ("x", "y") and len(value) > SHORT and (coded := _floats(value)):
            return self._at(coded, {"dtype": "f4", "bdata": coded})
        if _all_numbers(value):
            return self._kept(list(value))
        whole = [self.shared(item) for item in value]
        # Lists of traces are of one panel only.
        return whole if name == "traces" else self._kept(whole)

    def _kept(self, value: Any) -> Any:
        written = _ENCODER.encode(value)
        return value if len(written) < WORTH else self._at(written, value)

    def _at(self, written: str, value: Any) -> dict[str, int]:
        """A reference to the part that is `written` so."""
        if written not in self._known:
            self._known[written] = len(self.values)
            self.values.append(value)
        return {"part": self._known[written]}


def _all_numbers(values: list[Any] | tuple[Any, ...]) -> bool:
    return set(map(type, values)) <= NUMBERS


def _floats(values: list[Any] | tuple[Any, ...]) -> str | None:
    """Coordinates as floats in base64; None if one is not a number. This way numpy looks at each of
    a million only once."""
    if type(values[0]) not in NUMBERS:
        return None
    try:
        found = np.asarray(values)
    except ValueError:  # A list among them.
        return None
    if found.dtype.kind not in "biuf":
        return None
    return base64.b64encode(found.astype("<f4").tobytes()).decode()
