"""A table of which only the lines on the screen are drawn, so that its length costs little."""

from __future__ import annotations

import atexit
import os
import select
from collections.abc import Hashable, Sequence
from queue import Full
from typing import Any, ClassVar, Generic

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.binding import Binding, BindingType
from textual.drivers.linux_driver import LinuxDriver
from textual.geometry import Region, Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from busmark.cli.live.columns import GAP, Column, R, View, fitting
from busmark.cli.output import visible

HEAD = Style(bold=True, reverse=True)
CHOSEN = Style(reverse=True)
PLAIN = Style()
Line = tuple[str, Style]


class Grid(ScrollView, Generic[R], can_focus=True):
    """A head, and a line for each row. One row is chosen, and stays chosen when rows move."""

    DEFAULT_CSS = "Grid { scrollbar-size-vertical: 1; height: 1fr; overflow-x: hidden; }"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "move(-1)", show=False),
        Binding("down", "move(1)", show=False),
        Binding("pageup", "page(-1)", show=False),
        Binding("pagedown", "page(1)", show=False),
        Binding("home", "end(False)", show=False),
        Binding("end", "end(True)", show=False),
    ]

    class Chosen(Message):
        """Another row was chosen by the user."""

    class Sorted(Message):
        """The head of a column was clicked."""

        def __init__(self, column: Column[Any]) -> None:
            self.column = column
            super().__init__()

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.column: Column[R] | None = None
        """Column by which rows are sorted; for the sign in its head."""
        self.backwards = False
        self.drawn = 0
        """Lines that were drawn since the start."""
        self._drawn: dict[int, Line] = {}
        """Lines that were drawn last, by their number."""
        self._lines: list[Line] = []
        self._made_for: tuple[object, ...] = ()
        """The next ones, and the situation in which these are right."""
        self._plain = PLAIN
        """Style of the table."""
        self._rows: Sequence[R] = ()
        self._empty: Sequence[str] = ()
        self._at = 0
        self._fits: tuple[int, list[tuple[Column[R], int]]] = (-1, [])
        """A width, and the columns that fit into it."""
        self.chosen: Hashable = None
        """Key of the row that is chosen."""

    def show(self, view: View[R]) -> None:
        """Show the rows of this view from now on, in their usual order."""
        self.columns, self._key, self._style = view.COLUMNS, view.key_of, view.style_of
        self.column = self.columns[0] if view.NEWEST_FIRST else None
        self.backwards = view.NEWEST_FIRST
        self._rows, self._at, self.chosen = (), 0, None
        self._follows = view.FOLLOWS
        self._fits, self._made_for = (-1, []), ()

    def reveal(self) -> None:
        """Scroll to the row that is chosen."""
        # Below the head, which does not scroll.
        self.scroll_to_region(Region(0, self._at, 1, 2), animate=False, force=True)

    @property
    def row(self) -> R | None:
        """The one that is chosen."""
        return self._rows[self._at] if self._at < len(self._rows) else None

    def put(self, rows: Sequence[R], empty: Sequence[str] = ()) -> None:
        """Show these rows, in this order; where there are none, show the lines of `empty`."""
        self._empty = () if rows else empty
        moved = not (self._at < len(rows) and self._key(rows[self._at]) == self.chosen)
        self._rows = rows
        if moved and self._follows and self._at == 0 and rows:
            self.chosen = self._key(rows[0])
        elif moved:
            places = (place for place, row in enumerate(rows) if self._key(row) == self.chosen)
            self._at = min(next(places, self._at), max(0, len(rows) - 1))
        if (row := self.row) is not None:
            self.chosen = self._key(row)
        size = Size(self.size.width, len(rows) + 1)
        if self.virtual_size.height != size.height:
            self.virtual_size = size
        self._prepare()
        changed = [y for y, line in enumerate(self._lines) if self._drawn.get(y) != line]
        if changed:
            self.refresh(*(Region(0, y, self.size.width, 1) for y in changed))

    def _prepare(self) -> None:
        """Make all lines of the screen, for its present state."""
        self._made_for, self._plain = self._situation(), self.rich_style
        self._lines = [self._line(y) for y in range(self.size.height)]

    def _situation(self) -> tuple[object, ...]:
        """Return all on which lines depend, except for the rows."""
        return (
            self.size,
            self._width,
            self.scroll_offset.y,
            self._at,
            self.has_focus,
            self.column,
            self.backwards,
        )

    def render_line(self, y: int) -> Strip:
        """Draw a line: the head, or a row."""
        if self._made_for != self._situation():
            self._prepare()
        line = self._lines[y] if y < len(self._lines) else self._line(y)
        self._drawn[y] = line
        self.drawn += 1
        text, style = line
        return Strip([Segment(text, style)], self._width)

    def _line(self, y: int) -> Line:
        """Return the head, or a row, as wide as there is room."""
        width = self._width
        fits = self._fitting(width)
        if y == 0:
            return self._head(fits).ljust(width)[:width], HEAD
        place = int(self.scroll_offset.y) + y - 1
        if 1 <= y - 1 <= len(self._empty):
            return visible(f" {self._empty[y - 2]}").ljust(width)[:width], self._plain
        if place >= len(self._rows):
            return " " * width, self._plain
        row = self._rows[place]
        text = (" " * GAP).join(column.cell(row, room) for column, room in fits)
        style = self._plain + self._style(row)
        if place == self._at and self.has_focus:
            style += CHOSEN
        return visible(text).ljust(width)[:width], style

    def _fitting(self, width: int) -> list[tuple[Column[R], int]]:
        if self._fits[0] != width:
            self._fits = width, fitting(self.columns, width)
        return self._fits[1]

    @property
    def _width(self) -> int:
        """Beside the scrollbar."""
        return int(self.scrollable_content_region.width)

    def _head(self, fits: Sequence[tuple[Column[R], int]]) -> str:
        cells = []
        for column, width in fits:
            sign = ("▾" if self.backwards else "▴") if column is self.column else ""
            title = (column.title + sign)[:width]
            cells.append(title.ljust(width) if column.left else title.rjust(width))
        return (" " * GAP).join(cells)

    def action_move(self, by: int) -> None:
        """Choose the row that is `by` lines below."""
        self._go(self._at + by)

    def action_page(self, by: int) -> None:
        """Choose the row that is `by` screens below."""
        self._go(self._at + by * max(1, self.size.height - 2))

    def action_end(self, last: bool) -> None:
        """Choose the first or the last row."""
        self._go(len(self._rows) - 1 if last else 0)

    def _go(self, place: int) -> None:
        if not self._rows:
            return
        self._at = min(max(0, place), len(self._rows) - 1)
        self.chosen = self._key(self._rows[self._at])
        self.reveal()
        self.refresh()
        self.post_message(self.Chosen())

    def on_click(self, event: events.Click) -> None:
        """Choose the clicked row, or post `Sorted` for the column whose head was clicked."""
        if event.y > 0:
            self._go(int(self.scroll_offset.y) + event.y - 1)
            return
        left = 0
        for column, width in self._fitting(self._width):
            if left <= event.x < left + width + GAP:
                self.post_message(self.Sorted(column))
                return
            left += width + GAP


# The terminal on which a screen is painted: it may go, or take nothing any more, and whoever
# paints there ends all the same.

LOOK_S = 0.2
"""Between two looks whether a terminal takes something again."""
LAST_WORDS_S = 2.0
"""Time that a terminal gets to take what restores it."""


class Terminal(LinuxDriver):
    """Waits for a terminal that takes nothing only as long as it is not to end."""

    def __init__(self, *words: Any, **options: Any) -> None:
        super().__init__(*words, **options)
        self.leaving = False
        """Whether it is to end: set by a signal."""
        self._left_s = LAST_WORDS_S

    @property
    def is_gone(self) -> bool:
        """Return whether nobody is at the other end any more."""
        look = select.poll()
        look.register(self.fileno, 0)
        return any(found & (select.POLLHUP | select.POLLNVAL) for _, found in look.poll(0))

    def write(self, data: str) -> None:
        """Paint, unless nobody can see it."""
        self._put(data)

    def close(self) -> None:
        """Wait for the last painting, a short time: a terminal may take nothing any more."""
        self.leaving = True
        thread = self._writer_thread
        if thread is None:
            return
        self._put(None)
        thread.join(LAST_WORDS_S)
        if thread.is_alive() and not self.is_gone:
            # It writes to a terminal that takes nothing: that would hold up the end for ever.
            atexit.register(os._exit, 0)

    def _put(self, data: str | None) -> None:
        thread = self._writer_thread
        while thread is not None and thread.is_alive() and self._left_s > 0:
            try:
                thread._queue.put(data, timeout=LOOK_S)
            except Full:
                self._left_s -= LOOK_S if self.leaving else 0
            else:
                return

    def _run_input_thread(self) -> None:
        """Read keys until the terminal has gone."""
        try:
            self.run_input_thread()
        except OSError:
            # It has gone: that is looked at with each painting.
            return
