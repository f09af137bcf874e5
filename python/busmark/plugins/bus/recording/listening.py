"""Hears everything on a bus, as lines of a recording."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any, Self

from busmark import __version__
from busmark.adapters import resolve
from busmark.errors import UserError
from busmark.plugins.bus.attachment import Attachment, Ending, Process, process
from busmark.plugins.bus.recording.model import Header, Heard, Kind, Lost, Stop, What

SECOND_NS = 10**9
JOIN_S = 60.0

NEWS: dict[str, Kind] = {
    "answer": "answer", "joined": "joined", "left": "left", "event": "live", "ended": "result",
}  # fmt: skip


class Listener:
    """A process on the bus that only listens."""

    def __init__(self, running: Process, attachment: Attachment) -> None:
        self._process = running
        first = running.next(JOIN_S)
        if not isinstance(first, dict) or "listener" not in first:
            why = first.why if isinstance(first, Ending) else "no answer"
            raise UserError(why or "no answer", where="the bus cannot be joined")
        self.header = _header(attachment, int(first["listener"]))
        self._unread = 0

    @classmethod
    @contextmanager
    def on(cls, attachment: Attachment) -> Iterator[Self]:
        """A listener on this bus, which leaves with the block."""
        with process("listen", attachment) as running:
            yield cls(running, attachment)

    def next(self, within_s: float) -> What | Ending | None:
        """The next line; None: nothing was heard within that time."""
        if (dropped := self._process.dropped) > self._unread:
            lost, self._unread = dropped - self._unread, dropped
            return Lost(**self._now(), foreign=0, malformed=0, overflow=lost)
        told = self._process.next(within_s)
        return self._line(told) if isinstance(told, dict) else told

    def leave(self) -> None:
        """Hears no more; what was heard before is still to be read, until an `Ending`."""
        self._process.ask_to_go()

    def stop(self, stored: int, why: str) -> Stop:
        """The last line."""
        return Stop(**self._now(), stored=stored, why=why)

    def _line(self, told: dict[str, Any]) -> What:
        stamps = self._stamped(told["monotonic_ns"], told["realtime_ns"])
        if "lost" in told:
            return Lost(**stamps, **told["lost"])
        message = told["message"]
        return Heard(**stamps, what=kind(told["topic"], message), message=message)

    def _now(self) -> dict[str, Any]:
        return self._stamped(time.monotonic_ns(), time.time_ns())

    def _stamped(self, monotonic_ns: int, realtime_ns: int) -> dict[str, Any]:
        # What came while the header was made is not before it.
        since = max(0, monotonic_ns - self.header.monotonic_ns)
        return {"at_s": since / SECOND_NS, "utc": utc(realtime_ns), "monotonic_ns": monotonic_ns}


def kind(topic: str, message: dict[str, Any]) -> Kind:
    """What a message of this topic is."""
    if topic == "orders":
        return "order"
    if topic == "troubles":
        return "trouble" if "trouble" in message else "other"
    news = message.get("news")
    return NEWS.get(news, "other") if isinstance(news, str) else "other"


def utc(realtime_ns: int) -> str:
    """A moment, to the microsecond."""
    seconds, rest = divmod(realtime_ns, SECOND_NS)
    moment = datetime.fromtimestamp(seconds, UTC)
    return f"{moment:%Y-%m-%dT%H:%M:%S}.{rest // 1000:06d}Z"


def _header(attachment: Attachment, listener: int) -> Header:
    can = resolve([attachment.adapter])[attachment.adapter].capabilities or {}
    monotonic_ns, realtime_ns = time.monotonic_ns(), time.time_ns()
    return Header(
        busmark_version=__version__, adapter=attachment.adapter,
        adapter_version=str(can.get("version", "")),
        middleware=str(can.get("middleware_version", "")),
        transport=attachment.transport or can["transports"][0], domain=attachment.domain,
        interface=attachment.interface, address=attachment.address, profile=attachment.profile,
        settings=list(attachment.settings), host=socket.gethostname(), utc=utc(realtime_ns),
        monotonic_ns=monotonic_ns, listener=listener,
    )  # fmt: skip
