"""Gives orders on a bus, and hears what participants say there."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Self

from busmark.bus.attachment import Attachment, Ending, Process, process
from busmark.errors import UserError

Message = dict[str, Any]
"""As told on the bus: `news` or `trouble` says what it is."""

ANSWER_S = 15.0
"""Whoever is meant gets so long to answer, beside what the order itself may take."""
SILENCE_S = 3.0
"""If several are meant, there are no more answers when none has come for this time."""


class Caller:
    """A process on the bus that gives orders."""

    def __init__(self, running: Process) -> None:
        self._process = running
        self.number = int(self._first()["caller"])
        """By which its orders, and answers to them, are known."""
        self.heard: list[Message] = []
        """What came while an answer was awaited, and was none."""

    def _first(self) -> Message:
        message = self._process.next(60.0)
        if isinstance(message, dict):
            return message
        raise UserError(message.why if message else "the bus cannot be joined: no answer")

    @classmethod
    @contextmanager
    def on(cls, attachment: Attachment, *, live: bool = False) -> Iterator[Self]:
        """A caller on this bus, which leaves with the block; `live`: hears live figures too."""
        with process("call", attachment, ["--live"] if live else []) as running:
            yield cls(running)

    def order(self, to: Any, task: Message) -> int:
        """Gives an order; its number."""
        self._process.give({"to": to, "do": task})
        while True:
            message = self.next(60.0)
            if message is None:
                raise UserError("the order could not be given: the worker does not answer")
            if "refused" in message:
                raise UserError(message["refused"]["message"])
            if "ordered" in message:
                return int(message["ordered"])
            self.heard.append(message)

    def answers(self, number: int, first_s: float, silent_s: float) -> Iterator[Message]:
        """Answers to an order, one of each participant: the first within one time, others until
        none has come for another. With a silence of 0 s only the first."""
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
        """The next message; None: nothing within that time.

        Raises:
            UserError: the process on the bus has ended.
        """
        message = self._process.next(within_s)
        if isinstance(message, Ending):
            raise UserError(message.why or "the process on the bus has ended")
        return message

    def _is_answer(self, message: Message, number: int) -> bool:
        """Whether a participant answers this order, in a form that this release knows."""
        mine = message.get("caller") == self.number and message.get("id") == number
        whole = isinstance(message.get("app"), int) and isinstance(message.get("instance"), int)
        outcome = "result" if message.get("ok") else "error"
        return mine and whole and isinstance(message.get(outcome), dict)

    def messages(self) -> Iterator[Message]:
        """All messages, from those heard before on, until interrupted."""
        yield from self.heard
        self.heard.clear()
        while True:
            message = self.next(None)
            if message is not None:
                yield message
