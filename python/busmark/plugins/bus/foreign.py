"""Samples of foreign types, by the types that their writers and readers announce."""

from __future__ import annotations

import importlib.util
import json
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from xml.sax.saxutils import quoteattr

from busmark.errors import UserError
from busmark.launcher import Start, pip_install, python
from busmark.plugins.bus.attachment import LOOPBACK, Attachment, Ending, Process, started
from busmark.plugins.bus.caller import Message
from busmark.plugins.own_types.tools import CYCLONEDDS

PROGRAM = Path(__file__).with_name("dynamic.py")
LAST_PARTICIPANT = 119
"""Highest index of a participant's ports, as the adapter `cyclonedds` has it."""
ANSWER_S = 30.0
"""Time for everything but discovery: the type, a match, acknowledgements."""


def read(
    bus: Attachment, topic: str, wait_s: float, count: int | None, seconds: float | None
) -> Iterator[Message]:
    """Yield the samples of a topic: when they came, the name of their type, and `value`. They end
    after this many, or after this time since the reader has matched.

    Raises:
        UserError: nobody announces the type, or the topic cannot be joined.
    """
    task = {"does": "read", "topic": topic, "wait_s": wait_s}
    with _process(bus, task) as running:
        if "joined" not in _next(running, wait_s, topic):
            return
        end = None if seconds is None else time.monotonic() + seconds
        came = 0
        while count is None or came < count:
            left = None if end is None else end - time.monotonic()
            if left is not None and left <= 0:
                return
            message = running.next(left)
            if message is None:
                return
            if "sample" in (found := _heard(message, topic)):
                came += 1
                yield {"topic": topic, "number": came, **found["sample"]}


def write(
    bus: Attachment,
    topic: str,
    wait_s: float,
    value: Mapping[str, Any],
    members: Sequence[tuple[str, str]],
    count: int,
) -> Message:
    """Write a value this many times to all readers of a topic; return what was written, and how
    many readers there were. `members` are paths with the text of a value each; they take precedence
    over `value`, and what neither has is the type's default.

    Raises:
        UserError: nobody announces the type, or the value is none of it.
    """
    task = {"does": "write", "topic": topic, "wait_s": wait_s}
    with _process(bus, {**task, "count": count, "value": value, "members": members}) as running:
        return {"topic": topic, **_next(running, wait_s, topic)}


def _next(running: Process, wait_s: float, topic: str) -> Message:
    """Return the first message."""
    message = running.next(2 * wait_s + ANSWER_S)
    if message is None:
        raise UserError("Cyclone DDS's Python package does not answer", where=topic)
    return _heard(message, topic)


def _heard(message: Message | Ending, topic: str) -> Message:
    """Return a message; one that is none is an error.

    Raises:
        UserError: what it says.
    """
    if isinstance(message, Ending):
        raise UserError(message.why or "the process that reads and writes has ended", where=topic)
    if "problem" in message:
        raise UserError(message["problem"], where=topic, remedy=message["remedy"])
    if "nobody" in message:
        raise UserError(
            "is not seen by Cyclone DDS, which reads and writes foreign types: it hears who "
            "announces to well-known ports of the interface, over UDP",
            where=topic,
        )
    return message


@contextmanager
def _process(bus: Attachment, task: Message) -> Iterator[Process]:
    if importlib.util.find_spec("cyclonedds") is None:
        raise UserError(
            "the Python package cyclonedds is missing: it reads and writes foreign types",
            remedy=pip_install(CYCLONEDDS),
        )
    text = json.dumps({"domain": bus.domain, **task})
    environment = {**os.environ, "CYCLONEDDS_URI": _configuration(bus)}
    with started(Start(python(PROGRAM, text), environment)) as running:
        yield running


def _configuration(bus: Attachment) -> str:
    """Return Cyclone DDS's configuration for the interface of this bus, as the adapter `cyclonedds`
    has it: loopback has no multicast."""
    interface = f"name={quoteattr(bus.interface)} address={quoteattr(bus.address)}"
    general = f"<Interfaces><NetworkInterface {interface}/></Interfaces>"
    discovery = ""
    if bus.interface == LOOPBACK.interface:
        general += "<AllowMulticast>false</AllowMulticast>"
        discovery = (
            "<ParticipantIndex>auto</ParticipantIndex>"
            f"<MaxAutoParticipantIndex>{LAST_PARTICIPANT}</MaxAutoParticipantIndex>"
            f'<Peers AddLocalhost="false"><Peer Address={quoteattr(bus.address)}/></Peers>'
        )
    return (
        f'<CycloneDDS><Domain Id="any"><General>{general}</General>'
        f"<Discovery>{discovery}</Discovery>"
        "<Tracing><Verbosity>none</Verbosity><OutputFile>stderr</OutputFile></Tracing>"
        "</Domain></CycloneDDS>"
    )
