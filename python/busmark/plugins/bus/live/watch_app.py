"""Keys by which a watcher changes what it sees: tests of our participants are made, changed and
stopped, samples are looked at and injected. What is foreign is shown, and never touched."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from typing import Any, ClassVar

import click
from rich.text import Text
from textual import on
from textual.binding import Binding, BindingType
from textual.message import Message as Posted

from busmark.cli.live.dialogs import Dialog, Form, FormField, QuestionDialog
from busmark.errors import UserError
from busmark.plugins.bus.attachment import Attachment
from busmark.plugins.bus.caller import Caller, Message
from busmark.plugins.bus.commands.found import need_list
from busmark.plugins.bus.commands.orders import Order, stopped
from busmark.plugins.bus.commands.samples import injected, payload_on
from busmark.plugins.bus.live import forms
from busmark.plugins.bus.live.bus_app import BusApp, Hand, words
from busmark.plugins.bus.live.ends import COLUMNS, detail, style
from busmark.plugins.bus.live.entities_view import EntitiesView, Row
from busmark.plugins.bus.live.forms import ChosenTest
from busmark.plugins.bus.live.samples_view import SamplesView
from busmark.plugins.bus.seen import End, Observer
from busmark.plugins.bus.watching import Watching
from busmark.plugins.bus.words import line, segments

FOREIGN = "It is a foreign application: Busmark shows it, and never touches it."


class Call(Posted):
    """A function that is to be called by whoever paints."""

    def __init__(self, function: Callable[[], None]) -> None:
        self.function = function
        super().__init__()


TOPICS = {"transceiver": "ping", "transponder": "ping", "transmitter": "data", "receiver": "data"}
"""Ends of the names of the topics on which they send, or are sent to."""


class WatchApp(BusApp[End]):
    """A line for each end of a test, which may be changed; beside it entities, and samples of a
    topic."""

    NAME = "watch"
    COLUMNS = COLUMNS
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("e", "entities", "entities"),
        Binding("a", "everything", "all entities"),
        Binding("c", "change", "change"),
        Binding("n", "new", "new"),
        Binding("x", "stop", "stop"),
        Binding("l", "look", "look"),
        Binding("i", "inject", "inject"),
    ]
    FOOTER = (
        "q quit  ? help  e entities  c change  n new  x stop  l look  i inject  / search  p pause  "
        "< > sort  r reverse  d detail  s save"
    )
    KEYS = (
        ("e", "entities on the bus, foreign ones too; again: the tests"),
        ("a", "there: show the topics of orders and news, too"),
        ("c", "change the chosen test: rate, pause, QoS"),
        ("n", "start a new test"),
        ("x", "stop the chosen test, after a question"),
        ("l", "look at samples of the chosen topic; Esc returns"),
        ("i", "inject samples into the chosen topic"),
        *BusApp.KEYS,
    )

    def __init__(self, watching: Watching, bus: Attachment, **options: Any) -> None:
        super().__init__(watching, bus, **options)
        self._hands: list[Hand] = []
        self._orders: Hand | None = None
        self._entities: EntitiesView | None = None
        self._samples: SamplesView | None = None

    def rows(self, state: Observer) -> list[End]:
        """Return the ends of tests by application, test and kind."""
        return sorted(
            state.ends.values(),
            key=lambda end: (
                end.participant.app,
                end.test,
                end.kind,
                end.number,
                end.participant.instance,
            ),
        )

    def detail(self, state: Observer, row: End, width: int, height: int) -> list[Text]:
        """Return histogram, percentiles and segments of an end."""
        return detail(row, width, height)

    key_of = staticmethod(lambda row: row.key)
    style_of = staticmethod(lambda row: style(row))

    @staticmethod
    def words_of(row: Any) -> str:
        """Return who it is, and how it goes."""
        who = row.participant
        return (
            f"app {who.app} group {who.group} test {row.test} {row.kind} "
            f"{row.status(who.looked_s)} {who.word('adapter')} {who.word('host')} "
            f"{' '.join(map(str, row.peers))}"
        )

    # What works beside the screen.

    def _hand(self, *, lists: bool = True) -> Hand:
        """Make one more hand on the bus; `lists`: it is of use only where entities are listed."""
        check = [need_list] if lists else []
        hand = Hand(self._bus, self._post, *check)
        self._hands.append(hand)
        return hand

    def _post(self, function: Callable[[], None]) -> None:
        # After the end of the screen there is nobody whom it concerns.
        with suppress(RuntimeError):
            self.post_message(Call(function))

    @on(Call)
    def called(self, event: Call) -> None:
        """Call the function that a hand has posted."""
        event.function()

    def on_unmount(self) -> None:
        """Make every process leave the bus, and wait until it has."""
        for hand in self._hands:
            hand.leave()
        for hand in self._hands:
            hand.left()

    def _painted(self) -> None:
        if self._frozen is None:
            self.paint()

    def tell(self, text: str, title: str = "Not done") -> None:
        """Show a sentence: in the last line if it fits there, else in a dialog."""
        if len(text) <= self.size.width and "\n" not in text:
            self.say(text)
        else:
            self.push_screen(Dialog(title, text))

    # Views.

    def action_entities(self) -> None:
        """Show what is on the bus; or return to the tests."""
        if self.view is self._entities:
            self._back()
            return
        self._back()
        if self._entities is None:
            self._entities = EntitiesView(self._bus, self._hand(), self._painted)
        self._entities.begin()
        self.show(self._entities)

    def action_everything(self) -> None:
        """Show control topics among the entities, too; or hide them."""
        view = self._entities
        if view is None or self.view is not view:
            return
        view.everything = not view.everything
        view.begin()
        self.say("with all topics" if view.everything else "without topics of orders and news")

    def _back(self) -> None:
        """Leave samples for the view where they were asked for, entities for the tests."""
        if self._samples is not None:
            self._samples.end()
            self._samples = None
            self.show(self._under_samples)
        elif self._entities is not None:
            self._entities.end()
            self.show(self)

    def action_clear(self) -> None:
        """Show all rows; where all are shown, the view before."""
        searched = bool(self.found) or self._detail == "whole"
        super().action_clear()
        if not searched:
            self._back()

    def action_look(self) -> None:
        """Show samples of the chosen topic."""
        topic = self._topic()
        if topic is None or self._samples is not None:
            return
        self._under_samples = self.view

        def failed(why: str) -> None:
            if self._samples is view:
                self._back()
            self.tell(why, f"Samples of {topic}")

        view = SamplesView(self._bus, topic, self._hand(), self._painted, failed)
        self._samples = view
        view.begin()
        self.show(view)

    # What is chosen.

    def _topic(self) -> str | None:
        """Return the topic of the chosen line; None: it has none, and that is said."""
        if self._samples is not None:
            return self._samples.topic
        row = self._grid.row
        if row is None:
            self.tell("Choose a line first.")
        elif not isinstance(row, Row):
            return f"busmark_bus_{row.test}_{TOPICS[row.kind]}"
        elif row.kind == "participant":
            self.tell("Choose a writer or a reader: a participant has no topic.")
        else:
            try:
                payload_on(row.topic, [row.entity])
            except UserError as error:
                self.tell(words(error), f"Samples of {row.topic}")
            else:
                return row.topic
        return None

    def _test(self) -> ChosenTest | None:
        """Return the test of the chosen line; None: it has none, and that is said."""
        row = self._grid.row
        if self._samples is not None:
            self.tell("Esc returns to the table: choose a test there.")
        elif row is None:
            self.tell("Choose a line first.")
        elif not isinstance(row, Row):
            return ChosenTest(row.participant.app, row.test, row.kind, row.ordered_hz)
        elif row.is_foreign:
            self.tell(FOREIGN)
        elif row.test is None or row.owner.app is None:
            self.tell("It belongs to no test: choose a writer or reader of one.")
        else:
            return ChosenTest(row.owner.app, row.test, row.test_kind)
        return None

    # Orders.

    def action_change(self) -> None:
        """Open a form for changes of the chosen test."""
        at = self._bus
        if test := self._test():
            title, fields = f"Change {test.words()}", forms.change_fields(test)
            self._form(title, fields, lambda values: forms.change(at, test, values))

    def action_new(self) -> None:
        """Open a form for a new test."""
        at, row, app = self._bus, self._grid.row, None
        if isinstance(row, Row):
            if row.is_foreign:
                self.tell(FOREIGN)
                return
            app = row.owner.app
        elif row is not None and self._samples is None:
            app = row.participant.app

        self._form("New test", forms.start_fields(app), lambda values: forms.start(at, values))

    def action_stop(self) -> None:
        """Ask, and stop the chosen test."""
        at = self._bus
        if test := self._test():
            text = "What it has measured so far is summed up and shown."
            self.push_screen(
                QuestionDialog(
                    f"Stop {test.words()}?",
                    text,
                    lambda question: self._give(question, lambda: forms.stop(at, test)),
                )
            )

    def action_inject(self) -> None:
        """Open a form for samples to inject into the chosen topic."""
        at, topic = self._bus, self._topic()
        if topic is None:
            return

        def send(form: Form, values: dict[str, str]) -> None:
            try:
                found = forms.inject(at, topic, values)
            except click.ClickException as error:
                form.say(error.format_message(), "red")
                return

            def job(caller: Caller) -> str:
                need_list(at)
                return injected(caller, at, **found)[1]

            self._work(form, job, lambda text: self._answer(form, text, "green"))

        text = "Participants that measure count them as foreign traffic: no figure has them."
        self.push_screen(Form(f"Inject into {topic}", text, forms.INJECT_FIELDS, send))

    def _form(
        self, title: str, fields: Sequence[FormField], makes: Callable[[dict[str, str]], Order]
    ) -> None:
        self.push_screen(
            Form(title, "", fields, lambda form, values: self._give(form, lambda: makes(values)))
        )

    def _give(self, dialog: Dialog, makes: Callable[[], Order]) -> None:
        """Give an order, and show the answers."""
        try:
            order = makes()
        except click.ClickException as error:
            dialog.say(error.format_message(), "red")
            return

        def job(caller: Caller) -> tuple[str, str]:
            stops = order.task["cmd"] == "stop"
            text = stopped(caller, order) if stops else order.answers(caller)
            return _words(caller, order, text)

        self._work(dialog, job, lambda found: self._answer(dialog, *found))

    def _work(
        self, dialog: Dialog, job: Callable[[Caller], Any], then: Callable[[Any], None]
    ) -> None:
        if self._orders is None:
            self._orders = self._hand(lists=False)
        if isinstance(dialog, Form):
            dialog.waits = True
        dialog.say("waiting for the answer …", "dim")
        self._orders.ask(job, then, lambda why: self._answer(dialog, why, "red"))

    def _answer(self, dialog: Dialog, text: str, style: str) -> None:
        """Show an answer in the dialog; in the last line where that was closed."""
        if isinstance(dialog, Form):
            dialog.waits = False
        if dialog.is_attached:
            dialog.say(text, style)
        else:
            self.tell(text, "Answer")


def _words(caller: Caller, order: Order, notes: Iterable[Message]) -> tuple[str, str]:
    """Return the answers and what was measured, as lines, and their colour."""
    lines: list[str] = []
    style = "green"
    answered = False
    for message in notes:
        answered |= message["news"] == "answer"
        if message["news"] == "answer" and not message["ok"]:
            style = "red"
        if (text := line(message)) is not None:
            lines.append(text)
        for segment in segments(message) if message["news"] == "ended" else ():
            if segment[0] == "trip" and segment[1] == "100 %":
                lines.append(
                    f"round trip (µs): min {segment[3]}, mean {segment[4]}, max {segment[5]}"
                )
    if not answered:
        return order.silence(caller), "red"
    return "\n".join(lines), style
