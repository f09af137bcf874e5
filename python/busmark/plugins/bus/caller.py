"""Gives orders on a bus, and hears what participants say there."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Self

from busmark.errors import UserError
from busmark.plugins.bus.attachment import READING, Attachment, Ending, Process, Reading, process

Message = dict[str, Any]
"""A message as it is sent on the bus: `news` or `trouble` says what it is."""

ANSWER_S = 15.0
"""Time to answer, besides what the order itself may take."""
SILENCE_S = 3.0
"""If several are meant, there are no more answers when none has come for this time."""


class Caller:
    """A process on the bus that gives orders."""

    def __init__(self, running: Process, attachment: Attachment) -> None:
        self._process, self.attachment = running, attachment
        self.number = int(self._first()["caller"])
        """Number in its orders, and in answers to them."""
        self.heard: list[Message] = []
        """Messages that came while an answer was awaited, and were none."""
        self.ordered_ns = 0
        """When the last order was given, by CLOCK_MONOTONIC."""

    def _first(self) -> Message:
        message = self._process.next(60.0)
        if isinstance(message, dict):
            return message
        raise UserError(message.why if message else "the bus cannot be joined: no answer")

    @classmethod
    @contextmanager
    def on(
        cls,
        attachment: Attachment,
        *,
        live: bool = False,
        stamped: bool = False,
        reading: Reading = READING,
    ) -> Iterator[Self]:
        """Yield a caller on this bus, which leaves with the block; `live`: it hears live figures
        too; `stamped`: each message has the moment at which it came, `heard_realtime_ns`."""
        words = ["--live"] if live else []
        with process("call", attachment, words, stamped=stamped, reading=reading) as running:
            yield cls(running, attachment)

    @property
    def dropped(self) -> int:
        """Messages that came while too many waited to be read."""
        return self._process.dropped

    @property
    def is_there(self) -> bool:
        """Return whether its process still runs."""
        return self._process.runs

    def leave(self) -> None:
        """Ask the process to leave: whoever waits for a message of it learns that it has ended.
        Another thread may call this."""
        self._process.ask_to_go()

    def give(self, to: Any, task: Message) -> None:
        """Give an order, and do not wait until it is on its way."""
        self._process.give({"to": to, "do": task})

    def order(self, to: Any, task: Message) -> int:
        """Give an order and return its number."""
        self.give(to, task)
        while True:
            message = self.next(60.0)
            if message is None:
                raise UserError(
                    "the order could not be given: the process on the bus does not answer"
                )
            if "refused" in message:
                raise UserError(message["refused"]["message"])
            if "ordered" in message:
                self.ordered_ns = int(message["at_ns"])
                return int(message["ordered"])
            self.heard.append(message)

    def ask(self, question: Message) -> None:
        """Ask the process on the bus itself, and nobody else there."""
        self._process.give({"ask": question})

    def text(self, key: str, within_s: float = 60.0) -> Message | None:
        """Return the next message that has this key; None: none in time. Keep others in `heard`.

        Raises:
            UserError: the question is refused.
        """
        end = time.monotonic() + within_s
        while (left := end - time.monotonic()) > 0:
            message = self.next(left)
            if message is None:
                break
            if "refused" in message:
                raise UserError(message["refused"]["message"])
            if key in message:
                return message
            self.heard.append(message)
        return None

    def entities(self) -> Message:
        """Return what the middleware has discovered on this bus.

        Raises:
            UserError: the adapter does not list it.
        """
        self.ask({"entities": {}})
        message = self.text("entities")
        if message is None:
            raise UserError("the process on the bus does not say what is there")
        return message

    def answered(self, number: int) -> list[Message]:
        """Return answers to an order that came during another wait, taken out of `heard`."""
        found = [message for message in self.heard if self._is_answer(message, number)]
        self.heard = [message for message in self.heard if message not in found]
        return found

    def answers(self, number: int, first_s: float, silent_s: float) -> Iterator[Message]:
        """Yield the answers to an order, one of each participant: the first within `first_s`,
        others until none has come for `silent_s`. With a silence of 0 s, yield only the first."""
        end = time.monotonic() + first_s
        answered: set[int] = set()
        while (left := end - time.monotonic()) > 0:
            message = self.next(left)
            if message is None:
                return
            if not self._is_answer(message, number):
                self.heard.append(message)
            # Where orders are repeated, so are answers.
            elif message["instance"] not in answered:
                answered.add(message["instance"])
                yield message
                end = time.monotonic() + silent_s

    def next(self, within_s: float | None) -> Message | None:
        """Return the next message; None: nothing came within that time.

        Raises:
            UserError: the process on the bus has ended.
        """
        message = self._process.next(within_s)
        if isinstance(message, Ending):
            raise UserError(message.why or "the process on the bus has ended")
        return message

    def take_heard(self) -> list[Message]:
        """Return what came while an answer was awaited, once."""
        heard, self.heard = self.heard, []
        return heard

    def _is_answer(self, message: Message, number: int) -> bool:
        """Return whether a participant answers this order, in a form that this release knows."""
        mine = message.get("caller") == self.number and message.get("id") == number
        whole = isinstance(message.get("app"), int) and isinstance(message.get("instance"), int)
        outcome = "result" if message.get("ok") else "error"
        return mine and whole and isinstance(message.get(outcome), dict)

    def messages(self, seconds: float | None = None) -> Iterator[Message]:
        """Yield all messages, from those heard before on, until interrupted or for this time."""
        end = None if seconds is None else time.monotonic() + seconds
        yield from self.take_heard()
        while end is None or time.monotonic() < end:
            message = self.next(None if end is None else max(0.0, end - time.monotonic()))
            if message is not None:
                yield message
