"""Cases analysed while a campaign runs, each in the pause after its last round: at its end they
only have to be put together."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from busmark.estimate.one_case import Analysed, CaseAnalysis, Task, analysed, tasks_of
from busmark.estimate.rounds import Row, rows_of
from busmark.store import Result
from busmark.store.rows import as_frame


class EarlyCases:
    """Cases of a campaign that were analysed before its end."""

    def __init__(self, directory: Path, rounds: int) -> None:
        """`rounds`: what the result will have, as far as that is known."""
        self._directory = directory
        self._rounds = rounds
        self._common: CaseAnalysis | None = None
        self._tasks: dict[str, Task] = {}
        self._found: dict[str, tuple[CaseAnalysis, Task, Analysed]] = {}

    def add(self, case: str, rows: Sequence[Row]) -> None:
        """Analyse a case of which these are all rows."""
        # Whatever is wrong is met again at the end: a campaign must not stop at it.
        with suppress(Exception):
            self._found[case] = self._analysed(case, rows)

    def _analysed(self, case: str, rows: Sequence[Row]) -> tuple[CaseAnalysis, Task, Analysed]:
        if self._common is None:
            common, tasks = tasks_of(Result(self._directory), rounds_planned=self._rounds)
            self._common, self._tasks = common, {task.case.id: task for task in tasks}
        task = self._tasks[case]._replace(rows=rows_of(as_frame([*rows]))[case])
        return self._common, task, analysed(self._common, task)

    def of(self, common: CaseAnalysis, task: Task) -> Analysed | None:
        """Return what was found of a case; None unless it was made of the same."""
        if task.case.id not in self._found:
            return None
        known, done, found = self._found[task.case.id]
        same = known.thinning == common.thinning and _campaign(known) == _campaign(common)
        return found if same and done == task else None


def _campaign(common: CaseAnalysis) -> list[Any]:
    """Return what of the campaign a case is described with."""
    manifest = common.result.manifest
    return [manifest.scenario, manifest.hosts, manifest.resumptions, manifest.source]
