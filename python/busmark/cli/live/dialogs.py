"""What is shown above a table until it is closed: keys, a sentence, a question, a form."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.events import DescendantFocus, Key
from textual.reactive import reactive
from textual.screen import ModalScreen
from textual.widgets import Input, Static

from busmark.cli.output import visible

WIDTH = 76
"""Columns of a box, where there is room."""
BESIDE_FIELDS = 5
"""Lines of a form for its border and the explanation of a field."""
FEWEST_FIELDS = 2
"""Lines of fields that are shown at least."""


class Dialog(ModalScreen[None]):
    """A box with a title, lines, and the keys below. It stays until it is closed."""

    DEFAULT_CSS = """
    Dialog { align: center middle; }
    Dialog #box {
        width: 76; max-width: 100%; height: auto; max-height: 100%; overflow-y: auto;
        border: round $primary; border-title-style: bold; border-subtitle-color: $text-muted;
        padding: 0 1; background: $surface; scrollbar-size-vertical: 1;
    }
    Dialog Static { height: auto; }
    Dialog #answer { display: none; margin-top: 1; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,question_mark", "close", "close"),
        Binding("up", "scroll(-1)", show=False),
        Binding("down", "scroll(1)", show=False),
    ]
    KEYS = "Esc closes"

    def __init__(self, title: str, text: Text | str = "") -> None:
        super().__init__()
        self._title, self._text = visible(title), text

    def compose(self) -> ComposeResult:
        """Yield the widgets from top to bottom."""
        with Vertical(id="box"):
            yield from self.parts()
            yield Static(id="answer", markup=False)

    def parts(self) -> ComposeResult:
        """Return what stands above the answer."""
        yield Static(self._text, id="text", markup=False)

    def on_mount(self) -> None:
        """Put the title above the box, and the keys below."""
        box = self.query_one("#box")
        box.border_title, box.border_subtitle = Text(self._title), self.KEYS

    def say(self, text: str, style: str = "") -> None:
        """Show an answer below."""
        answer = self.query_one("#answer", Static)
        answer.display = bool(text)
        lines = [visible(line.strip()) for line in text.splitlines()]
        answer.update(Text("\n".join(lines), style=style))

    def action_scroll(self, by: int) -> None:
        """Scroll where there is no room for all lines."""
        self.query_one("#box").scroll_relative(y=by, animate=False)

    def action_close(self) -> None:
        """Return to the table."""
        self.dismiss()


class Keys(Dialog):
    """A key on each line, and what it does."""

    def __init__(self, title: str, keys: Sequence[tuple[str, str]]) -> None:
        wide = max(len(key) for key, _ in keys)
        lines = [Text.assemble((key.ljust(wide), "bold"), f"  {does}") for key, does in keys]
        super().__init__(title, Text("\n").join(lines))


class QuestionDialog(Dialog):
    """Does something if it is answered by `y`; then shows what came of it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "yes", "yes"),
        Binding("n", "close", "no"),
    ]
    KEYS = "y yes  n no"

    def __init__(self, title: str, text: str, yes: Callable[[QuestionDialog], None]) -> None:
        super().__init__(title, text)
        self._yes: Callable[[QuestionDialog], None] | None = yes

    def action_yes(self) -> None:
        """Answer with yes, once."""
        if (yes := self._yes) is not None:
            self._yes = None
            self.query_one("#box").border_subtitle = "Esc closes"
            yes(self)


@dataclass(frozen=True)
class FormField:
    """A line of a form."""

    name: str
    label: str
    hint: str
    """A sentence about it, shown while it is filled in."""
    value: str = ""
    example: str = ""
    """Text in the field while nothing is typed."""
    choices: tuple[str, ...] = ()
    """Words of which one is chosen; none: any text."""


class ChoiceField(Static, can_focus=True):
    """A field that offers a choice of words."""

    DEFAULT_CSS = """
    Choice { height: 1; background: $foreground 10%; }
    Choice:focus { background: $primary-muted; color: $text; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left", "choose(-1)", show=False),
        Binding("right,space", "choose(1)", show=False),
    ]
    value: reactive[str] = reactive("")

    def __init__(self, words: Sequence[str], value: str, *, id: str) -> None:
        super().__init__(id=id, markup=False)
        self._words = list(words)
        self.value = value or self._words[0]

    def render(self) -> Text:
        """Return the word, between signs that there are others."""
        return Text(f"◂ {self.value} ▸")

    def action_choose(self, by: int) -> None:
        """Choose the next or previous word."""
        place = self._words.index(self.value) + by
        self.value = self._words[place % len(self._words)]

    def on_key(self, event: Key) -> None:
        """Choose the next word that begins with the letter that is typed."""
        first = self._words.index(self.value) + 1
        words = [*self._words[first:], *self._words[:first]]
        if event.character and event.character.isalpha():
            event.stop()
            begun = (word for word in words if word.startswith(event.character or ""))
            self.value = next(begun, self.value)


class Form(Dialog):
    """Fields, of which `send` is given the values; it says on the form what came of them."""

    DEFAULT_CSS = """
    Form Horizontal { height: 1; }
    Form .label { width: 12; }
    Form Input { width: 1fr; background: $foreground 10%; }
    Form Input:focus { background: $primary-muted; color: $text; }
    Form Input > .input--placeholder, Form Input:focus > .input--placeholder { color: $text-muted; }
    Form Choice { width: 1fr; }
    Form #fields { height: auto; overflow-y: auto; scrollbar-size-vertical: 1; }
    Form #hint { color: $text-muted; height: 2; margin-top: 1; }
    Form #text { margin-bottom: 1; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "send", "send"),
        Binding("up", "app.focus_previous", show=False),
        Binding("down", "app.focus_next", show=False),
    ]
    KEYS = "↑ ↓ field  ◂ ▸ choice  Enter sends  Esc closes"

    def __init__(
        self,
        title: str,
        text: str,
        fields: Sequence[FormField],
        send: Callable[[Form, dict[str, str]], None],
    ) -> None:
        super().__init__(title, text)
        self._fields, self._send = list(fields), send
        self.waits = False
        """Nothing is sent before the answer has come."""

    def parts(self) -> ComposeResult:
        """Yield a line for each field, and a sentence about the one that is filled in."""
        if self._text:
            yield Static(self._text, id="text", markup=False)
        with Vertical(id="fields"):
            for field in self._fields:
                with Horizontal():
                    yield Static(field.label, classes="label", markup=False)
                    if field.choices:
                        yield ChoiceField(field.choices, field.value, id=field.name)
                    else:
                        yield Input(field.value, field.example, id=field.name, compact=True)
        yield Static(id="hint", markup=False)

    def on_resize(self) -> None:
        """Keep explanation and answer in sight: fields scroll where there is little room."""
        self._fit()

    def say(self, text: str, style: str = "") -> None:
        """Show an answer below the fields, and leave room for it."""
        super().say(text, style)
        self._fit()

    def _fit(self) -> None:
        answer = self.query_one("#answer", Static)
        lines = str(answer.content).splitlines() if answer.display else []
        width = max(1, min(self.size.width, WIDTH) - 4)
        below = sum(-(-max(1, len(line)) // width) for line in lines) + bool(lines)
        above = 3 if self._text else 0
        room = self.size.height - BESIDE_FIELDS - above - below
        self.query_one("#fields").styles.max_height = max(FEWEST_FIELDS, room)

    @on(DescendantFocus)
    def chosen(self, event: DescendantFocus) -> None:
        """Explain the field."""
        hints = (field.hint for field in self._fields if field.name == event.widget.id)
        self.query_one("#hint", Static).update(next(hints, ""))

    @on(Input.Submitted)
    def entered(self) -> None:
        """Send the values when Enter is pressed in a field."""
        self.action_send()

    def action_send(self) -> None:
        """Hand the values over, unless an answer has yet to come."""
        if self.waits:
            return
        values = {}
        for field in self._fields:
            widget = self.query_one(f"#{field.name}")
            assert isinstance(widget, Input | ChoiceField)
            values[field.name] = widget.value.strip()
        self._send(self, values)
