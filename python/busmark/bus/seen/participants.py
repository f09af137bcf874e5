"""Participants of a bus, as a watcher sees them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

SILENT_S = 6.0
"""Whoever has said nothing for this time, though asked, is shown as silent."""
GONE_S = 15.0
"""Whoever has said nothing for this time, though asked more than once, is shown as gone."""
FEWEST_ASKED = 3
"""Times that a participant is asked before it is held to be gone."""


@dataclass
class Participant:
    """One that was heard."""

    app: int
    group: int | None
    instance: int
    """Its own number, another for each process."""
    member: dict[str, Any] | None = None
    """Adapter, middleware, transport, domain, host, process; None: not heard yet."""
    joined_ns: int | None = None
    """When it joined, ns since 1970 by the clock of its host."""
    found_s: float | None = None
    """From when it joined to when that was heard here, by one clock; None: it was there before, or
    is on another host."""
    said_ns: int = 0
    """When it said its last word, ns since 1970 by the clock of its host."""
    heard_s: float = 0.0
    """When its last word came here, seconds of a monotonic clock."""
    looked_s: float = 0.0
    """When it was last looked at, by the same clock."""
    asked: int = 0
    """Times it was asked since."""
    listed_ns: int = 0
    """When it last said which tests it has."""
    knows_its_tests: bool = False
    """Whether that still holds, as far as is known."""
    left: bool = False
    """It said that it leaves."""
    gone: bool = False
    """It has said nothing for long, though asked."""
    tests: dict[tuple[str, int], dict[str, Any]] = field(default_factory=dict)
    """By kind and number, as it described them."""

    def state(self, now_s: float) -> str:
        """there, silent, gone or left."""
        if self.left or self.gone:
            return "left" if self.left else "gone"
        return "silent" if self.asked and now_s - self.heard_s > SILENT_S else "there"

    @property
    def is_there(self) -> bool:
        """Whether it is still held to take part."""
        return not self.left and not self.gone

    def word(self, key: str) -> str:
        """What it says of itself under this key; empty: not known."""
        value = (self.member or {}).get(key)
        return "" if value is None else str(value)
