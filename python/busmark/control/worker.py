"""One worker process, driven over its standard input and output."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
from asyncio.subprocess import PIPE
from collections.abc import AsyncIterator, Coroutine, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from busmark.adapters import environment, not_startable
from busmark.adapters import worker as worker_path
from busmark.control import replies
from busmark.control.failure import RoundError
from busmark.nodes import Node, Start
from busmark.processes import end_group, ending, marked
from busmark.store.writer import storing

PROTOCOL = 1
LINE_LIMIT = 16 * 1024 * 1024

STOP_S = 5.0
"""A worker that has been told to end is killed after so long."""
LAST_WORDS_S = 2.0
"""A worker that has closed its output gets so long to end, so that the round can say how; and what
one that has ended had written before is waited for so long."""
LOOK_S = 0.002


@dataclass(frozen=True)
class Frame:
    """Recorded samples of one role, as an Arrow IPC stream."""

    role: str
    writer: int
    data: bytes


class Worker:
    """A worker process in a session of its own, so that it can be ended with all it has started."""

    def __init__(self, name: str, process: asyncio.subprocess.Process, log: Path) -> None:
        assert process.stdin is not None and process.stdout is not None
        self.name = name
        self.frames: list[Frame] = []
        self._process = process
        self._input = process.stdin
        self._output = process.stdout
        self._log = log
        self._next_id = 0
        self._gone = _end_of(process.pid)
        self.cpus: list[int] = []
        """Those it may run on; none: any."""
        self.node: Node | None = None
        self.process_there: int | None = None
        """Its number on its node, where that is known."""

    @classmethod
    async def start(cls, name: str, cpus: list[int], *, fifo: int, lock: bool, log: Path,
                    deadline_s: float, prefix: Sequence[str] = (),
                    node: Node | None = None) -> Worker:  # fmt: skip
        """Starts a worker on these CPUs, by the command `prefix` or on a node, and waits for its
        first line."""
        path = worker_path()
        arguments = ["participate"]
        if cpus:
            arguments += ["--cpu", ",".join(map(str, cpus))]
        if fifo:
            arguments += ["--fifo", str(fifo)]
        if lock:
            arguments += ["--lock-memory"]
        there = node.start(arguments) if node else None
        command = there.command if there else [*prefix, str(path), *arguments]
        variables = there.environment if there else environment()
        with storing(log):
            errors = log.open("wb")
        with errors:
            try:
                process = await asyncio.create_subprocess_exec(
                    *command, stdin=PIPE, stdout=PIPE, stderr=errors, start_new_session=True,
                    limit=LINE_LIMIT, env={**variables, **marked("round")},
                )  # fmt: skip
            except OSError as error:
                raise not_startable(path, error) from None
        worker = cls(name, process, log)
        worker.node, worker.cpus = node, cpus
        try:
            async with worker._within(deadline_s, "start"):
                if there:
                    await worker._arrive(there)
                await worker._greet()
        except BaseException:
            worker.kill()
            await worker.reap()
            raise
        return worker

    async def _arrive(self, there: Start) -> None:
        """Has the shell on a node become the worker. What a login prints before is skipped."""
        mark = there.marker.encode()
        self._input.write(there.question)
        while not (line := await self._line()).startswith(mark):
            continue
        self.process_there = int(line.split()[1])
        self._input.write(there.order)

    async def _greet(self) -> None:
        hello = await self._message()
        if hello.get("ok") is False:
            failure = replies.check(replies.REPLY, hello, self.who).get("error", {})
            raise self._refused("start", failure)
        if replies.check(replies.HELLO, hello, self.who)["protocol"] != PROTOCOL:
            raise RoundError(
                "garbage",
                f"{self.who}: speaks control protocol {hello['protocol']}, not {PROTOCOL}; "
                "worker and package are of different releases",
            )

    @property
    def who(self) -> str:
        """As messages call it."""
        return f"{self.name} on node {self.node.name}" if self.node else self.name

    @property
    def pid(self) -> int:
        """Of the process on this machine."""
        return self._process.pid

    async def call(self, deadline_s: float, cmd: str, **arguments: Any) -> Any:
        """Sends a command and waits for its result; frames that come with it are kept."""
        self._next_id += 1
        line = json.dumps({"id": self._next_id, "cmd": cmd, **arguments})
        async with self._within(deadline_s, cmd):
            try:
                self._input.write(line.encode() + b"\n")
                await self._input.drain()
            except (BrokenPipeError, ConnectionResetError):
                raise await self._died() from None
            while "frame" in (message := await self._message()):
                await self._read_frame(message)
        reply = replies.check(replies.REPLY, message, self.who)
        if reply.get("id") != self._next_id:
            raise RoundError("garbage", f"{self.who}: answer to another command: {message}")
        if not reply.get("ok"):
            raise self._refused(cmd, reply.get("error", {}))
        result = reply.get("result")
        shape = replies.RESULTS.get(cmd)
        return replies.check(shape, result, f"{self.who}, {cmd}") if shape else result

    def _refused(self, cmd: str, error: dict[str, Any]) -> RoundError:
        text = f"{self.who}, {cmd}: {error.get('message', 'no reason given')}"
        return RoundError(error.get("kind", "failed"), text)

    @contextlib.asynccontextmanager
    async def _within(self, deadline_s: float, cmd: str) -> AsyncIterator[None]:
        try:
            async with asyncio.timeout(deadline_s):
                yield
        except TimeoutError:
            raise RoundError(
                "hung", f"{self.who}, {cmd}: no answer within {deadline_s:.1f} s; killed"
            ) from None

    async def _message(self) -> dict[str, Any]:
        return replies.read(await self._line(), self.who)

    async def _line(self) -> bytes:
        try:
            line = await self._read(self._output.readline())
        except ValueError:
            raise RoundError("garbage", f"{self.who}: a line without end") from None
        if not line.endswith(b"\n"):
            raise await self._died()
        return line

    async def _read(self, reading: Coroutine[Any, Any, bytes]) -> bytes:
        """What is read, or the news that the worker has ended.

        The end of its output does not tell: a process that it has started may keep that open.
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

    async def _read_frame(self, message: dict[str, Any]) -> None:
        head = replies.check(replies.FRAME, message, self.who)
        try:
            data = await self._read(self._output.readexactly(head["bytes"] + 1))
        except asyncio.IncompleteReadError:
            raise await self._died() from None
        if not data.endswith(b"\n"):
            raise RoundError("garbage", f"{self.who}: a frame of another length than announced")
        self.frames.append(Frame(head["role"], head["writer"], data[:-1]))

    async def _died(self) -> RoundError:
        code = await self._exit_code(LAST_WORDS_S)
        how = "closed its output" if code is None else ending(code)
        return RoundError("died", f"{self.who}: the worker died ({how}){self._last_words()}")

    def _last_words(self) -> str:
        try:
            lines = self._log.read_text(errors="replace").strip().splitlines()
        except OSError:
            return ""
        return f": {lines[-1][:200]}" if lines else ""

    async def _exit_code(self, patience_s: float) -> int | None:
        """The exit code as soon as there is one.

        `Process.wait` would wait for the ends of the pipes too, which a process that the worker
        has started may keep open.
        """
        end = asyncio.get_running_loop().time() + patience_s
        while self._process.returncode is None and asyncio.get_running_loop().time() < end:
            await asyncio.sleep(LOOK_S)
        return self._process.returncode

    @property
    def ended(self) -> str | None:
        """How it has ended by now, by a signal; None where it has not."""
        code = self._process.returncode
        if code is None:
            with contextlib.suppress(ChildProcessError):
                seen = os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
                code = -seen.si_status if seen and seen.si_code != os.CLD_EXITED else None
        return ending(code) if code is not None and code < 0 else None

    async def stop(self) -> None:
        """Lets the worker end by itself, then ends what is left of it and of its children."""
        self._input.close()
        await self._exit_code(STOP_S)
        self.kill()
        await self.reap()

    def kill(self) -> None:
        """Ends the worker and everything it has started, at once."""
        end_group(self._process.pid)

    async def reap(self) -> None:
        """Waits until a killed worker is gone."""
        await self._exit_code(STOP_S)
        self._gone.cancel()
        # The ends of the pipes may never come: a daemon that the worker has started holds them.
        self._process._transport.close()  # type: ignore[attr-defined]
        with contextlib.suppress(OSError):
            if self._log.stat().st_size == 0:
                self._log.unlink()


def _end_of(process: int) -> asyncio.Future[None]:
    """Done when the process has ended."""
    loop = asyncio.get_running_loop()
    gone: asyncio.Future[None] = loop.create_future()
    try:
        descriptor = os.pidfd_open(process)
    except OSError:
        return gone  # an old kernel: the end of the output has to do

    def forget(_: asyncio.Future[None]) -> None:
        loop.remove_reader(descriptor)
        os.close(descriptor)

    def tell() -> None:
        if not gone.done():
            gone.set_result(None)

    gone.add_done_callback(forget)
    loop.add_reader(descriptor, tell)
    return gone
