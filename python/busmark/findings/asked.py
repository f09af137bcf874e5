"""Parameters of a case as rules read them.

Plans emit every parameter, so one that is missing was misspelt: reading it raises. Without that a
rule that asks for a name which no plan has is silent for ever, and nobody notices.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from busmark.model import parameters


@cache
def keys() -> frozenset[str]:
    """All that a plan emits; a test compares them with what it does emit."""
    # Rules are listed where no table is read, and nothing heavy is loaded.
    from busmark.store.params import Params

    return frozenset(Params.model_fields)


POLICIES = frozenset(parameters.POLICIES)
"""Keys of `qos`, likewise; only those that were asked for are there."""


class UnknownKey(LookupError):
    """No plan emits it."""


class Known(Mapping[str, Any]):
    """Values by name; one that is absent is None, and a name that cannot be there is an error."""

    def __init__(self, values: Mapping[str, Any], names: frozenset[str]) -> None:
        self._values, self._names = values, names

    def __getitem__(self, name: str) -> Any:
        if name not in self._names:
            raise UnknownKey(f"no plan emits {name!r}")
        return self._values.get(name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)


def asked(params: Mapping[str, Any]) -> Known:
    """The parameters of a case."""
    return Known(params, keys())


def qos(params: Mapping[str, Any]) -> Known:
    """The policies that were asked for, whether they are stored as a table or as JSON text."""
    value = params["qos"]
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except ValueError:
            value = None
    return Known(value if isinstance(value, dict) else {}, POLICIES)
