"""What the middleware's own discovery lists: participants, writers and readers, also of programs
that are not Busmark's."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

MOST = 20_000
"""Entities that are kept; later ones are not."""
KINDS = ("participant", "writer", "reader", "topic")


@dataclass
class Entity:
    """One of them. Words are empty where the middleware does not say."""

    kind: str
    key: str
    """Nobody else on the bus has it."""
    participant: str = ""
    """Key of the participant that it belongs to."""
    own: bool = False
    """Made by the process that watches."""
    name: str = ""
    host: str = ""
    process: str = ""
    topic: str = ""
    type: str = ""
    qos: dict[str, Any] = field(default_factory=dict)
    more: str = ""
    since_ns: int = 0
    """When it was first listed, ns since 1970 by the clock here."""
    gone_ns: int | None = None
    """When it was first missing."""


class Entities:
    """All that were listed."""

    def __init__(self) -> None:
        self.by_key: dict[str, Entity] = {}

    def listed(self, found: Iterable[dict[str, Any]], at_ns: int) -> None:
        """Takes in all that are there at this moment: who is missing has gone.

        Raises:
            LookupError, TypeError, AttributeError: it is not such a list.
        """
        there = {}
        for entry in found:
            entity = _read(entry)
            known = self.by_key.get(entity.key)
            back = known is None or known.gone_ns is not None
            entity.since_ns = at_ns if known is None or back else known.since_ns
            there[entity.key] = entity
        for key, entity in self.by_key.items():
            if key not in there and entity.gone_ns is None:
                entity.gone_ns = at_ns
        room = MOST - len(self.by_key)
        for key, entity in there.items():
            if key in self.by_key or room > 0:
                room -= key not in self.by_key
                self.by_key[key] = entity


def _read(entry: dict[str, Any]) -> Entity:
    if entry["kind"] not in KINDS:
        raise LookupError(entry["kind"])
    entity = Entity(entry["kind"], str(entry["key"]), own=bool(entry.get("own")))
    for word in ("participant", "name", "host", "process", "topic", "type", "more"):
        setattr(entity, word, str(entry.get(word) or ""))
    entity.qos = dict(entry.get("qos") or {})
    return entity
