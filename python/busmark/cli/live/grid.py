"""The table of a screen: a view's rows, of which one is chosen, and stays chosen when rows move."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, ClassVar, Generic

from rich.text import Text
from textual import on
from textual.binding import Binding, BindingType
from textual.coordinate import Coordinate
from textual.message import Message
from textual.widgets import DataTable

from busmark.cli.live.columns import GAP, GridColumn, R, View, fitting
from busmark.cli.output import visible


class Grid(DataTable[Text], Generic[R], inherit_bindings=False):
    """Textual's table, with the columns that there is room for."""

    DEFAULT_CSS = """
    Grid { height: 1fr; overflow-x: hidden; scrollbar-size-vertical: 1; background: $background; }
    Grid > .datatable--header { text-style: bold reverse; }
    Grid > .datatable--cursor { background: $background; color: $foreground; text-style: none; }
    Grid.empty { height: 1; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "cursor_up", show=False),
        Binding("down", "cursor_down", show=False),
        Binding("pageup", "page_up", show=False),
        Binding("pagedown", "page_down", show=False),
        Binding("home", "scroll_top", show=False),
        Binding("end", "scroll_bottom", show=False),
    ]

    class Chosen(Message):
        """Another row was chosen by the user."""

    class Sorted(Message):
        """The head of a column was clicked."""

        def __init__(self, column: GridColumn[Any]) -> None:
            self.column = column
            super().__init__()

    def __init__(self, **options: Any) -> None:
        super().__init__(cursor_type="row", cell_padding=0, **options)
        self.column: GridColumn[R] | None = None
        """Column by which rows are sorted; for the sign in its head."""
        self.backwards = False
        self.chosen: Hashable = None
        """Key of the row that is chosen."""
        self._rows: Sequence[R] = ()
        self._heads: list[tuple[GridColumn[R], int, str]] = []
        """Columns that there is room for, each with its width and its head."""
        self._cells: dict[int, list[Text]] = {}
        """Cells of the rows that have been seen, by their place."""

    def show(self, view: View[R]) -> None:
        """Show the rows of this view from now on, in their usual order."""
        self._view = view
        self.column = view.COLUMNS[0] if view.NEWEST_FIRST else None
        self.backwards = view.NEWEST_FIRST
        self._rows, self.chosen, self._heads = (), None, []

    @property
    def row(self) -> R | None:
        """The row that is chosen."""
        at = self.cursor_row
        return self._rows[at] if at < len(self._rows) else None

    def put(self, rows: Sequence[R]) -> None:
        """Show these rows, in this order."""
        at = self._place(rows)
        self._rows = rows
        self.set_class(not rows, "empty")
        heads = self._fitting()
        if heads != self._heads:
            self._heads, self._cells = heads, {}
            self.clear(columns=True)
            for column, width, head in heads:
                self.add_column(Text(head, no_wrap=True), width=width, key=column.name)
        elif len(rows) < self.row_count:
            self._cells = {}
            self.clear()
        for _ in range(self.row_count, len(rows)):
            self.add_row()
        self._write_seen()
        if rows:
            self.chosen = self._view.key_of(rows[at])
            if at != self.cursor_row:
                self.move_cursor(row=at)

    def _place(self, rows: Sequence[R]) -> int:
        """Return the place of the chosen row among these: where it has gone, the same place."""
        at = self.cursor_row
        keys = [self._view.key_of(row) for row in rows]
        if self._view.FOLLOWS and at == 0:
            return 0
        if at < len(rows) and keys[at] == self.chosen:
            return at
        return keys.index(self.chosen) if self.chosen in keys else min(at, max(0, len(rows) - 1))

    def watch_scroll_y(self, old: float, new: float) -> None:
        """Write the rows that come into sight."""
        super().watch_scroll_y(old, new)
        self._write_seen()

    def _write_seen(self) -> None:
        """Write the cells of the rows in sight that are not there yet: a bus may have thousands."""
        first = int(self.scroll_y)
        for place in range(first, min(first + self.app.size.height, self.row_count)):
            row = self._rows[place]
            style = self._view.style_of(row)
            cells = [Text(visible(c.cell(row, w - GAP))[:w], style) for c, w, _ in self._heads]
            known = self._cells.get(place)
            for at, cell in enumerate(cells):
                if not known or (cell, cell.style) != (known[at], known[at].style):
                    self.update_cell_at(Coordinate(place, at), cell)
            self._cells[place] = cells

    def _fitting(self) -> list[tuple[GridColumn[R], int, str]]:
        """Return the columns that there is room for, each with its width and its head."""
        found = []
        # One column is left for the bar beside the rows.
        for column, width in fitting(self._view.COLUMNS, self.app.size.width - GAP):
            sign = ("▾" if self.backwards else "▴") if column is self.column else ""
            title = (column.title + sign)[:width]
            head = title.ljust(width) if column.left else title.rjust(width)
            found.append((column, width + GAP, head))
        return found

    @on(DataTable.RowHighlighted)
    def _highlighted(self, event: DataTable.RowHighlighted) -> None:
        """Post `Chosen` where the user has moved to another row."""
        event.stop()
        row = self.row
        if row is not None and self._view.key_of(row) != self.chosen:
            self.chosen = self._view.key_of(row)
            self.post_message(self.Chosen())

    @on(DataTable.HeaderSelected)
    def _head_clicked(self, event: DataTable.HeaderSelected) -> None:
        """Post `Sorted` for the column whose head was clicked."""
        event.stop()
        self.post_message(self.Sorted(self._heads[event.column_index][0]))
