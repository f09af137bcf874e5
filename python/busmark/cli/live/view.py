"""What a table on the screen shows: columns, rows, details of the chosen one."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, ClassVar, Generic

from rich.style import Style
from rich.text import Text

from busmark.cli.live.columns import Column, R


class View(Generic[R]):
    """One table. A screen may have several, of which it shows one."""

    NAME: ClassVar[str] = ""
    """Files that are saved have it in their name."""
    COLUMNS: ClassVar[Sequence[Column[Any]]] = ()
    FOOTER: ClassVar[str] = (
        "q quit  ? help  p pause  / search  < > sort  r reverse  d detail  s save"
    )
    """Keys, the most important first: those that there is room for are shown."""
    EMPTY: ClassVar[str] = ""
    """Shown where there is no row."""
    NEWEST_FIRST: ClassVar[bool] = False
    FOLLOWS: ClassVar[bool] = False
    """Where the first row is chosen, so is each that comes before it."""

    @property
    def empty(self) -> str:
        """The same, where it depends on something."""
        return self.EMPTY

    def state(self) -> Any:
        """All that is shown; a copy of it is kept while the screen is paused."""
        raise NotImplementedError

    def rows(self, state: Any) -> list[R]:
        """Rows of the table, in their usual order."""
        raise NotImplementedError

    def heading(self, state: Any) -> str:
        """The first line."""
        raise NotImplementedError

    def detail(self, state: Any, row: R, width: int, height: int) -> list[Text]:
        """Lines about the chosen row."""
        raise NotImplementedError

    @staticmethod
    def key_of(row: Any) -> Hashable:
        """By which a row is known when it has moved."""
        raise NotImplementedError

    @staticmethod
    def style_of(row: Any) -> Style:
        """How its line looks."""
        return Style()

    @staticmethod
    def words_of(row: Any) -> str:
        """What a search looks at."""
        raise NotImplementedError
