"""The terminal: how wide tables may be, headings and paragraphs.

Tables are as wide as the terminal, or as they need where that is asked for or nobody reads along.
"""

from __future__ import annotations

import textwrap
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

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


def heading(console: Console, title: str) -> None:
    """Print a line above a part."""
    console.print()
    console.print(Text(title, style="bold"))


def paragraph(words: str, console: Console, style: str = "", lead: str = "") -> None:
    """Print words. Wrapped here: figures hold narrow spaces, at which no line may break."""
    lines = textwrap.wrap(
        words, max(console.width, len(lead) + 8), initial_indent=lead,
        subsequent_indent=" " * len(lead),
    )  # fmt: skip
    for line in lines:
        console.print(Text(line, style=style), soft_wrap=True)


def item(console: Console, words: str, lead: str = "- ", style: str = "") -> None:
    """Print one paragraph of a list."""
    paragraph(words, console, style, lead)
