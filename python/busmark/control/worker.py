"""One worker process, driven over its standard input and output."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from busmark.adapters import worker as worker_path

PROTOCOL = 1
LINE_LIMIT = 16 * 1024 * 1024


class RoundError(Exception):
    """A round cannot be finished; it is marked, tried again, and the campaign goes on.

    `kind` is as in the control protocol (timeout, failed, …), or died, hung, garbage.
    """

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind


@dataclass(frozen=True)
class Frame:
    """Recorded samples of one role, as an Arrow IPC stream."""

    role: str
    writer: int
    data: bytes


class Worker:
    """A worker process in a session of its own, so that it can be ended with all it has started."""

    def __init__(self, name: str, process: asyncio.subprocess.Process, log: Path) -> None:
        self.name = name
        self.frames: list[Frame] = []
        self._process = process
        self._log = log
        self._next_id = 0

    @classmethod
    async def start(cls, name: str, cpus: list[int], *, fifo: int, lock: bool, log: Path,
                    deadline_s: float) -> Worker:  # fmt: skip
        """Starts a worker on these CPUs and waits for its first line."""
        arguments = [str(worker_path()), "participate"]
        if cpus:
            arguments += ["--cpu", ",".join(map(str, cpus))]
        if fifo:
            arguments += ["--fifo", str(fifo)]
        if lock:
            arguments += ["--lock-memory"]
        with log.open("wb") as errors:
            process = await asyncio.create_subprocess_exec(
                *arguments, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE,
                stderr=errors, start_new_session=True, limit=LINE_LIMIT,
            )  # fmt: skip
        worker = cls(name, process, log)
        try:
            hello = await worker._message(deadline_s)
            if hello.get("ok") is False:
                raise RoundError(hello["error"]["kind"], f"{name}: {hello['error']['message']}")
            if hello.get("event") != "hello" or hello.get("protocol") != PROTOCOL:
                raise RoundError(
                    "garbage",
                    f"{name}: speaks control protocol {hello.get('protocol')}, not {PROTOCOL}; "
                    "worker and package are of different releases",
                )
        except BaseException:
            await worker.kill()
            raise
        return worker

    async def call(self, deadline_s: float, cmd: str, **arguments: Any) -> Any:
        """Sends a command and waits for its result; frames that come with it are kept."""
        self._next_id += 1
        line = json.dumps({"id": self._next_id, "cmd": cmd, **arguments})
        stdin = self._process.stdin
        assert stdin is not None
        try:
            stdin.write(line.encode() + b"\n")
            await stdin.drain()
        except (BrokenPipeError, ConnectionResetError):
            raise await self._died() from None
        while True:
            message = await self._message(deadline_s)
            if "frame" in message:
                await self._read_frame(message, deadline_s)
            elif message.get("id") != self._next_id:
                raise RoundError("garbage", f"{self.name}: answer to another command: {message}")
            elif message.get("ok"):
                return message["result"]
            else:
                error = message.get("error", {})
                text = f"{self.name}, {cmd}: {error.get('message', 'no reason given')}"
                raise RoundError(error.get("kind", "failed"), text)

    async def _message(self, deadline_s: float) -> dict[str, Any]:
        stdout = self._process.stdout
        assert stdout is not None
        try:
            async with asyncio.timeout(deadline_s):
                line = await stdout.readline()
        except TimeoutError:
            raise RoundError(
                "hung", f"{self.name}: no answer within {deadline_s:.1f} s; killed"
            ) from None
        except ValueError:
            raise RoundError("garbage", f"{self.name}: a line without end") from None
        if not line.endswith(b"\n"):
            raise await self._died()
        try:
            message = json.loads(line)
        except ValueError:
            message = None
        if not isinstance(message, dict):
            shown = line[:80].decode(errors="replace").strip()
            raise RoundError("garbage", f"{self.name}: not a message of the protocol: {shown!r}")
        return message

    async def _read_frame(self, head: dict[str, Any], deadline_s: float) -> None:
        stdout = self._process.stdout
        assert stdout is not None
        try:
            async with asyncio.timeout(deadline_s):
                data = await stdout.readexactly(int(head["bytes"]) + 1)
        except TimeoutError:
            raise RoundError("hung", f"{self.name}: stopped within a frame; killed") from None
        except asyncio.IncompleteReadError:
            raise await self._died() from None
        except (KeyError, ValueError):
            raise RoundError("garbage", f"{self.name}: a frame without length: {head}") from None
        self.frames.append(Frame(str(head.get("role")), int(head.get("writer", 0)), data[:-1]))

    async def _died(self) -> RoundError:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(2):
                await self._process.wait()
        code = self._process.returncode
        if code is not None and code < 0:
            how = f"killed by {signal.Signals(-code).name}"
        else:
            how = "closed its output" if code is None else f"exit code {code}"
        last = self._last_words()
        return RoundError("died", f"{self.name}: the worker died ({how}){last}")

    def _last_words(self) -> str:
        try:
            lines = self._log.read_text(errors="replace").strip().splitlines()
        except OSError:
            return ""
        return f": {lines[-1][:200]}" if lines else ""

    async def stop(self) -> None:
        """Lets the worker end by itself; kills it if it does not."""
        stdin = self._process.stdin
        assert stdin is not None
        stdin.close()
        try:
            async with asyncio.timeout(5):
                await self._process.wait()
        except TimeoutError:
            await self.kill()
        self._drop_empty_log()

    async def kill(self) -> None:
        """Ends the worker and everything it has started."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        await self._process.wait()
        self._drop_empty_log()

    def _drop_empty_log(self) -> None:
        with contextlib.suppress(OSError):
            if self._log.stat().st_size == 0:
                self._log.unlink()
