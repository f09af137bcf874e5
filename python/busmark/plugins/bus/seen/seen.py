"""All that a watcher has seen of a bus."""

from __future__ import annotations

import socket
import time
from collections import deque
from collections.abc import Iterator
from contextlib import suppress

from busmark.plugins.bus.seen.ends import (
    FEWEST_ASKED,
    GONE_S,
    NS,
    End,
    Key,
    Participant,
    definition,
    end_of,
)
from busmark.plugins.bus.words import KINDS, STRANGE, Message, Trouble, trouble

MOST_PARTICIPANTS = 4000
MOST_ENDS = 20_000
MOST_TROUBLES = 5000
"""Participants, ends of tests and troubles that are kept at most; for troubles the latest."""


class Observer:
    """Takes in messages, one after the other. What nobody of this release has written is left out,
    and so is what is beyond the room for it."""

    def __init__(self) -> None:
        self.participants: dict[int, Participant] = {}
        """Participants by instance."""
        self.ends: dict[Key, End] = {}
        self.troubles: deque[Trouble] = deque(maxlen=MOST_TROUBLES)
        self.foreign: dict[str, Message] = {}
        """Entities of foreign programs that are there, by key, if they are looked for."""
        self.messages = 0
        self.dropped = 0
        """Messages that came while too many waited to be taken in."""
        self._begun_ns = time.time_ns()
        self._host = socket.gethostname()
        self._theory = False
        """Whether rates in definitions have changed."""

    def hear(self, message: Message, now_s: float) -> None:
        """Take in a message, which came at this moment of a monotonic clock."""
        self.messages += 1
        with suppress(*STRANGE):
            participant = self._participant(message)
            if participant is None:
                return
            self._alive(participant, message, now_s)
            if found := trouble(message):
                self.troubles.append(found)
            take = _TAKES.get(message.get("news", ""))
            if take:
                take(self, participant, message)

    def look(self, now_s: float) -> list[Participant]:
        """Return what follows from the time that has gone by: who is gone since the last look."""
        for each in self.participants.values():
            each.looked_s = now_s
        if self._theory:
            self._theory = False
            self._theorise()
        gone = [
            each
            for each in self.participants.values()
            if each.is_there and each.asked >= FEWEST_ASKED and now_s - each.heard_s > GONE_S
        ]
        for participant in gone:
            self._went(participant)
        return gone

    def _participant(self, message: Message) -> Participant | None:
        """Return who says this."""
        instance, app, group = message["instance"], message["app"], message.get("group")
        known = self.participants.get(instance)
        if known is None and len(self.participants) < MOST_PARTICIPANTS:
            if not (isinstance(instance, int) and isinstance(app, int)):
                return None
            known = Participant(app, group if isinstance(group, int) else None, instance)
            self.participants[instance] = known
        return known

    @staticmethod
    def _alive(participant: Participant, message: Message, now_s: float) -> None:
        participant.said_ns = max(participant.said_ns, int(message["at_realtime_ns"]))
        participant.heard_s, participant.asked = now_s, 0
        participant.gone = False

    def _went(self, participant: Participant) -> None:
        participant.gone = True
        self._theory = True

    def note(self, message: Message) -> None:
        """Keep a trouble of the watcher's own."""
        if found := trouble(message):
            self.troubles.append(found)

    def _joined(self, participant: Participant, message: Message) -> None:
        participant.member = dict(message["member"])
        participant.joined_ns = at = int(message["at_realtime_ns"])
        heard = message.get("heard_realtime_ns")
        here = participant.word("host") == self._host
        if heard is not None and here and self._begun_ns < at < heard:
            participant.found_s = (heard - at) / NS
        # A number is nobody else's: whoever had it before has gone without a word.
        for other in self.participants.values():
            if other.app == participant.app and other.said_ns < at and other is not participant:
                self._went(other)

    def _left(self, participant: Participant, _: Message) -> None:
        participant.left = True

    def _answer(self, participant: Participant, message: Message) -> None:
        result = message.get("result") or {}
        at = int(message["at_realtime_ns"])
        if "writers" in result:
            for writer in result["writers"]:
                end = self._end(participant, result["kind"], result["test"], writer, at)
                if end is not None and end.at_ns <= at:
                    end.state = "running"
            participant.knows_its_tests = False
        elif "changed" in result:
            participant.knows_its_tests = False
        elif "tests" in result and at > participant.listed_ns:
            self._listed(participant, result, at)

    def _listed(self, participant: Participant, result: Message, at: int) -> None:
        tests = [definition(test) for test in result["tests"]]
        participant.listed_ns, participant.knows_its_tests = at, True
        participant.member = {key: value for key, value in result.items() if key != "tests"}
        participant.tests = {(test["kind"], test["test"]): test for test in tests}
        self._theory = True
        for (kind, test), described in participant.tests.items():
            for number in range(described["count"]):
                end = self._end(participant, kind, test, number, at)
                if end is not None:
                    end.state = described["state"]
                    end.described(described)
        for end in self._ends_of(participant):
            # It has ended, and how is not known: that was said before the watcher came.
            if end.is_live and (end.kind, end.test) not in participant.tests and end.at_ns < at:
                end.state = "ended"

    def _event(self, participant: Participant, message: Message) -> None:
        event, kind, test = message["event"], message["kind"], message["test"]
        if event["event"] != "interval":
            return
        at = int(message["at_realtime_ns"])
        seconds = (event["end_ns"] - event["begin_ns"]) / NS
        counts: dict[int, list[Message]] = {}
        for count in event["counts"]:
            counts.setdefault(count["role"], []).append(count)
        for role, counted in counts.items():
            if end := self._fresh(participant, kind, test, role, at):
                end.counted(counted, seconds)
        for look in event.get("seen", ()):
            if end := self._fresh(participant, kind, test, look["role"], at):
                end.seen(look)

    def _ended(self, participant: Participant, message: Message) -> None:
        kind, test, at = message["kind"], int(message["test"]), int(message["at_realtime_ns"])
        participant.tests.pop((kind, test), None)
        error = message.get("error")
        roles = (message.get("result") or {}).get("roles") or []
        for role in roles:
            if end := self._fresh(participant, kind, test, role["writer"], at):
                end.accounted(role)
        for end in self._ends_of(participant):
            if (end.kind, end.test) == (kind, test) and end.at_ns <= at:
                end.at_ns, end.state = at, "failed" if error else "ended"
                end.error = str(error["message"]) if error else ""

    def _fresh(
        self, participant: Participant, kind: str, test: int, role: int, at: int
    ) -> End | None:
        """Return the end that says something; None: that is older than what is known of it."""
        end = self._end(participant, kind, test, role, at)
        if end is None or at < end.at_ns:
            return None
        if not end.is_live:
            # Another test of the same number, begun since.
            end = self._new(participant, kind, test, end.number, at)
        end.at_ns = at
        return end

    def _end(
        self, participant: Participant, kind: str, test: int, role: int, at: int
    ) -> End | None:
        number = end_of(role)
        end = self.ends.get((participant.instance, kind, test, number))
        if end is None and len(self.ends) < MOST_ENDS and kind in KINDS:
            end = self._new(participant, kind, int(test), number, at)
        return end

    def _new(self, participant: Participant, kind: str, test: int, number: int, at: int) -> End:
        end = End(participant, kind, test, number, begun_ns=at)
        if described := participant.tests.get((kind, test)):
            end.described(described)
        else:
            participant.knows_its_tests = False
        self.ends[end.key] = end
        self._theory = True
        return end

    def _ends_of(self, participant: Participant) -> Iterator[End]:
        return (end for end in self.ends.values() if end.participant is participant)

    def _theorise(self) -> None:
        """Compute the rate that each end should reach, by its definition or the other ends'."""
        sent: dict[tuple[int, int], float | None] = {}
        for each in self.participants.values():
            for (kind, test), described in each.tests.items() if each.is_there else ():
                if kind == "transmitter":
                    rate = described["rate_hz"] * described["count"]
                    sent[each.app, test] = rate or None
        for end in self.ends.values():
            if end.kind == "receiver" and not end.by_number:
                rates = [sent.get((app, end.test)) for app in end.peers]
                known = [rate for rate in rates if rate is not None]
                end.theoretical_hz = sum(known) if known and len(known) == len(rates) else None
            elif end.kind == "transceiver":
                end.theoretical_hz = end.ordered_hz


_TAKES = {
    "joined": Observer._joined,
    "left": Observer._left,
    "answer": Observer._answer,
    "event": Observer._event,
    "ended": Observer._ended,
}
