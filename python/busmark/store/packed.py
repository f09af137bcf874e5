"""Rows column by column: what all rows of a case have is kept once, numbers without objects.

A campaign of short rounds has tens of thousands of rows, of some 140 columns each. As dicts they
would have some 8 KB each; a third of the columns has a number of its own in each round.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping
from typing import Any

Row = Mapping[str, Any]

CODES = {int: "q", float: "d"}
"""Type code of an array of these numbers."""


class Values:
    """What one column has in each row, exactly: 1 and 1.0 differ."""

    __slots__ = ("_count", "_first", "_several")

    def __init__(self) -> None:
        self._count = 0
        self._first: Any = None
        self._several: array[Any] | list[Any] | None = None
        """Once they are not all the same."""

    def __getitem__(self, at: int) -> Any:
        return self._first if self._several is None else self._several[at]

    def append(self, value: Any) -> None:
        """Adds what the next row has."""
        if not self._count:
            self._first = value
        elif self._several is None and repr(value) != repr(self._first):
            self._several = _as_array([self._first] * self._count)
        self._count += 1
        if isinstance(self._several, array) and CODES.get(type(value)) != self._several.typecode:
            self._several = self._several.tolist()
        if self._several is not None:
            try:
                self._several.append(value)
            except OverflowError:
                self._several = [*self._several, value]


def _as_array(values: list[Any]) -> array[Any] | list[Any]:
    try:
        return array(CODES[type(values[0])], values)
    except (KeyError, OverflowError):
        return values


class Block:
    """Rows of the same columns."""

    def __init__(self) -> None:
        self.columns: dict[str, Values] = {}
        self._count = 0

    def append(self, row: Row) -> PackedRow:
        """The row as it is from now on."""
        for name, value in row.items():
            self.columns.setdefault(name, Values()).append(value)
        self._count += 1
        return PackedRow(self, self._count - 1)


class PackedRow(Row):
    """A row of a block."""

    __slots__ = ("_at", "_block")

    def __init__(self, block: Block, at: int) -> None:
        self._block = block
        self._at = at

    def __getitem__(self, column: str) -> Any:
        return self._block.columns[column][self._at]

    def __iter__(self) -> Iterator[str]:
        return iter(self._block.columns)

    def __len__(self) -> int:
        return len(self._block.columns)
