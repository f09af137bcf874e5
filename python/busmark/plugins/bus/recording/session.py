"""A recording as a session: its orders, who answered them and how, which tests ended and how."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any

from busmark.plugins.bus.recording.model import Heard, realtime_ns
from busmark.plugins.bus.recording.reader import Reader

SECOND_NS = 1e9
HISTORY_S = 5.0
"""What participants have kept for the recorder has come in this time."""

Message = dict[str, Any]
Key = tuple[int, int]
"""Caller of an order, and its number."""
Test = tuple[int, str]
"""Number of a test, and its kind."""


@dataclass(frozen=True)
class Order:
    """An order as it was heard first."""

    line: int
    at_s: float
    key: Key
    to: Any
    task: Message


@dataclass
class Session:
    """What is needed to do it again."""

    adapter: str
    orders: list[Order] = field(default_factory=list)
    answers: dict[Key, dict[int, Message]] = field(default_factory=lambda: defaultdict(dict))
    """The first answer of each application to each order."""
    answered_s: dict[Key, dict[int, float]] = field(default_factory=lambda: defaultdict(dict))
    """When they were heard."""
    ended: list[tuple[float, int, Test, str]] = field(default_factory=list)
    """When it was heard, application, test, and why it failed; empty: it did not."""
    snapshot: dict[int, tuple[float, Message]] = field(default_factory=dict)
    """By application: when it answered the snapshot at the begin of the recording, and the
    answer."""
    members: dict[int, set[int]] = field(default_factory=lambda: defaultdict(set))
    """Applications, and the numbers of their processes."""
    groups: dict[int, int | None] = field(default_factory=dict)
    """Group of each application."""
    known: set[Key] = field(default_factory=set)
    """Keys of all orders."""
    length_s: float = 0.0
    messages: int = 0
    unreadable: int = 0
    """Orders and answers that no caller and no participant of this release has written."""
    twice: set[int] = field(default_factory=set)
    """Applications of which two answered the same order."""
    cut: bool = False
    """The recorder was killed."""
    before: set[Key] = field(default_factory=set)
    """Orders that were carried out before the recording began: participants keep their last answers
    for whoever joins late."""


STRANGE = (LookupError, TypeError, ValueError, AttributeError)


def session(reader: Reader) -> Session:
    """Read a recording.

    Raises:
        UserError: a line is damaged.
    """
    header = reader.header
    found = Session(header.adapter)
    own = (header.listener, 1)
    began_ns = realtime_ns(header.utc)
    for number, line in reader.lines():
        found.length_s = max(found.length_s, line.at_s)
        if not isinstance(line, Heard):
            continue
        found.messages += 1
        try:
            _take(found, number, line, own, began_ns)
        except STRANGE:
            found.unreadable += line.what in ("order", "answer", "result")
    found.cut = reader.cut
    found.orders = [order for order in found.orders if order.key not in found.before]
    found.orders.sort(key=lambda order: order.at_s)
    return found


def _take(found: Session, number: int, line: Heard, own: Key, began_ns: int) -> None:
    message = line.message
    if line.what == "order":
        _add(found, Order(number, line.at_s, _key(message), message["to"], dict(message["do"])))
        return
    app, instance = int(message["app"]), int(message["instance"])
    if line.what in ("answer", "joined", "result", "live"):
        found.members[app].add(instance)
        group = message.get("group")
        found.groups[app] = group if isinstance(group, int) else None
    sent_ns = int(message["at_realtime_ns"])
    # Later, an old time can only be of a clock that is behind.
    kept = line.at_s < HISTORY_S
    if line.what == "answer":
        key = _key(message)
        if order := message.get("order"):
            heard_ns = int(order["heard_realtime_ns"])
            if kept and heard_ns < began_ns:
                found.before.add(key)
                return
            at_s = max(0.0, line.at_s - (sent_ns - heard_ns) / SECOND_NS)
            _add(found, Order(number, at_s, key, order["to"], dict(order["do"])))
        answers = found.answers[key]
        if app in answers and answers[app]["instance"] != instance:
            found.twice.add(app)
        answers.setdefault(app, message)
        found.answered_s[key].setdefault(app, line.at_s)
        if key == own and message["ok"]:
            found.snapshot.setdefault(app, (line.at_s, dict(message["result"])))
    if line.what == "result" and not (kept and sent_ns < began_ns):
        error = message.get("error")
        why = str(error["message"]) if error else ""
        found.ended.append((line.at_s, app, (int(message["test"]), str(message["kind"])), why))


def _add(found: Session, order: Order) -> None:
    """Add an order that was heard, or that an answer repeats, once."""
    if not isinstance(order.task["cmd"], str):
        raise ValueError("no command")
    if order.key not in found.known:
        found.known.add(order.key)
        found.orders.append(order)


def _key(message: Message) -> Key:
    return int(message["caller"]), int(message["id"])
