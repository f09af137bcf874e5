"""Columns of a table on the screen, and rows in their order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

R = TypeVar("R")

GAP = 1
"""Characters between two columns."""


@dataclass(frozen=True)
class Column(Generic[R]):
    """One column of rows of a kind."""

    name: str
    """In a file, with its unit."""
    title: str
    width: int
    """Characters; of a column that grows the fewest."""
    text: Callable[[R, int], str]
    """What is shown of a row in this many characters."""
    value: Callable[[R], Any]
    """By which rows are sorted, and what a file has; None: not known."""
    left: bool = False
    """Words begin at the left; values end at the right."""
    rank: int = 0
    """Columns of the highest rank are left out first where there is no room."""
    grows: bool = False
    """Takes what room is left."""

    def cell(self, row: R, width: int) -> str:
        """What is shown of a row, exactly so wide."""
        text = self.text(row, width)
        if len(text) > width:
            text = f"{text[: max(0, width - 1)]}…" if width else ""
        return text.ljust(width) if self.left else text.rjust(width)


def fitting(columns: Sequence[Column[R]], width: int) -> list[tuple[Column[R], int]]:
    """Those that there is room for, each with its width."""
    chosen = list(columns)

    def needed() -> int:
        return sum(column.width for column in chosen) + GAP * (len(chosen) - 1)

    while len(chosen) > 1 and needed() > width:
        highest = max(chosen, key=lambda column: column.rank)
        chosen.remove(highest)
    growing = [column for column in chosen if column.grows]
    spare = max(0, width - needed())
    shares = {
        id(column): spare // len(growing) + (place < spare % len(growing))
        for place, column in enumerate(growing)
    }
    return [(column, column.width + shares.get(id(column), 0)) for column in chosen]


def ordered(rows: Iterable[R], column: Column[R] | None, *, backwards: bool) -> list[R]:
    """By the values of a column; what is not known comes last."""
    if column is None:
        return list(rows)
    value = column.value
    pairs = [(value(row), row) for row in rows]
    known = [pair for pair in pairs if pair[0] is not None]
    try:
        known.sort(key=lambda pair: pair[0], reverse=backwards)
    except TypeError:
        known.sort(key=lambda pair: str(pair[0]), reverse=backwards)
    return [row for _, row in known] + [row for found, row in pairs if found is None]
