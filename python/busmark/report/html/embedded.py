"""Data inside the page: JSON that may stand in a script element, with long lists kept once."""

from __future__ import annotations

import json
from typing import Any

SHORT = 8
"""Lists of so few values are left where they are."""


def as_json(data: object) -> str:
    """JSON that may stand inside an HTML script element."""
    written = json.dumps(data, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
    return written.replace("<", "\\u003c").replace("\u2028", "\\u2028")


class Arrays:
    """Lists of plain values, each kept once: floors and axes are in many panels."""

    def __init__(self) -> None:
        self.values: list[list[Any]] = []
        self._known: dict[tuple[Any, ...], int] = {}

    def shared(self, value: Any) -> Any:
        """The value with its long lists replaced by `{"array_of": index}`."""
        if isinstance(value, dict):
            return {key: self.shared(item) for key, item in value.items()}
        if not isinstance(value, list | tuple):
            return value
        if len(value) <= SHORT or any(isinstance(v, dict | list | tuple) for v in value):
            return [self.shared(item) for item in value]
        key = tuple(value)
        if key not in self._known:
            self._known[key] = len(self.values)
            self.values.append(list(value))
        return {"array_of": self._known[key]}
