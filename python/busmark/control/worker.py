"""One worker process, driven over its standard input and output."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import re
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, TypeAdapter, ValidationError

from busmark import platform
from busmark.adapters import Fault, environment, not_startable
from busmark.adapters import worker as worker_path
from busmark.control import protocol
from busmark.control.waiting import PipedProcess, end_of, ended
from busmark.errors import RoundError
from busmark.launcher import Start
from busmark.nodes import Node
from busmark.processes import ending
from busmark.store.writer import storing

PROTOCOL = 2
LINE_LIMIT = 16 * 1024 * 1024
MOST_SENT = 1 << 32
"""Bytes of all frames and long replies of a worker: what it records is less."""
LONG_REPLY = "reply"
"""`frame` of a reply that is longer than a line may be."""

STOP_S = 5.0
"""A worker that was asked to end is killed after this time."""
LAST_WORDS_S = 2.0
"""Grace period for a worker that has closed its output, so that the round can say how it ended; and
for the output of one that has ended."""

PANIC = re.compile(r"^thread '.*' (?:\(\d+\) )?panicked at (?:'(.*)', )?\S+:\d+:\d+:?$")
NO_DESCRIPTORS = ("Too many open files", "os error 24")
LIMITED = (*NO_DESCRIPTORS, "OutOfResources")
"""Parts of the error messages of libraries that met a limit, whatever else they blame."""
FILES = "ulimit -n allows {} open files and sockets"
NO_TASKS = ("failed to spawn thread", "Resource temporarily unavailable", "os error 11")


@dataclass(frozen=True)
class Frame:
    """Recording of one role, as an Arrow IPC stream."""

    role: str
    writer: int
    data: bytes
    kind: str = "samples"
    """Name of the frame: samples, accounts, intervals, batches or sent_batches."""


@dataclass(frozen=True)
class _Call:
    """A command that has been sent."""

    cmd: str
    answer: asyncio.Future[dict[str, Any]]


class Worker:
    """A worker process in a session of its own, so that it can be ended with all it has started.

    Commands may be sent while others are under way: each answer is known by its number. What the
    worker tells by itself goes to its `listeners`.
    """

    def __init__(self, name: str, process: PipedProcess, log: Path) -> None:
        self.name = name
        self.frames: list[Frame] = []
        self._process = process
        self._input = process.stdin
        self._output = process.stdout
        self._log = log
        self.listeners: list[Callable[[Any], None]] = []
        """Hear its events, as `busmark.control.protocol` has them."""
        self._calls: dict[int, _Call] = {}
        self._next_id = 0
        self._trouble: RoundError | None = None
        """Why it gives no more answers."""
        self._listening: asyncio.Task[None] | None = None
        self._gone = end_of(process.pid)
        self.cpus: list[int] = []
        """CPUs that it may run on; none: any."""
        self.faults: Sequence[Fault] = ()
        """Known faults of its middleware."""
        self.node: Node | None = None
        self.process_there: int | None = None
        """Its number on its node, where that is known."""
        self.recorder_bytes: int | None = None
        self._sent = 0
        """Bytes of its frames and long replies."""

    @classmethod
    async def start(
        cls,
        name: str,
        cpus: list[int],
        *,
        fifo: int,
        lock: bool,
        log: Path,
        deadline_s: float,
        prefix: Sequence[str] = (),
        environment_too: Mapping[str, str] | None = None,
        node: Node | None = None,
    ) -> Worker:
        """Start a worker on these CPUs, by the command `prefix` or on a node, and wait for its
        first line. `environment_too`: variables of its own."""
        path = worker_path()
        arguments = ["participate"]
        if cpus:
            arguments += ["--cpu", ",".join(map(str, cpus))]
        if fifo:
            arguments += ["--fifo", str(fifo)]
        if lock:
            arguments += ["--lock-memory"]
        here = {**environment(), **(environment_too or {})}
        how = node.start(arguments) if node else Start([*prefix, str(path), *arguments], here)
        with storing(log):
            log.touch()
        try:
            process = await PipedProcess.start_piped(how, "round", log, LINE_LIMIT)
        except OSError as error:
            raise not_startable(path, error) from None
        worker = cls(name, process, log)
        worker.node, worker.cpus = node, cpus
        try:
            async with worker._within(deadline_s, "start"):
                if node:
                    # The shell there becomes the worker; what a login prints before is skipped.
                    worker._input.write(how.question)
                    while worker.process_there is None:
                        line = (await worker._line()).decode(errors="replace")
                        worker.process_there = how.number(line)
                    worker._input.write(how.order)
                await worker._greet()
            worker.listen()
        except BaseException:
            worker.kill()
            await worker.reap()
            raise
        return worker

    async def _greet(self) -> None:
        hello = await self._message()
        if hello.get("ok") is False:
            failure = check(REPLY, hello, self.who).get("error", {})
            raise self._refused("start", failure)
        if check(HELLO, hello, self.who)["protocol"] != PROTOCOL:
            raise RoundError(
                "garbage",
                f"{self.who}: speaks control protocol {hello['protocol']}, not {PROTOCOL}; "
                "worker and package are of different releases",
            )

    @property
    def who(self) -> str:
        """Its name in messages."""
        return f"{self.name} on node {self.node.name}" if self.node else self.name

    @property
    def pid(self) -> int:
        """Number of the process on this machine."""
        return self._process.pid

    async def call(self, deadline_s: float, cmd: str, **arguments: Any) -> Any:
        """Send a command and wait for its result; frames that come before it are kept."""
        self._next_id += 1
        number, call = self._next_id, _Call(cmd, asyncio.get_running_loop().create_future())
        line = json.dumps({"id": number, "cmd": cmd, **arguments})
        async with self._within(deadline_s, cmd):
            if self._trouble:
                raise self._trouble
            self._calls[number] = call
            try:
                try:
                    self._input.write(line.encode() + b"\n")
                    await self._input.drain()
                except (BrokenPipeError, ConnectionResetError):
                    raise await self._died() from None
                reply = await call.answer
            finally:
                call.answer.cancel()
        if not reply.get("ok"):
            raise self._refused(cmd, reply.get("error", {}))
        result = reply.get("result")
        shape = RESULTS.get(cmd)
        return check(shape, result, f"{self.who}, {cmd}") if shape else result

    def listen(self) -> None:
        """Start to take whatever it sends."""
        self._listening = asyncio.create_task(self._listen())

    async def _listen(self) -> None:
        """Take everything that the worker sends, until it sends no more."""
        try:
            while True:
                await self._hear(await self._message())
        except RoundError as error:
            self._trouble = error
        except Exception as error:  # of a listener: it must not leave calls without an end
            self._trouble = RoundError("failed", f"{self.who}: {error!r}")
        for call in self._calls.values():
            _fail(call, self._trouble)

    async def _hear(self, message: dict[str, Any]) -> None:
        if "event" in message:
            self._on_event(check(EVENT, message, self.who))
        elif message.get("frame") == LONG_REPLY:
            head = check(REPLY_HEAD, message, self.who)
            self._on_reply(read(await self._exactly(head["bytes"]), self.who))
        elif "frame" in message:
            head = check(FRAME, message, self.who)
            data = await self._exactly(head["bytes"])
            self.frames.append(Frame(head["role"], head["writer"], data, head["frame"]))
        else:
            self._on_reply(message)

    def _on_reply(self, message: dict[str, Any]) -> None:
        reply = check(REPLY, message, self.who)
        call = self._calls.pop(reply["id"], None)
        if call is None:
            raise RoundError("garbage", f"{self.who}: answer to another command: {message}")
        if not call.answer.done():
            call.answer.set_result(reply)

    def _on_event(self, event: dict[str, Any]) -> None:
        if event["event"] == "error":
            # The others of its roles may run for long: this round is spoilt already.
            for call in self._calls.values():
                if call.cmd == "run":
                    _fail(call, self._refused("run", {**event.get("error", {})}))
        for listener in self.listeners:
            listener(event)

    def _refused(self, cmd: str, error: dict[str, Any]) -> RoundError:
        text = f"{self.who}, {cmd}: {error.get('message', 'no reason given')}"
        # The limit of a node is not known.
        if self.node is None and any(words in text for words in LIMITED):
            text += f" ({FILES.format(_most_files())})"
        return RoundError(error.get("kind", "failed"), text)

    @contextlib.asynccontextmanager
    async def _within(self, deadline_s: float, cmd: str) -> AsyncIterator[None]:
        try:
            async with asyncio.timeout(deadline_s):
                yield
        except TimeoutError:
            causes = "".join(f"; {fault.text}" for fault in self.faults if not fault.signals)
            raise RoundError(
                "hung", f"{self.who}, {cmd}: no answer within {deadline_s:.1f} s; killed{causes}"
            ) from None

    async def _message(self) -> dict[str, Any]:
        return read(await self._line(), self.who)

    async def _line(self) -> bytes:
        try:
            line = await self._read(self._output.readline())
        except ValueError:
            raise RoundError("garbage", f"{self.who}: a line without end") from None
        if not line.endswith(b"\n"):
            raise await self._died()
        return line

    async def _read(self, reading: Coroutine[Any, Any, bytes]) -> bytes:
        """Return what is read, or the news that the worker has ended.

        The end of its output is not conclusive: a process that it has started may keep that open.
        """
        task = asyncio.ensure_future(reading)
        either: set[asyncio.Future[Any]] = {task, self._gone}
        try:
            await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
            await asyncio.wait({task}, timeout=LAST_WORDS_S)
            if not task.done():
                raise await self._died()
            return task.result()
        finally:
            task.cancel()

    async def _exactly(self, count: int) -> bytes:
        """Return this many bytes, and take the newline after them."""
        self._sent += count
        if self._sent > MOST_SENT:
            raise RoundError("garbage", f"{self.who}: sends more than {MOST_SENT >> 30} GiB")
        try:
            data = await self._read(self._output.readexactly(count + 1))
        except asyncio.IncompleteReadError:
            raise await self._died() from None
        if not data.endswith(b"\n"):
            raise RoundError("garbage", f"{self.who}: a frame of another length than announced")
        return data[:-1]

    async def _died(self) -> RoundError:
        code = await ended(self._process, LAST_WORDS_S)
        how = "closed its output" if code is None else self._process.killed or ending(code)
        return RoundError("died", f"{self.how_died(how)}{self._last_words()}")

    def how_died(self, how: str) -> str:
        """Say that it has died, and by which fault of its middleware that is known to end so."""
        for fault in self.faults:
            if any(name in how for name in fault.signals):
                return f"{self.who}: {how}; {fault.text}"
        return f"{self.who}: the worker died ({how})"

    def _last_words(self) -> str:
        try:
            lines = self._log.read_text(errors="replace").strip().splitlines()
        except OSError:
            return ""
        said = last_words(lines)
        return f": {said}" if said else ""

    @property
    def ended(self) -> str | None:
        """Return how it has ended by now, by a signal; None where it has not."""
        return self._process.killed

    def was_stopped(self) -> bool | None:
        """Return whether a signal stopped the process since this was asked last; None where it is
        no child of ours."""
        how = os.WSTOPPED | os.WCONTINUED | os.WNOHANG
        with contextlib.suppress(ChildProcessError):
            return os.waitid(os.P_PID, self.pid, how) is not None
        return None

    @property
    def remains(self) -> list[tuple[Node, int]]:
        """Return what may remain of it on its node."""
        return [(self.node, self.process_there)] if self.node and self.process_there else []

    async def stop(self) -> None:
        """Let the worker end by itself, then end what is left of it and of its children."""
        self._hear_no_more()
        self._input.close()
        await ended(self._process, STOP_S)
        self.kill()
        await self.reap()

    def _hear_no_more(self) -> None:
        if self._listening:
            self._listening.cancel()

    def kill(self) -> None:
        """End the worker and everything it has started, at once."""
        self._process.kill()

    async def reap(self) -> None:
        """Wait until a killed worker is gone."""
        self._hear_no_more()
        await ended(self._process, STOP_S)
        self._gone.cancel()
        self._process.close()
        with contextlib.suppress(OSError):
            if self._log.stat().st_size == 0:
                self._log.unlink()


def _fail(call: _Call, error: RoundError) -> None:
    if not call.answer.done():
        call.answer.set_exception(error)


def last_words(lines: Sequence[str]) -> str:
    """Return the part of a worker's output that explains why it ended: for a panic in Rust its
    message without the source location; empty if nothing was printed."""
    if any(text in line for line in lines for text in NO_DESCRIPTORS):
        return f"it may open no more files and sockets ({FILES.format(_most_files())}): raise it"
    panicked = any(PANIC.search(line) for line in lines)
    if panicked and any(text in line for line in lines for text in NO_TASKS):
        return (
            "it may start no more processes and threads: raise the limit (`ulimit -u`, or pids.max "
            "of the control group)"
        )
    for number, line in enumerate(lines):
        if found := PANIC.search(line):
            # Before Rust 1.73 the message stood in the line itself.
            message = found[1] or next(iter(lines[number + 1 : number + 2]), "")
            return f"a library panicked: {message.strip()[:200]}"
    return lines[-1][:200] if lines else ""


def _most_files() -> int | None:
    return platform.soft_limit(platform.OPEN_FILES)


# What a worker answers is checked here, so that one gone astray spoils its round and nothing
# else.

HELLO = TypeAdapter(protocol.Hello)
REPLY = TypeAdapter(protocol.Reply)
EVENT: TypeAdapter[protocol.Event] = TypeAdapter(protocol.Event)
FRAME = TypeAdapter(protocol.FrameHead)
REPLY_HEAD = TypeAdapter(protocol.ReplyHead)
RESULTS: dict[str, TypeAdapter[Any]] = {
    "setup": TypeAdapter(protocol.SetupResult),
    "serve": TypeAdapter(protocol.ServeResult),
    "match": TypeAdapter(protocol.Matched),
    "set": TypeAdapter(protocol.SetResult),
    "run": TypeAdapter(Annotated[list[protocol.RunReport], Field(min_length=1)]),
    "collect": TypeAdapter(list[protocol.RoleReport]),
}


def read(line: bytes, who: str) -> dict[str, Any]:
    """Parse a line of the protocol: a JSON object."""
    try:
        message = json.loads(line)
    except (ValueError, RecursionError):
        message = None
    if not isinstance(message, dict):
        shown = line[:80].decode(errors="replace").strip()
        raise RoundError("garbage", f"{who}: not a message of the protocol: {shown!r}")
    return message


def check(shape: TypeAdapter[Any], value: Any, who: str) -> Any:
    """Return the value, if it has this shape; else raise `RoundError`."""
    try:
        return shape.validate_python(value)
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(str(part) for part in first["loc"])
        raise RoundError(
            "garbage", f"{who}: not an answer of the protocol: {key or 'value'}: {first['msg']}"
        ) from None
