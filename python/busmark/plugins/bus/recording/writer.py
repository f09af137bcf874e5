"""A recording as it is made: what is heard on a bus, written line by line."""

from __future__ import annotations

import json
import os
import socket
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Self

from busmark import __version__
from busmark.adapters import resolve
from busmark.errors import UserError
from busmark.files import append_line, created
from busmark.plugins.bus.attachment import Attachment, Ending, Process, process
from busmark.plugins.bus.recording.model import (
    GapLine,
    Header,
    Kind,
    MessageLine,
    RecordingLine,
    Stop,
    What,
)

MIB = 1 << 20


class Writer:
    """A new recording."""

    def __init__(self, path: Path, most_bytes: int) -> None:
        """Make the file.

        Raises:
            UserError: there is such a file already, or none can be made there.
        """
        absent(path)
        try:
            # Exclusively: between two recorders that begin at once, one wins.
            self._file = created(path)
        except OSError as error:
            raise _not_written(path, error, 0) from None
        self._path = path
        self._most_bytes = most_bytes
        self._bytes = 0
        self.counts: Counter[str] = Counter()
        """Messages stored, by what they are."""
        self.lost: Counter[str] = Counter()
        """Samples that are not stored, by why."""

    @property
    def stored(self) -> int:
        """Number of messages in the recording."""
        return self.counts.total()

    def begin(self, header: Header) -> None:
        """Write the first line; without it there is no recording."""
        try:
            self._append(header)
        except BaseException:
            self.close()
            with suppress(OSError):
                os.unlink(self._path)
            raise

    def add(self, line: RecordingLine) -> None:
        """Write any further line.

        Raises:
            UserError: it cannot be stored; the file is whole up to the line before.
        """
        self._append(line)
        if isinstance(line, MessageLine):
            self.counts[line.what] += 1
        if isinstance(line, GapLine):
            self.lost += Counter(
                foreign=line.foreign, malformed=line.malformed, overflow=line.overflow
            )

    def _append(self, line: RecordingLine) -> None:
        text = json.dumps(line.model_dump(mode="json"), ensure_ascii=False) + "\n"
        data = text.encode("utf-8", "backslashreplace")
        if self._bytes + len(data) > self._most_bytes:
            raise UserError(
                f"the recording has {self._bytes / MIB:,.1f} MiB and {self.stored:,} messages: "
                "the next one is beyond the limit",
                where=str(self._path),
                remedy="Allow more with --most, or stop who floods the bus.",
            )
        try:
            append_line(self._file, data)
        except OSError as error:
            raise _not_written(self._path, error, self.stored) from None
        self._bytes += len(data)

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def absent(path: Path) -> None:
    """Check that no file is overwritten.

    Raises:
        UserError: there is one of this name.
    """
    if path.exists() or path.is_symlink():
        raise UserError(
            "is there already, and no recording is overwritten",
            where=str(path),
            remedy="Name another file, or remove this one.",
        )


def _not_written(path: Path, error: OSError, stored: int) -> UserError:
    kept = f"; the {stored:,} messages before are in it" if stored else ""
    return UserError(
        f"cannot be written: {error.strerror or error}{kept}",
        where=str(path),
        remedy="Make room, or name a file elsewhere.",
    )


SECOND_NS = 10**9
JOIN_S = 60.0

NEWS: dict[str, Kind] = {
    "answer": "answer",
    "joined": "joined",
    "left": "left",
    "event": "live",
    "ended": "result",
}


class Listener:
    """A process on the bus that only listens."""

    def __init__(self, running: Process, attachment: Attachment) -> None:
        self._process = running
        first = running.next(JOIN_S)
        if not isinstance(first, dict) or "caller" not in first:
            why = first.why if isinstance(first, Ending) else "no answer"
            raise UserError(why or "no answer", where="the bus cannot be joined")
        self.header = _header(attachment, int(first["caller"]))
        self._unread = 0

    @classmethod
    @contextmanager
    def on(cls, attachment: Attachment) -> Iterator[Self]:
        """Return a listener on this bus, which leaves with the block."""
        with process("call", attachment, ["--record"]) as running:
            yield cls(running, attachment)

    def next(self, within_s: float) -> What | Ending | None:
        """Return the next line; None: nothing was heard within that time."""
        if (dropped := self._process.dropped) > self._unread:
            lost, self._unread = dropped - self._unread, dropped
            return GapLine(**self._now(), foreign=0, malformed=0, overflow=lost)
        received = self._process.next(within_s)
        return self._line(received) if isinstance(received, dict) else received

    def leave(self) -> None:
        """Hear no more; what was heard before is still to be read, until an `Ending`."""
        self._process.ask_to_go()

    def stop(self, stored: int, why: str) -> Stop:
        """Return the last line."""
        return Stop(**self._now(), stored=stored, why=why)

    def _line(self, received: dict[str, Any]) -> What:
        stamps = self._stamped(received["monotonic_ns"], received["realtime_ns"])
        if "lost" in received:
            return GapLine(**stamps, **received["lost"])
        message = received["message"]
        return MessageLine(**stamps, what=kind(received["topic"], message), message=message)

    def _now(self) -> dict[str, Any]:
        return self._stamped(time.monotonic_ns(), time.time_ns())

    def _stamped(self, monotonic_ns: int, realtime_ns: int) -> dict[str, Any]:
        # What came while the header was made is not before it.
        since = max(0, monotonic_ns - self.header.monotonic_ns)
        return {"at_s": since / SECOND_NS, "utc": utc(realtime_ns), "monotonic_ns": monotonic_ns}


def kind(topic: str, message: dict[str, Any]) -> Kind:
    """Return what a message of this topic is."""
    if topic == "orders":
        return "order"
    if topic == "troubles":
        return "trouble" if "trouble" in message else "other"
    news = message.get("news")
    return NEWS.get(news, "other") if isinstance(news, str) else "other"


def utc(realtime_ns: int) -> str:
    """Return a moment, to the microsecond."""
    seconds, rest = divmod(realtime_ns, SECOND_NS)
    moment = datetime.fromtimestamp(seconds, UTC)
    return f"{moment:%Y-%m-%dT%H:%M:%S}.{rest // 1000:06d}Z"


def _header(attachment: Attachment, listener: int) -> Header:
    can = resolve([attachment.adapter])[attachment.adapter].capabilities or {}
    monotonic_ns, realtime_ns = time.monotonic_ns(), time.time_ns()
    return Header(
        busmark_version=__version__,
        adapter=attachment.adapter,
        adapter_version=str(can.get("version", "")),
        middleware=str(can.get("middleware_version", "")),
        transport=attachment.transport or can["transports"][0],
        domain=attachment.domain,
        interface=attachment.interface,
        address=attachment.address,
        profile=attachment.profile,
        settings=list(attachment.settings),
        host=socket.gethostname(),
        utc=utc(realtime_ns),
        monotonic_ns=monotonic_ns,
        listener=listener,
    )
