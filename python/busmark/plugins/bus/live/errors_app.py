"""The screen of `busmark bus errors`."""

from __future__ import annotations

from typing import Any, ClassVar

from rich.style import Style
from rich.text import Text
from textual.binding import Binding, BindingType

from busmark.cli.live.columns import GridColumn
from busmark.cli.live.values import clock
from busmark.plugins.bus.live.bus_app import BusApp
from busmark.plugins.bus.seen import Observer, Trouble

STYLES = {
    "failed": Style(color="red"),
    "gone": Style(color="red"),
    "refused": Style(color="yellow"),
}


def _text(row: Trouble, _: int) -> str:
    more = f" ({row.unreported:,} more were not reported)" if row.unreported else ""
    return row.text + more


COLUMNS: list[GridColumn[Trouble]] = [
    GridColumn("at_ns", "time", 8, lambda t, _: clock(t.at_ns), lambda t: t.at_ns),
    GridColumn("app", "app", 4, lambda t, _: str(t.app), lambda t: t.app),
    GridColumn("group", "group", 5, lambda t, _: "—" if t.group is None else str(t.group),
           lambda t: t.group, rank=1),
    GridColumn("what", "what", 9, lambda t, _: t.what, lambda t: t.what, left=True),
    GridColumn("message", "message", 20, _text, lambda t: _text(t, 0), left=True, grows=True),
]  # fmt: skip


class ErrorsApp(BusApp[Trouble]):
    """A line for each trouble, the latest first."""

    NAME = "errors"
    COLUMNS = COLUMNS
    NEWEST_FIRST = True
    FOOTER = (
        "q quit  ? help  p pause  / search  a application  < > sort  r reverse  d detail  s save"
    )
    KEYS = (("a", "lines of one application, of the next, of all"), *BusApp.KEYS)
    EMPTY = "no trouble was reported"
    BINDINGS: ClassVar[list[BindingType]] = [Binding("a", "application", "application")]

    def __init__(self, *arguments: Any, app: int | None = None, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.only = app
        """The application whose troubles are shown; None: all."""

    def rows(self, state: Observer) -> list[Trouble]:
        """Return the troubles that are shown, as they came."""
        return [each for each in state.troubles if self.only in (None, each.app)]

    def heading(self, state: Observer) -> str:
        """Return the heading, after the application if only its troubles are shown."""
        only = f"app {self.only} only  " if self.only is not None else ""
        return only + super().heading(state)

    def detail(self, state: Observer, row: Trouble, width: int, height: int) -> list[Text]:
        """Return the whole message, and who reports it."""
        who = state.participants.get(row.instance)
        host = f" · host {who.word('host')}, process {who.word('pid')}" if who else ""
        head = f"{clock(row.at_ns)} · app {row.app} · {row.what}{host}"
        lines = Text(_text(row, 0)).wrap(self.console, max(20, width - 1))
        return [Text(head, style="bold"), *lines]

    def action_application(self) -> None:
        """Show errors of the next application that reports some; then all."""
        known: list[int | None] = [None, *sorted({each.app for each in self.state().troubles})]
        at = known.index(self.only) if self.only in known else 0
        self.only = known[(at + 1) % len(known)]
        self.say(f"of application {self.only}" if self.only is not None else "of all applications")

    key_of = staticmethod(lambda row: row)

    @staticmethod
    def style_of(row: Any) -> Style:
        """Return red for failures and who is gone, yellow for refused orders."""
        return STYLES.get(row.what, Style())

    @staticmethod
    def words_of(row: Any) -> str:
        """Return all words of a row."""
        return f"app {row.app} group {row.group} {row.what} {row.text}"
