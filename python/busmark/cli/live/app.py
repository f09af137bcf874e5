"""What the screens share: title, table, details, search, help line; how often they are painted."""

from __future__ import annotations

import copy
import gc
import signal
from collections.abc import Hashable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from textwrap import wrap
from typing import Any, ClassVar

from rich.text import Text
from textual import on
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.events import Resize
from textual.widgets import Input, Static

from busmark.cli.live.columns import GridColumn, R, View, ordered, save
from busmark.cli.live.dialogs import Keys
from busmark.cli.live.grid import Grid
from busmark.cli.live.terminal import Terminal
from busmark.cli.output import visible
from busmark.errors import UserError

EVERY_S = 0.5
"""Time between two paintings of the screen."""
LEAST = (60, 10)
"""Columns and lines below which nothing is shown."""
DETAIL_FROM = 18
"""Lines from which on details are shown beside the table."""


@dataclass(frozen=True)
class ViewState:
    """How a view was shown: sorted, searched, which row was chosen."""

    column: GridColumn[Any] | None
    backwards: bool
    found: str
    chosen: Hashable


class LiveApp(View[R], App[None]):
    """A screen, which is a view itself. It may show others in its place."""

    CSS = """
    Screen { layout: vertical; }
    #title, #detail, #help { text-wrap: nowrap; text-overflow: ellipsis; }
    #title { height: 1; background: $primary-darken-2; color: $text; text-style: bold; }
    #empty { height: 1fr; display: none; }
    #detail { height: 9; padding: 0; border-top: solid $primary; }
    #detail.whole { height: 1fr; }
    #search { height: 1; border: none; padding: 0; display: none; }
    #help { height: 1; color: $text-muted; }
    #small { display: none; height: 1fr; content-align: center middle; text-align: center; }
    """
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("q,ctrl+c", "leave", "quit", priority=False),
        Binding("p", "pause", "pause"),
        Binding("slash", "search", "search"),
        Binding("escape", "clear", "clear"),
        Binding("less_than_sign,left", "sort(-1)", "sort"),
        Binding("greater_than_sign,right", "sort(1)", "sort"),
        Binding("r", "reverse", "reverse"),
        Binding("d,enter", "detail", "detail"),
        Binding("s", "save", "save"),
        Binding("question_mark", "keys", "help"),
    ]
    KEYS: ClassVar[Sequence[tuple[str, str]]] = (
        ("↑ ↓ PgUp PgDn", "choose a line, as Home, End and a click do"),
        ("< >", "sort by the column before or after; or click on its head"),
        ("r", "reverse the order"),
        ("/", "search: lines that have all these words; Esc shows all"),
        ("p", "pause or resume the screen; it still listens"),
        ("d", "details: half of the screen, all, none"),
        ("s", "save the lines that are shown, as .csv and .txt"),
        ("?", "this help"),
        ("q", "quit"),
    )
    """All keys, for the help."""
    GROUP: ClassVar[str] = "busmark"
    """The program, or the group of the command."""

    def __init__(self, *, seconds: float | None = None, folder: Path | None = None) -> None:
        super().__init__(driver_class=Terminal)
        self.fault: UserError | None = None
        """Error that ended the application; None: none."""
        self.found = ""
        """Words that a row must contain to be shown."""
        self._seconds, self._folder = seconds, folder
        self._frozen: Any = None
        self._note = ""
        self._detail = "half"
        self._handlers: dict[int, Any] = {}
        """Handlers of signals before it began."""
        self._written: dict[str, str] = {}
        self._detailed = Text()
        """Text that the pane of details shows now."""
        self.view: View[Any] = self
        """View that is shown."""
        self._shown_as: dict[int, ViewState] = {}
        """How views were shown that are not shown now."""
        self._grid: Grid[Any] = Grid(id="grid")
        self._grid.show(self)

    @property
    def command(self) -> str:
        """The command as a user types it."""
        return f"{self.GROUP} {self.NAME}"

    def take(self) -> bool:
        """Take in all that has come; return whether there is something new to paint."""
        raise NotImplementedError

    # How it is painted.

    def compose(self) -> ComposeResult:
        """Yield the widgets from top to bottom."""
        yield Static(id="title", markup=False)
        yield self._grid
        yield Static(id="empty", markup=False)
        yield Static(id="detail", markup=False)
        yield Input(placeholder="search: words that a row has; Enter keeps them", id="search")
        yield Static(id="help", markup=False)
        yield Static(id="small", markup=False)

    def on_mount(self) -> None:
        """Begin to paint; let signals, and the time that is given, end the screen."""
        self._grid.focus()
        self.set_interval(EVERY_S, self.tick)
        if self._seconds is not None:
            self.set_timer(self._seconds, self.exit)
        # Not by the loop, which may be waiting for the terminal.
        with suppress(ValueError):
            for number in (signal.SIGTERM, signal.SIGHUP):
                self._handlers[number] = signal.signal(number, self._signalled)
        self.tick()
        # What is there by now stays there: to look through it again and again for what has become
        # useless costs more than the figures.
        gc.collect()
        gc.freeze()

    def on_unmount(self) -> None:
        """Restore the signal handlers and the garbage collection of the process."""
        gc.unfreeze()
        for number, handler in self._handlers.items():
            signal.signal(number, handler)

    def _signalled(self, *_: object) -> None:
        """End the screen, whatever becomes of the terminal."""
        if isinstance(self._driver, Terminal):
            self._driver.leaving = True
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self.exit)

    def tick(self) -> None:
        """Take in all that has come, and paint; end with the terminal, or at a `UserError`."""
        if isinstance(self._driver, Terminal) and self._driver.is_gone:
            self.exit()
            return
        try:
            new = self.take()
        except UserError as error:
            self.fault = error
            self.exit()
            return
        if new and self._frozen is None:
            self.paint()

    def on_resize(self, event: Resize) -> None:
        """Fit everything into the terminal."""
        self.call_after_refresh(self.paint)

    def paint(self) -> None:
        """Paint title, rows, details and help line, or a notice where the terminal is too small."""
        if not self.is_running or not self._fits():
            return
        state = self._frozen if self._frozen is not None else self.view.state()
        shown = self.shown(state)
        self._grid.put(shown)
        self.query_one("#empty").display = not shown
        self._write("#empty", "" if shown else self._empty())
        self._write("#title", self._fitting(self._title(state, len(shown))))
        self._paint_detail(state)
        self._write("#help", self._note or self._fitting(self.view.FOOTER))

    def _write(self, line: str, text: str) -> None:
        """Write a line, if it is another text than before."""
        if self._written.get(line) != text:
            self._written[line] = text
            shown = Text(visible(text), no_wrap=True, overflow="ellipsis")
            self.query_one(line, Static).update(shown, layout=False)

    def _empty(self) -> str:
        """Return what stands in the place of rows, as wide as there is room."""
        if self.found:
            return " no line has all these words: Esc shows all lines"
        width = max(20, self.size.width - 2)
        lines = (wrap(line, width, drop_whitespace=False) for line in self.view.empty.splitlines())
        return "\n".join(f" {part}" for line in lines for part in line)

    def _fitting(self, text: str) -> str:
        """Keep the first parts of a text, as far as there is room for them whole."""
        line, *rest = text.split("  ")
        for part in rest:
            if len(line) + 2 + len(part) > self.size.width:
                break
            line += f"  {part}"
        return line

    def shown(self, state: Any) -> list[Any]:
        """Return the rows that are found, in the order that is chosen."""
        words = self.found.lower().split()
        rows = self.view.rows(state)
        if words:
            rows = [row for row in rows if all(w in self.view.words_of(row).lower() for w in words)]
        return ordered(rows, self._grid.column, backwards=self._grid.backwards)

    def _title(self, state: Any, shown: int) -> str:
        parts = [self.view.heading(state)]
        if self.found:
            parts.insert(0, f"/{self.found}: {shown} found")
        if self._frozen is not None:
            parts.insert(0, "PAUSED")
        return "  ".join(parts)

    def _paint_detail(self, state: Any) -> None:
        detail = self.query_one("#detail", Static)
        room = self.size.height >= DETAIL_FROM
        row = self._grid.row
        # Without a row there are no details.
        mode = self._detail if row is not None else "none"
        self._grid.display = mode != "whole"
        detail.display = mode == "whole" or (mode == "half" and room)
        detail.set_class(mode == "whole", "whole")
        if row is None or not detail.display:
            return
        height = self.size.height - 3 if mode == "whole" else 8
        lines = self.view.detail(state, row, self.size.width, height)
        for line in lines:
            line.plain = visible(line.plain)
        text = Text("\n", no_wrap=True, overflow="ellipsis").join(lines[:height])
        if text != self._detailed or text.spans != self._detailed.spans:
            self._detailed = text
            detail.update(text, layout=False)

    def _fits(self) -> bool:
        width, height = self.size
        small = width < LEAST[0] or height < LEAST[1]
        notice = self.query_one("#small", Static)
        notice.display = small
        for widget in ("#title", "#help", "#grid", "#empty", "#detail"):
            self.query_one(widget).display = not small
        if small:
            notice.update(
                f"This terminal is {width}×{height}.\n`{self.command}` needs "
                f"{LEAST[0]}×{LEAST[1]}.\nEnlarge it, or use --plain. q quits."
            )
        return not small

    # What the user does.

    def action_leave(self) -> None:
        """End the screen."""
        self.exit()

    def action_pause(self) -> None:
        """Pause or resume the screen; messages are still taken in."""
        self._frozen = copy.deepcopy(self.view.state()) if self._frozen is None else None
        self.paint()

    def action_search(self) -> None:
        """Ask for words."""
        field = self.query_one("#search", Input)
        field.display = True
        field.value = self.found
        field.focus()

    def action_clear(self) -> None:
        """Show all rows, and the table."""
        self.found, self._note = "", ""
        if self._detail == "whole":
            self._detail = "half"
        self._end_search()

    @on(Input.Changed, "#search")
    def searched(self, event: Input.Changed) -> None:
        """Show the rows that are found while words are typed."""
        self.found = event.value
        self.paint()

    @on(Input.Submitted, "#search")
    def kept(self) -> None:
        """Return to the table; the words stay."""
        self._end_search()

    def _end_search(self) -> None:
        field = self.query_one("#search", Input)
        field.display = False
        self._grid.focus()
        self.paint()

    def action_sort(self, by: int) -> None:
        """Sort by the next or previous column, or by none."""
        places: list[GridColumn[Any] | None] = [None, *self.view.COLUMNS]
        at = places.index(self._grid.column)
        self._grid.column = places[(at + by) % len(places)]
        self._sorted()

    def action_reverse(self) -> None:
        """Reverse the order of the rows."""
        self._grid.backwards = not self._grid.backwards
        self._sorted()

    @on(Grid.Sorted)
    def clicked(self, event: Grid.Sorted) -> None:
        """Sort by the column whose head was clicked; reverse the order if it is clicked again."""
        again = self._grid.column is event.column
        self._grid.backwards = again and not self._grid.backwards
        self._grid.column = event.column
        self._sorted()

    def _sorted(self) -> None:
        column = self._grid.column
        way = "descending" if self._grid.backwards else "ascending"
        self.say(f"sorted by {column.title}, {way}" if column else "in the usual order")

    @on(Grid.Chosen)
    def chosen(self) -> None:
        """Show details of another row."""
        self._note = ""
        self.paint()

    def action_detail(self) -> None:
        """Show details beside the table, on the whole screen, or not at all, in turn."""
        modes = ["half", "whole", "none"]
        self._detail = modes[(modes.index(self._detail) + 1) % len(modes)]
        self.paint()

    def action_save(self) -> None:
        """Write the rows and details that are shown into files."""
        state = self._frozen if self._frozen is not None else self.view.state()
        rows = self.shown(state)
        row = self._grid.row
        detail = [] if row is None else self.view.detail(state, row, 100, 60)
        try:
            paths = save(
                self._folder or Path(),
                f"busmark-{self.view.NAME}",
                self._title(state, len(rows)),
                self.view.COLUMNS,
                rows,
                [line.plain for line in detail],
            )
        except OSError as error:
            self.say(f"not saved: {error.filename}: {error.strerror or error}")
            return
        self.say(f"saved {len(rows)} rows: {' and '.join(path.name for path in paths)}")

    def action_keys(self) -> None:
        """Show all keys."""
        self.push_screen(Keys(f"Keys of {self.command}", self.KEYS))

    def show(self, view: View[Any]) -> None:
        """Show another view, as it was shown before."""
        if view is self.view:
            return
        grid = self._grid
        self._shown_as[id(self.view)] = ViewState(
            grid.column, grid.backwards, self.found, grid.chosen
        )
        known = self._shown_as.get(id(view))
        self.view, self._frozen, self._note = view, None, ""
        self.found = known.found if known else ""
        grid.show(view)
        if known:
            grid.column, grid.backwards, grid.chosen = known.column, known.backwards, known.chosen
        self.paint()

    def say(self, text: str) -> None:
        """Show a text in the last line, until another row is chosen."""
        self._note = text
        self.paint()
