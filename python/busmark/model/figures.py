"""The figures of a case: rows of the table of estimates, found by their key."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Literal

from busmark.model.entry import PartQuantity, RowKey
from busmark.model.figure import Figure


@dataclass(frozen=True, slots=True)
class Estimated:
    """A row of the table of estimates, but for the case: see `busmark.estimate.columns`."""

    quantity: str
    statistic: str
    value: float | None
    unit: str
    scope: str = "case"
    of: str | None = None
    node: str | None = None
    round: int | None = None
    over: str = "rounds"
    low: float | None = None
    high: float | None = None
    confidence: float | None = None
    bound: Literal["upper", "lower"] | None = None
    count: int | None = None
    effective: float | None = None
    rounds: int = 0
    reason: str | None = None
    is_estimate: bool = False
    """Whether it should have an interval: not where it was counted or asked for."""

    @property
    def figure(self) -> Figure | None:
        """The value with its limits, unit and counts; None: it has no value."""
        if self.value is None:
            return None
        return Figure(
            value=self.value,
            low=self.low,
            high=self.high,
            confidence=self.confidence,
            count=self.count,
            rounds=self.rounds,
            unit=self.unit,
        )


def estimated(
    quantity: RowKey,
    value: Figure | float | None,
    scope: str = "case",
    of: str | None = None,
    node: str | None = None,
    round: int | None = None,
    rounds: int = 0,
) -> Iterator[Estimated]:
    """Yield the row of a quantity of a case or of a part of it; none where it has no value.
    `rounds`: how many a number rests on that is no estimate."""
    if isinstance(value, Figure):
        yield Estimated(
            quantity.name,
            quantity.statistic,
            value.value,
            value.unit,
            scope,
            of,
            node,
            round,
            low=value.low,
            high=value.high,
            confidence=value.confidence,
            count=value.count,
            rounds=value.rounds,
            is_estimate=True,
        )
    elif value is not None:
        yield Estimated(
            quantity.name,
            quantity.statistic,
            value,
            quantity.unit,
            scope,
            of,
            node,
            round,
            rounds=rounds,
        )


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a case: a participant, a node, a level; or the whole case."""

    scope: str
    of: str | None = None
    node: str | None = None
    rows: dict[tuple[str, str], Estimated] = field(default_factory=dict)
    """Rows of a typical round, by quantity and statistic."""

    def row(self, quantity: RowKey) -> Estimated | None:
        """Return the row of a quantity; None where the part has none."""
        return self.rows.get((quantity.name, quantity.statistic))

    def figure(self, quantity: RowKey) -> Figure | None:
        """Return an estimate with its interval; None where the part has none."""
        row = self.row(quantity)
        return row.figure if row else None

    def value(self, quantity: RowKey) -> float | None:
        """Return the value of a quantity; None where the part has none."""
        row = self.row(quantity)
        return row.value if row else None

    def counted(self, quantity: RowKey) -> int | None:
        """Return what was counted; None where the part has no such count."""
        value = self.value(quantity)
        return None if value is None else int(value)

    def __getitem__(self, quantity: PartQuantity) -> Figure | float | int | None:
        """Return what tables show of a quantity: an estimate with its interval, or a number."""
        if quantity.is_count:
            return self.counted(quantity)
        row = self.row(quantity)
        return None if row is None else row.figure if row.is_estimate else row.value


def parts(rows: Iterable[Estimated], scope: str) -> list[Part]:
    """Return the parts of a scope, in the order of their first rows."""
    found: dict[tuple[str | None, str | None], Part] = {}
    for row in rows:
        if row.scope == scope and row.over == "rounds":
            part = found.setdefault((row.of, row.node), Part(scope, row.of, row.node))
            part.rows.setdefault((row.quantity, row.statistic), row)
    return list(found.values())
