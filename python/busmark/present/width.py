"""The terminal: how wide tables may be, headings and paragraphs.

Tables are as wide as the terminal. In a pipe they have all columns, each number and name on one
line, and sentences fill a line of text. `--wide` breaks nothing.
"""

from __future__ import annotations

import re
import textwrap
from typing import Any

from rich.cells import cell_len
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
        self.wide = wide

    @property
    def room(self) -> int:
        """Characters that a table may have."""
        return UNBOUNDED if self.wide or not self.is_terminal else self.width

    def print(self, *objects: Any, **options: Any) -> None:
        """Print as rich does; a table may be wider than other text."""
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
    """Return how many characters wide a table may be on it."""
    return console.room if isinstance(console, RoomyConsole) else console.width


def line_length(console: Console) -> int:
    """Return how many characters of a line sentences in a table fill."""
    return UNBOUNDED if isinstance(console, RoomyConsole) and console.wide else console.width


def heading(console: Console, title: str) -> None:
    """Print a line above a part."""
    console.print()
    console.print(Text(title, style="bold"))


TOGETHER = re.compile(
    r"(?<=\d) (?=(?:[%×]|(?:[nµm]?s|min|h|B|[KMG]i?B|[kMG]?bit/s|(?:10[³⁶⁹])?/s)(?![\w/])))"
    r"|(?<=[<>≤≥]) (?=\d)|(?<=\d), (?=[^\s\[\]]+\])"
)
"""Spaces at which no line is broken: between a number and its unit, and within an interval."""

COMMAND = re.compile(r"`[^`]*`")
"""What a reader copies, so that its words are not broken at their hyphens."""

KEPT = {" ": "\N{NO-BREAK SPACE}", "-": "\N{NON-BREAKING HYPHEN}"}
"""Characters at which lines are broken, and what stands for them where they are not."""


def wrapped(words: str, width: int, lead: str = "") -> list[str]:
    """Return lines of words. Not as rich does: figures hold narrow spaces, at which it breaks."""
    bound = TOGETHER.sub(lambda found: found[0].replace(" ", KEPT[" "]), words)
    bound = COMMAND.sub(lambda found: found[0].replace("-", KEPT["-"]), bound)
    lines = textwrap.wrap(
        bound, max(width, len(lead) + 8), initial_indent=lead, subsequent_indent=" " * len(lead)
    )
    for character, kept in KEPT.items():
        lines = [line.replace(kept, character) for line in lines]
    return lines


def paragraph(words: str, console: Console, style: str = "", lead: str = "") -> None:
    """Print words; letters that are wider than others are left to rich."""
    for line in wrapped(words, console.width, lead):
        console.print(Text(line, style=style), soft_wrap=cell_len(line) <= console.width)


def item(console: Console, words: str, lead: str = "- ", style: str = "") -> None:
    """Print one paragraph of a list."""
    paragraph(words, console, style, lead)
