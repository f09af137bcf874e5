"""What runs beside the participants of a round: one file each, and one line in the list."""

from __future__ import annotations

from busmark.control.companions.companion import Companion, Companions, Stage
from busmark.control.companions.counters import CounterReadings
from busmark.control.companions.loads import Loads
from busmark.control.companions.servers import Servers
from busmark.plugin import parts

__all__ = ["COMPANIONS", "Companion", "Companions", "Stage", "companions"]

COMPANIONS: tuple[type[Companion], ...] = (
    Servers,
    # Before the loads: afterwards there may be no idle CPU for a first reading.
    CounterReadings,
    Loads,
)


def companions() -> tuple[type[Companion], ...]:
    """Return all, in the order in which they begin and end."""
    # Companions of plug-ins come first, so that a capture has the servers' traffic too.
    return (*(each for _, each in parts(lambda plugin: plugin.companions)), *COMPANIONS)
