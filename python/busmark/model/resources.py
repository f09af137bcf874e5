"""The background loads beside what is measured, and who reads the counters."""

from __future__ import annotations

from busmark.model.figure import Frozen

READER = "counters"
"""The participant in the table `system` that reads the counters; no part of what is measured."""


class BackgroundLoad(Frozen):
    """A background load; cpu: share of each CPU, net: bit/s, disk: B/s."""

    kind: str
    asked: float | None
    """Level that the scenario asks for; null where the load has no limit, or an older Busmark
    measured it."""
    unlimited: bool = False
    """Whether the load had no limit and took as much as it could get."""
    achieved: float | None
    """Mean of the rounds in which it is known; null where it is known in none."""
    least: float | None
    rounds: int
    """Rounds in which `achieved` is known."""

    @property
    def share(self) -> float | None:
        """Achieved of what was asked for."""
        return None if not self.asked or self.achieved is None else self.achieved / self.asked
