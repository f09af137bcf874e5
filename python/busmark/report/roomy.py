"""How wide tables may be: as the terminal, or as they need where that is asked for or nobody reads
along."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.table import Table

NARROW = 110
"""Characters of a line below which details are left to the page."""

UNBOUNDED = 10_000
"""Characters; no table is as wide."""


class RoomyConsole(Console):
    """Prints tables at full width into files and pipes, and with `wide` on a terminal, too."""

    def __init__(self, *, wide: bool = False, **options: Any) -> None:
        super().__init__(**options)
        self._wide = wide

    @property
    def room(self) -> int:
        """Characters that a table may have."""
        return UNBOUNDED if self._wide or not self.is_terminal else self.width

    def print(self, *objects: Any, **options: Any) -> None:
        """As rich does; a table may be wider than other text."""
        if not any(isinstance(each, Table) for each in objects):
            super().print(*objects, **options)
            return
        before = self._width
        self._width = self.room
        try:
            super().print(*objects, **options)
        finally:
            self._width = before


def room(console: Console) -> int:
    """Characters that a table may have on it."""
    return console.room if isinstance(console, RoomyConsole) else console.width
