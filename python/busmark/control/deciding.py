"""Which cases get further rounds because a requirement is not decided."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from busmark.scenario import Scenario
from busmark.store import Case, Result


class Deciding:
    """Has the requirements of the scenario judged between sweeps. What a case said tells how many
    rounds would decide it; it is judged again when it has them."""

    def __init__(self, scenario: Scenario, directory: Path) -> None:
        self._is_asked = bool(scenario.require)
        self._most = scenario.rounds.max
        self._directory = directory
        self._due: dict[str, int] = {}
        """By case: the number of rounds at which it is judged again."""

    def wanting(self, cases: Sequence[Case], rounds_of: Callable[[Case], int]) -> list[Case]:
        """Those of `cases`, all below the most rounds, that should have one more."""
        if not self._is_asked or not cases:
            return []
        waiting = [case for case in cases if rounds_of(case) < self._due.get(case.id, 0)]
        if waiting:
            return waiting
        self._due = self._judged()
        return [case for case in cases if rounds_of(case) < self._due.get(case.id, 0)]

    def _judged(self) -> dict[str, int]:
        # Only where there are requirements: it brings the whole analysis.
        from busmark.analysis import summarise

        due: dict[str, int] = {}
        for judged in summarise(Result(self._directory), with_series=False).requirements:
            if judged.verdict == "undecided" and judged.more_rounds is not None:
                wanted = min(judged.rounds + judged.more_rounds, self._most)
                due[judged.case] = max(due.get(judged.case, 0), wanted)
        return due
