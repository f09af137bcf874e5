"""Watches a bus: hears everything that is said there, and asks whoever has been silent for long."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any, Protocol

from busmark.plugins.bus.found import Foreign
from busmark.plugins.bus.seen import Observer, Participant

Message = dict[str, Any]

ASK_S = 3.0
"""Whoever has said nothing for this time is asked which tests it has."""
ASK_AGAIN_S = 3.0
"""Time between two questions to the same participant."""
MOST_ASKED = 8
"""Silent participants that are asked one by one; where there are more, one question goes to all."""
LOOK_S = 0.5
"""Time between two checks for silent participants."""
MOST_AT_ONCE = 50_000
"""Messages that are taken in before what they say is shown."""


class Source(Protocol):
    """A source of messages: a caller on the bus."""

    @property
    def dropped(self) -> int:
        """Messages that came while too many waited."""

    def next(self, within_s: float | None) -> Message | None:
        """Return the next message; None: nothing came within that time."""

    def give(self, to: Any, task: Message) -> None:
        """Give an order, and do not wait."""

    def ask(self, question: Message) -> None:
        """Ask the process on the bus itself."""


class Watching:
    """An observer of the bus, and how it learns more."""

    def __init__(
        self, source: Source, clock: Callable[[], float] = time.monotonic, *, foreign: bool = False
    ) -> None:
        """Watch a bus; `foreign`: also programs that are not Busmark's, if they can be listed."""
        self.seen = Observer()
        self._foreign = Foreign() if foreign else None
        self._awaits_entities = False
        self._source, self._clock = source, clock
        self._asked: dict[int, float] = {}
        """Time at which an instance was asked last, by instance."""
        self._everybody = False
        self._looked_s = 0.0

    def take(self) -> int:
        """Take in what has come, and look at who is silent; return how many messages had come.

        Raises:
            UserError: the process on the bus has ended.
        """
        now = self._clock()
        taken = 0
        while taken < MOST_AT_ONCE:
            message = self._source.next(0)
            if message is None:
                break
            if "entities" in message:
                taken += sum(1 for _ in self._discovered(message))
            elif "ordered" not in message and "refused" not in message:
                taken += 1
                self.seen.hear(message, now)
        self._look(now)
        return taken

    def messages(self, until_s: float | None) -> Iterator[Message]:
        """Yield everything that is said, and what follows from silence, as it comes, until this
        moment of the clock."""
        while True:
            now = self._clock()
            if until_s is not None and now >= until_s:
                return
            wait = LOOK_S if until_s is None else min(LOOK_S, until_s - now)
            message = self._source.next(wait)
            now = self._clock()
            if message is not None and "entities" in message:
                yield from self._discovered(message)
            elif message is not None and "ordered" not in message and "refused" not in message:
                self.seen.hear(message, now)
                yield message
            if now - self._looked_s >= LOOK_S:
                yield from self._look(now)

    def _look(self, now: float) -> list[Message]:
        """Return who is gone, as messages of the watcher's own."""
        self._looked_s = now
        self.seen.dropped = self._source.dropped
        gone: list[Message] = [
            {
                "news": "gone",
                "app": each.app,
                "group": each.group,
                "instance": each.instance,
                "silent_s": round(now - each.heard_s, 1),
                "at_realtime_ns": time.time_ns(),
            }
            for each in self.seen.look(now)
        ]
        for message in gone:
            # A trouble like others; it is no word of the participant.
            self.seen.note(message)
        self._ask(now)
        return gone

    def _discovered(self, message: Message) -> Iterator[Message]:
        """Yield what of foreign programs has come and gone, as messages of the watcher's own."""
        self._awaits_entities = False
        if self._foreign is None:
            return
        answers = [
            {"app": each.app, "group": each.group, "result": each.member}
            for each in self.seen.participants.values()
            if each.member is not None
        ]
        yield from self._foreign.look(message, answers)
        self.seen.foreign = self._foreign.there

    def _ask(self, now: float) -> None:
        if self._foreign is not None and not self._awaits_entities:
            self._awaits_entities = True
            self._source.ask({"entities": {}})
        if not self._everybody:
            self._everybody = True
            self._source.give("all", {"cmd": "list"})
            return
        asked = [each for each in self.seen.participants.values() if self._is_due(each, now)]
        for each in asked:
            self._asked[each.instance] = now
            each.asked += 1
        if len(asked) > MOST_ASKED:
            self._source.give("all", {"cmd": "list"})
            return
        for app in {each.app for each in asked}:
            self._source.give({"app": app}, {"cmd": "list"})

    def _is_due(self, each: Participant, now: float) -> bool:
        if not each.is_there or now - self._asked.get(each.instance, 0.0) < ASK_AGAIN_S:
            return False
        return now - each.heard_s > ASK_S or not each.knows_its_tests
