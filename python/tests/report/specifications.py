"""What a specification of a chart holds."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any


def tables(spec: Any) -> Iterator[list[dict[str, Any]]]:
    """All tables of a specification."""
    if isinstance(spec, dict):
        if isinstance(spec.get("values"), list) and all(
            isinstance(r, dict) for r in spec["values"]
        ):
            yield spec["values"]
        for each in spec.values():
            yield from tables(each)
    elif isinstance(spec, list):
        for each in spec:
            yield from tables(each)


def rows(spec: Any, *fields: str) -> list[dict[str, Any]]:
    """Rows that have these fields."""
    return [row for table in tables(spec) for row in table if set(fields) <= set(row)]


def scales(spec: Any, channel: str) -> Iterator[tuple[str, Any]]:
    """What each series has of a channel."""
    if isinstance(spec, dict):
        own = spec.get(channel)
        if isinstance(own, dict) and own.get("field") == "s":
            yield from zip(own["scale"]["domain"], own["scale"]["range"], strict=True)
        for each in spec.values():
            yield from scales(each, channel)
    elif isinstance(spec, list):
        for each in spec:
            yield from scales(each, channel)
