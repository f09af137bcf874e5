"""How a process of this machine attaches to the middleware of a bus."""

from __future__ import annotations

import json
import os
import queue
import tempfile
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from pydantic_core import from_json

from busmark.adapters import (
    BUS,
    Adapter,
    bus,
    environment,
    not_startable,
    resolve,
    worker,
)
from busmark.carriers import meets_at_server
from busmark.errors import UserError, nearest
from busmark.launcher import DEVNULL, MOST_PRINTED, PIPE, Launched, Start
from busmark.nodes.site import Address, address_of
from busmark.platform import widen_pipe
from busmark.processes import signal_name

PATIENCE_S = 20.0
"""Time to list the interfaces of this machine."""
GOING_S = 8.0
"""Time that a process that is to end gets to say so to the others."""
MOST_WAITING = 20_000
"""Messages that wait to be read; later ones are dropped."""
CHUNK = 1 << 18
"""Bytes that are read at once."""
CLOSE_S = 0.01
"""Lines that come within this time of each other are read together."""
GATHER_S = 0.02
"""Time for which lines are gathered by default."""
LONGEST_WORDS = 1 << 16
"""Bytes of a line of errors; a longer one comes in pieces."""
MOST_ERRORS = 20
"""Lines of a process's standard error that are kept for an error."""


@dataclass(frozen=True)
class Ending:
    """A process has ended: why, in words; empty: as it should."""

    why: str


LOOPBACK = Address("lo", "127.0.0.1")
"""Address of a bus by default."""


def completed(interface: str | None, address: str | None) -> tuple[str, str]:
    """Return interface and address, the one that is not named by what this machine has.

    Raises:
        UserError: it has no such interface or address.
    """
    if interface and address:
        return interface, address
    wanted = Address(interface or "", address or "") if interface or address else LOOPBACK
    if wanted == LOOPBACK:
        return wanted.interface, wanted.address
    try:
        found = address_of(wanted, _interfaces(), "")
    except LookupError as error:
        where = "--interface" if interface else "--address"
        raise UserError(str(error), where=where) from None
    return found.interface, found.address


def _interfaces() -> list[dict[str, Any]]:
    """Return the addresses of this machine's interfaces that are up: name, address, loopback."""
    with Launched(Start([str(worker()), "interfaces"]), None, stdin=DEVNULL) as asked:
        said, _ = asked.complete(PATIENCE_S)
    found: list[dict[str, Any]] = json.loads(said or "[]")
    return sorted(found, key=lambda each: ":" in each["address"])


@dataclass(frozen=True)
class Attachment:
    """Adapter, domain and network of a bus. Whoever names the same is on the same bus."""

    adapter: str
    transport: str = ""
    """Transport; empty: the adapter's first."""
    domain: int = 0
    interface: str = "lo"
    address: str = "127.0.0.1"
    profile: str = "default"
    settings: tuple[str, ...] = ()
    """Adapter options, each KEY=VALUE."""

    def elsewhere(self) -> str:
        """Return which other interfaces this machine has, as a sentence: who uses one of them is
        not seen here. Empty: there is none."""
        others = {
            each["name"]: each["address"]
            for each in reversed(_interfaces())
            if each["name"] != self.interface
        }
        if not others:
            return ""
        named = ", ".join(f"{name} ({address})" for name, address in sorted(others.items()))
        return (
            f"This command uses {self.interface} alone. Programs on another interface of this "
            f"machine, {named}, are seen with --interface {min(others)}"
        )

    def offers(self) -> Sequence[str]:
        """Return the values of QoS policies that the adapter declares."""
        capabilities = resolve([self.adapter])[self.adapter].capabilities
        return list((capabilities or {}).get("qos", ()))

    def words(self) -> str:
        """Return adapter and domain, for a heading."""
        return f"{self.adapter} domain {self.domain}"

    def arguments(self) -> list[str]:
        """Return the arguments of the program that say how to attach.

        Raises:
            UserError: the adapter cannot be used, or does not have such a transport or option.
        """
        adapter = resolve([self.adapter])[self.adapter]
        if adapter.capabilities is None or not adapter.usable:
            raise UserError(str(adapter.reason), where=self.adapter)
        config = {
            "domain": self.domain,
            "interface_name": self.interface,
            "interface_address": self.address,
            "transport": self._transport(adapter.capabilities),
            "profile": self.profile,
            "run_dir": str(_folder()),
            "settings": self._settings(adapter),
        }
        return [str(adapter.path), "--config", json.dumps(config)]

    def _transport(self, capabilities: dict[str, Any]) -> str:
        known: list[str] = capabilities["transports"]
        if not self.transport:
            return known[0]
        if self.transport not in known:
            raise UserError(
                f"{self.adapter} has no transport {self.transport!r}",
                where="--transport",
                remedy=nearest(self.transport, known, f"It has {', '.join(known)}."),
            )
        return self.transport

    def _settings(self, adapter: Adapter) -> list[list[str]]:
        known = [option["key"] for option in (adapter.capabilities or {})["options"]]
        found = []
        for setting in self.settings:
            key, equals, value = setting.partition("=")
            if not equals:
                raise UserError(f"{setting!r} is not KEY=VALUE", where="--set")
            if key not in known:
                raise UserError(
                    f"{self.adapter} has no option {key!r}",
                    where="--set",
                    remedy=nearest(key, known, f"It has {', '.join(known) or 'none'}."),
                )
            found.append([key, value])
        chosen = dict(found)
        if meets_at_server(adapter.capabilities, chosen) and not chosen.get("server"):
            raise UserError(
                f"participants of {self.adapter} meet at a server",
                where=self.adapter,
                remedy="Name a running one with --set server=HOST:PORT.",
            )
        return found


def _folder() -> Path:
    """Return the folder for sockets, which participants of one user on this host share."""
    path = Path(tempfile.gettempdir()) / f"busmark-bus-{os.getuid()}"
    with suppress(FileExistsError):
        path.mkdir(mode=0o700)
    if path.is_symlink() or not path.is_dir() or path.stat().st_uid != os.getuid():
        raise UserError("is not a folder of yours", where=str(path), remedy="Remove it.")
    return path


@dataclass(frozen=True)
class Reading:
    """How lines of a process become messages."""

    read: Callable[[bytes], Any] = from_json
    gather_s: float = GATHER_S
    """Lines that follow each other closely are read together after this time."""


READING = Reading()


class Process:
    """A process on the bus: its lines as messages, and how it ended."""

    def __init__(self, start: Start, *, stamped: bool = False, reading: Reading = READING) -> None:
        self._stamped, self._reading = stamped, reading
        self.dropped = 0
        """Messages that came while too many waited to be read."""
        try:
            self._process = Launched(start, None, stderr=PIPE)
        except OSError as error:
            raise not_startable(Path(start.command[0]), error, BUS) from None
        self._chunks: queue.SimpleQueue[tuple[list[bytes], int] | None] = queue.SimpleQueue()
        """Lines that came together, and when; None: there are no more."""
        self._lines: deque[tuple[bytes, int]] = deque()
        """Lines that are read next."""
        self._put = self._taken = 0
        self._errors: list[str] = []
        self._readers = [
            threading.Thread(target=self._read, daemon=True),
            threading.Thread(target=self._read_errors, daemon=True),
        ]
        for reader in self._readers:
            reader.start()

    def _read(self) -> None:
        rest, last_s = b"", 0.0
        with suppress(OSError, ValueError):
            source = os.dup(self._process.output.fileno())
            # Room for what comes while lines gather.
            widen_pipe(source, 4 * CHUNK)
            with os.fdopen(source, "rb", buffering=0):
                while chunk := os.read(source, CHUNK):
                    *lines, rest = (rest + chunk).split(b"\n")
                    if len(rest) > MOST_PRINTED:  # a line without end
                        self._process.kill()
                        break
                    # A terminal that is stopped must not hold up the participant.
                    room = max(0, MOST_WAITING - (self._put - self._taken))
                    self.dropped += max(0, len(lines) - room)
                    if kept := lines[:room]:
                        self._put += len(kept)
                        self._chunks.put((kept, time.time_ns()))
                    # Many wake-ups for a line each would cost more than the lines.
                    if len(chunk) < CHUNK and time.monotonic() - last_s < CLOSE_S:
                        time.sleep(self._reading.gather_s)
                    last_s = time.monotonic()
        self._chunks.put(None)

    def _read_errors(self) -> None:
        with suppress(OSError, ValueError):
            # Whole lines of an unbuffered stream, which its owner may close meanwhile.
            stream = os.fdopen(os.dup(self._process.errors.fileno()), "rb")
            for line in iter(partial(stream.readline, LONGEST_WORDS), b""):
                self._errors.append(line.decode(errors="replace").strip())
                del self._errors[:-MOST_ERRORS]

    def give(self, order: dict[str, Any]) -> None:
        """Write an order to it, as a line of input."""
        self._process.write(json.dumps(order).encode() + b"\n")

    def next(self, within_s: float | None) -> dict[str, Any] | Ending | None:
        """Return its next message, or how it ended; None: nothing within that time."""
        end = None if within_s is None else time.monotonic() + within_s
        while True:
            while self._lines:
                line, at_ns = self._lines.popleft()
                self._taken += 1
                if (message := self._message(line, at_ns)) is not None:
                    return message
            left = None if end is None else max(0.0, end - time.monotonic())
            try:
                chunk = self._chunks.get(timeout=left)
            except queue.Empty:
                return None
            if chunk is None:
                self._chunks.put(None)
                return Ending(self._why())
            lines, at_ns = chunk
            self._lines.extend((line, at_ns) for line in lines)

    def _message(self, line: bytes, at_ns: int) -> dict[str, Any] | None:
        """Return the message of a line; None where it has none."""
        try:
            message = self._reading.read(line)
        except ValueError:
            return None
        if not isinstance(message, dict):
            return None
        if self._stamped:
            message["heard_realtime_ns"] = at_ns
        return message

    def _why(self) -> str:
        code = self._process.wait(GOING_S)
        for reader in self._readers:
            reader.join(1.0)
        if code == 0:
            return ""
        if code is not None and code < 0:
            return f"it was ended by {signal_name(-code)}"
        prefix = f"{BUS}: "
        own = [line for line in self._errors if line.startswith(prefix)]
        text = own or self._errors
        return text[-1].removeprefix(prefix) if text else f"it ended with exit code {code}"

    @property
    def runs(self) -> bool:
        """Return whether it has not ended."""
        return self._process.returncode is None

    def ask_to_go(self) -> None:
        """End its input, upon which it leaves in its own time."""
        self._process.end_input()

    def stop(self) -> None:
        """End it; kill it where it has not left within `GOING_S`."""
        self._process.stop(GOING_S)


@contextmanager
def process(
    task: str,
    attachment: Attachment,
    extra: Sequence[str] = (),
    *,
    stamped: bool = False,
    reading: Reading = READING,
) -> Iterator[Process]:
    """Yield a process of `busmark-bus`, which ends with the block."""
    command = [str(bus()), task, *attachment.arguments(), *extra]
    with started(Start(command, environment()), stamped=stamped, reading=reading) as running:
        yield running


@contextmanager
def started(
    start: Start, *, stamped: bool = False, reading: Reading = READING
) -> Iterator[Process]:
    """Yield a process on the bus, which ends with the block."""
    running = Process(start, stamped=stamped, reading=reading)
    try:
        yield running
    finally:
        running.stop()
