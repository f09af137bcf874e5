"""Reads a recording line by line, where what is damaged is named by its line, and as a session: its
orders, who answered them and how, which tests ended and how."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from pydantic import ValidationError

from busmark import files
from busmark.errors import UserError
from busmark.plugins.bus.recording.model import (
    VERSION,
    WHAT,
    Header,
    MessageLine,
    Stop,
    What,
    realtime_ns,
)
from busmark.plugins.bus.words import STRANGE, Message, reason

LONGEST_LINE = 1 << 20
"""Bytes of a line: no message of a bus becomes as long."""

RECORDS = "`busmark bus record FILE --adapter NAME` makes a recording."


class Reader:
    """A recording: its header at once, its lines as they are asked for."""

    def __init__(self, path: Path) -> None:
        """Read the header.

        Raises:
            UserError: this is not a recording, or one of another format.
        """
        self.path = path
        self.cut = False
        """Whether the recorder was killed, or has not ended yet; known when all lines were read."""
        self.header = self._header()

    def _open(self) -> IO[bytes]:
        try:
            return files.opened(self.path)
        except OSError as error:
            remedy = RECORDS if isinstance(error, FileNotFoundError) else ""
            raise UserError(
                f"cannot be read: {error.strerror or error}", where=str(self.path), remedy=remedy
            ) from None

    def _header(self) -> Header:
        with self._open() as file:
            line = _line(file, f"{self.path}, line 1")
        if not line:
            raise UserError("is empty", where=str(self.path), remedy=RECORDS)
        try:
            found = _parsed(line)
        except ValueError:
            found = {}
        version = found.get("busmark_recording")
        if not isinstance(version, int) or isinstance(version, bool):
            raise UserError(
                "is not a recording of a bus: line 1 is not its header",
                where=str(self.path),
                remedy=RECORDS,
            )
        if version != VERSION:
            by = found.get("busmark_version")
            by = f" {by}" if isinstance(by, str) and len(by) < 100 else ""
            raise UserError(
                f"is of format {version}; this Busmark reads format {VERSION}",
                where=str(self.path),
                remedy=f"Use the Busmark{by} that recorded it.",
            )
        try:
            return Header.model_validate(found)
        except ValidationError as error:
            raise _damaged(_first(error), f"{self.path}, line 1") from None

    def lines(self) -> Iterator[tuple[int, What]]:
        """Return each further line with its number, from 2.

        An end that is missing, or half a last line, is what a recorder leaves that was killed:
        `cut` says so when all is read.

        Raises:
            UserError: a line is damaged; the message names it.
        """
        self.cut, number = True, 1
        with self._open() as file:
            _line(file, f"{self.path}, line 1")
            while True:
                number += 1
                where = f"{self.path}, line {number}"
                if not (text := _line(file, where)).endswith(b"\n"):
                    return
                if not text.strip():
                    continue
                if not self.cut:
                    raise _damaged("it follows the end of the recording", where)
                try:
                    line = WHAT.validate_python(_parsed(text))
                except ValidationError as error:
                    raise _damaged(_first(error), where) from None
                except ValueError as error:
                    raise _damaged(str(error), where) from None
                self.cut = not isinstance(line, Stop)
                yield number, line


def _line(file: IO[bytes], where: str) -> bytes:
    line = file.readline(LONGEST_LINE + 1)
    if len(line) > LONGEST_LINE:
        raise _damaged(f"it is longer than {LONGEST_LINE:,} bytes", where)
    return line


def _parsed(line: bytes) -> dict[str, Any]:
    """Return the object of a line.

    Raises:
        ValueError: why there is none.
    """
    try:
        found = json.loads(line.decode("utf-8"), parse_constant=_no_number)
    except UnicodeDecodeError:
        raise ValueError("it is not UTF-8") from None
    except json.JSONDecodeError as error:
        raise ValueError(f"it is not JSON: {error.msg} at character {error.pos + 1}") from None
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    if not isinstance(found, dict):
        raise ValueError("it is not a JSON object")
    return found


def _no_number(word: str) -> float:
    raise ValueError(f"{word} is not JSON")


def _damaged(what: str, where: str) -> UserError:
    return UserError(
        f"this line is damaged: {what}",
        where=where,
        remedy="Restore the file, or take this line out: a replay then does without it.",
    )


def _first(error: ValidationError) -> str:
    first = error.errors()[0]
    keys = [str(part) for part in first["loc"] if part not in ("heard", "lost", "stop")]
    return f"{'.'.join(keys) or 'the line'}: {first['msg']}"


SECOND_NS = 1e9
HISTORY_S = 5.0
"""Time within which everything has come that participants keep for the recorder."""

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
    """A recording with everything that is needed to repeat it."""

    adapter: str
    orders: list[Order] = field(default_factory=list)
    answers: dict[Key, dict[int, Message]] = field(default_factory=lambda: defaultdict(dict))
    """The first answer of each application to each order."""
    answered_s: dict[Key, dict[int, float]] = field(default_factory=lambda: defaultdict(dict))
    """Times at which these answers were heard, s."""
    ended: list[tuple[float, int, Test, str]] = field(default_factory=list)
    """Ends of tests: the time at which each was heard, application, test, and why it failed; empty:
    it did not."""
    snapshot: dict[int, tuple[float, Message]] = field(default_factory=dict)
    """Answers to the snapshot at the start of the recording, by application, each with the time at
    which it came."""
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
        if not isinstance(line, MessageLine):
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


def _take(found: Session, number: int, line: MessageLine, own: Key, began_ns: int) -> None:
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
        test = (int(message["test"]), str(message["kind"]))
        found.ended.append((line.at_s, app, test, reason(message)))


def _add(found: Session, order: Order) -> None:
    """Add an order that was heard, or that an answer repeats, once."""
    if not isinstance(order.task["cmd"], str):
        raise ValueError("no command")
    if order.key not in found.known:
        found.known.add(order.key)
        found.orders.append(order)


def _key(message: Message) -> Key:
    return int(message["caller"]), int(message["id"])
