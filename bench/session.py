"""Interleaved rounds: who measures when, and what is kept of it."""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from catalogue import UNITS, Group, Limit, Row, section
from compare import ABSENT, CANNOT_TELL, limit_row, ratio_row
from task import MAIN, MeasurementError, Values

Measure = Callable[[str, Group], Values]
ATTEMPTS = 2
"""A measurement that did not come about is tried again once, and counted."""


@dataclass(frozen=True)
class Settings:
    """Settings of our adapter that differ from the ones that it ships with."""

    used: dict[str, str] = field(default_factory=dict)
    lacking: dict[str, str] = field(default_factory=dict)
    """What the other side does and our adapter cannot be asked to do."""


@dataclass
class Record:
    """What a group's contestants have measured, by round; None where it did not come about."""

    group: Group
    missing: dict[str, str] = field(default_factory=dict)
    """Why a contestant does not take part."""
    rounds: list[dict[str, Values | None]] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)

    @property
    def present(self) -> list[str]:
        """Contestants that take part."""
        return [name for name in self.group.contestants if name not in self.missing]

    @property
    def runnable(self) -> bool:
        """Whether there is anything to measure: our own side, and somebody to compare it with."""
        alone = all(isinstance(row, Limit) for row in self.group.rows)
        return self.group.contestants[0] in self.present and (alone or len(self.present) > 1)

    @property
    def undecided(self) -> bool:
        """Whether more rounds could turn a row's "cannot tell" into a verdict."""
        return any(row["verdict"] == CANNOT_TELL for row in self.rows(Settings()))

    def rows(self, settings: Settings) -> list[dict[str, Any]]:
        """Return the finished rows."""
        return [self._row(row, settings) for row in self.group.rows]

    def _row(self, row: Row, settings: Settings) -> dict[str, Any]:
        first, task = self.group.contestants[0], self.group.task
        base: dict[str, Any] = {
            "id": self.group.identifier(row),
            "section": section(self.group, row),
            "name": self.group.title(row),
            "placement": task.placement if task else None,
            "settings": settings.used,
            "lacking": settings.lacking,
            "failures": self.failures,
        }
        if isinstance(row, Limit):
            values = self._column(first, row.key)
            figures = limit_row([v for v in values if v is not None], row.target)
            beside = [v for v in self._column(row.other, row.key) if v is not None]
            base |= {"unit": row.unit, "other_name": row.other, **figures}
            base["other"] = sorted(beside)[len(beside) // 2] if beside else None
            base["measured"] = {first: values}
            missing = self.missing.get(first)
        else:
            assert task is not None
            base["unit"] = UNITS[task.test]
            mine, other = self._column(row.mine, MAIN), self._column(row.other, MAIN)
            both = [(a, b) for a, b in zip(mine, other, strict=True) if a and b]
            base |= {"mine_name": row.mine, "other_name": row.other, **ratio_row(both, row.target)}
            base["measured"] = {row.mine: mine, row.other: other}
            missing = self.missing.get(row.mine) or self.missing.get(row.other)
        if missing:
            base |= {"verdict": ABSENT, "missing": missing}
        return base

    def _column(self, contestant: str | None, key: str) -> list[float | None]:
        found = [taken.get(contestant) if contestant else None for taken in self.rounds]
        return [values.get(key) if values else None for values in found]


def interleave(records: Sequence[Record], measure: Measure, rounds: range, seed: int) -> None:
    """Measure the rounds of these numbers.

    Every round visits all groups in random order, and in each all contestants back to back in
    random order, so that what changes slowly meets all alike.
    """
    runnable = [record for record in records if record.runnable]
    begin = time.monotonic()
    for done, number in enumerate(rounds, 1):
        chance = random.Random(f"{seed}/{number}")
        order = list(runnable)
        chance.shuffle(order)
        for record in order:
            names = list(record.present)
            chance.shuffle(names)
            taken = {name: _attempt(record, measure, name, number) for name in names}
            record.rounds.append(taken)
        spent = time.monotonic() - begin
        left = spent / done * (len(rounds) - done)
        print(
            f"round {number + 1} of {rounds.stop}, {left:.0f} s left", file=sys.stderr, flush=True
        )


def _attempt(record: Record, measure: Measure, name: str, number: int) -> Values | None:
    for _ in range(ATTEMPTS):
        try:
            return measure(name, record.group)
        except MeasurementError as error:
            record.failures.append(f"round {number + 1}, {name}: {error}")
    return None
