"""A table on the screen: its columns, rows in their order, details of the chosen one, and all of it
as files: a table for a spreadsheet, and text as on the screen."""

from __future__ import annotations

import csv
import io
import time
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Generic, TypeVar

from rich.style import Style
from rich.text import Text

from busmark import files
from busmark.cli.output import visible

R = TypeVar("R")

GAP = 1
"""Characters between two columns."""


@dataclass(frozen=True)
class GridColumn(Generic[R]):
    """One column of rows of a kind."""

    name: str
    """Name in a file, with its unit."""
    title: str
    width: int
    """Characters; of a column that grows the fewest."""
    text: Callable[[R, int], str]
    """Function that returns the text of a row in this many characters."""
    value: Callable[[R], Any]
    """Value by which rows are sorted, and which a file has; None: not known."""
    left: bool = False
    """Words begin at the left; values end at the right."""
    rank: int = 0
    """Columns of the highest rank are left out first where there is no room."""
    grows: bool = False
    """Whether the column takes the room that the others leave."""

    def cell(self, row: R, width: int) -> str:
        """Return what is shown of a row, exactly so wide."""
        text = self.text(row, width)
        if len(text) > width:
            text = f"{text[: max(0, width - 1)]}…" if width else ""
        return text.ljust(width) if self.left else text.rjust(width)


def fitting(columns: Sequence[GridColumn[R]], width: int) -> list[tuple[GridColumn[R], int]]:
    """Return those that there is room for, each with its width."""
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


def ordered(rows: Iterable[R], column: GridColumn[R] | None, *, backwards: bool) -> list[R]:
    """Sort rows by the values of a column; rows whose value is not known come last."""
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


class View(Generic[R]):
    """One table. A screen may have several, of which it shows one."""

    NAME: ClassVar[str] = ""
    """Files that are saved have it in their name."""
    COLUMNS: ClassVar[Sequence[GridColumn[Any]]] = ()
    FOOTER: ClassVar[str] = (
        "q quit  ? help  p pause  / search  < > sort  r reverse  d detail  s save"
    )
    """Keys, the most important first: those that there is room for are shown."""
    EMPTY: ClassVar[str] = ""
    """Text of a table without rows."""
    NEWEST_FIRST: ClassVar[bool] = False
    FOLLOWS: ClassVar[bool] = False
    """Whether a row that comes before the first one is chosen in its place, if the first one was
    chosen."""

    @property
    def empty(self) -> str:
        """Text that is shown where there is no row."""
        return self.EMPTY

    def state(self) -> Any:
        """Return all that is shown; a copy of it is kept while the screen is paused."""
        raise NotImplementedError

    def rows(self, state: Any) -> list[R]:
        """Return the rows of the table, in their usual order."""
        raise NotImplementedError

    def heading(self, state: Any) -> str:
        """Return the first line."""
        raise NotImplementedError

    def detail(self, state: Any, row: R, width: int, height: int) -> list[Text]:
        """Return lines about the chosen row."""
        raise NotImplementedError

    @staticmethod
    def key_of(row: Any) -> Hashable:
        """Return the key of a row, by which it is found when it has moved."""
        raise NotImplementedError

    @staticmethod
    def style_of(row: Any) -> Style:
        """Return how its line looks."""
        return Style()

    @staticmethod
    def words_of(row: Any) -> str:
        """Return what a search looks at."""
        raise NotImplementedError


WIDEST = 40
"""Characters of a column in text."""


def save(
    folder: Path,
    name: str,
    heading: str,
    columns: Sequence[GridColumn[R]],
    rows: Sequence[R],
    detail: Sequence[str],
) -> tuple[Path, Path]:
    """Write NAME-DATE-TIME.csv and .txt, which are new; return where they are.

    Raises:
        OSError: they cannot be written; nothing is left then.
    """
    stem = f"{name}-{time.strftime('%Y%m%d-%H%M%S')}"
    at = next(
        number
        for number in range(1, 10_000)
        if not any(_path(folder, stem, number, end).exists() for end in ("csv", "txt"))
    )
    found = _path(folder, stem, at, "csv"), _path(folder, stem, at, "txt")
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([column.name for column in columns])
    writer.writerows([[_value(column.value(row)) for column in columns] for row in rows])
    texts = out.getvalue(), _text(heading, columns, rows, detail)
    try:
        for path, text in zip(found, texts, strict=True):
            files.create(path, text)
    except OSError:
        for path in found:
            path.unlink(missing_ok=True)
        raise
    return found


def _path(folder: Path, stem: str, number: int, end: str) -> Path:
    return folder / f"{stem}{f'-{number}' if number > 1 else ''}.{end}"


def _value(value: Any) -> Any:
    if value is None:
        return ""
    return visible(value) if isinstance(value, str) else value


def _text(
    heading: str, columns: Sequence[GridColumn[R]], rows: Sequence[R], detail: Sequence[str]
) -> str:
    widths = [max(column.width, WIDEST if column.grows else 0) for column in columns]
    gap = " " * GAP
    lines = [time.strftime("%Y-%m-%d %H:%M:%S %z"), heading, ""]
    lines.append(
        gap.join(
            column.title.ljust(width) if column.left else column.title.rjust(width)
            for column, width in zip(columns, widths, strict=True)
        )
    )
    for row in rows:
        cells = [column.cell(row, width) for column, width in zip(columns, widths, strict=True)]
        lines.append(gap.join(cells))
    lines += ["", *detail] if detail else []
    return "\n".join(visible(line).rstrip() for line in lines) + "\n"
