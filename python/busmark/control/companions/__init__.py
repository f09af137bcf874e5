"""What runs beside the participants of a round: one file each, and one line in the list."""

from __future__ import annotations

from busmark.plugins.capture.companion import Capture
from busmark.control.companions.companion import Companion, Companions, Stage
from busmark.control.companions.counters import CounterReadings
from busmark.control.companions.loads import Loads
from busmark.control.companions.servers import Servers

__all__ = ["COMPANIONS", "Companion", "Companions", "Stage"]

COMPANIONS: tuple[type[Companion], ...] = (
    # First, so that servers are found in it too.
    Capture,
    Servers,
    # Before the loads: afterwards there may be no idle CPU for a first reading.
    CounterReadings,
    Loads,
)
"""In this order they begin, and in this order they end."""
