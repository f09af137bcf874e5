"""Live figures as far as they are needed: round trips and segments of a message stay text until
somebody looks at them. A watcher of many ends shows few of them, and they are most of the text."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydantic_core import from_json

from busmark.plugins.bus.words import Message

TRIPS = (b'"round_trips_ns":', b"[", b"]")
SEGMENTS = (b'"segments":', b'{"', b"}]}")
"""A key, and how the text that follows it begins and ends. Nothing in quotes can look like it."""
NUMBERS = b"0123456789,"


class Unread(bytes):
    """JSON that was not read yet."""

    __slots__ = ()


def sparing(line: bytes) -> Any:
    """Return the message of this line, as `from_json` does, but with round trips and segments of
    live figures as `Unread`.

    Raises:
        ValueError: it is no JSON.
    """
    if b'"seen":[' not in line:
        return from_json(line)
    kept: list[Unread] = []
    rest = _without(_without(line, *SEGMENTS, kept), *TRIPS, kept)
    try:
        message = from_json(rest)
        placed = sum(_placed(look, kept) for look in message["event"]["seen"])
    except (LookupError, TypeError, ValueError, AttributeError):
        return from_json(line)
    # Whoever else writes these words elsewhere is read as it is written.
    return message if placed == len(kept) else from_json(line)


def _without(line: bytes, key: bytes, first: bytes, last: bytes, kept: list[Unread]) -> bytes:
    """Return the line with a number in place of each text of this key: its index in `kept`."""
    head, at = key + first, 0
    parts: list[bytes] = []
    while (begin := line.find(head, at)) >= 0:
        begin += len(key)
        end = line.find(last, begin) + len(last)
        if end < len(last):
            break
        parts += line[at:begin], b"%d" % len(kept)
        kept.append(Unread(line[begin:end]))
        at = end
    if not parts:
        return line
    return b"".join((*parts, line[at:]))


def _placed(look: Message, kept: list[Unread]) -> int:
    """Put what was kept in the place of its numbers; return how many these were."""
    placed = 0
    for key in ("segments", "round_trips_ns"):
        number = look.get(key)
        if type(number) is int:
            look[key] = kept[number]
            placed += 1
    return placed


def read(text: Any) -> Any:
    """Return the value, be it read or not.

    Raises:
        ValueError: it is no JSON.
    """
    return from_json(text) if isinstance(text, Unread) else text


def numbers(text: Any) -> NDArray[np.int64]:
    """Return whole numbers, be they read or not.

    Raises:
        TypeError, ValueError, OverflowError: they are none.
    """
    if isinstance(text, Unread):
        inside = text[1:-1]
        if inside and not inside.translate(None, NUMBERS):
            found = np.fromstring(inside, dtype=np.int64, sep=",")
            if len(found) == inside.count(b",") + 1:
                return found
    return np.array(read(text), dtype=np.int64)
