"""Waiting for what happens outside the event loop: processes, their pipes as streams, and threads
for what blocks, started before a campaign has anything to lose."""

from __future__ import annotations

import asyncio
import os
import threading
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, ParamSpec, TypeVar

from busmark import launcher, platform
from busmark.launcher import Launched, Start, Target
from busmark.processes import Part

# Threads for what blocks, started before a campaign has anything to lose.
#
# Where the address space ends, a thread that is being started can end before it says that it has
# begun, and Python waits for that without end: so do asyncio's own threads, which begin when they
# are first needed, and one more when its loop is closed.

P = ParamSpec("P")
T = TypeVar("T")

THREADS = 8
_pool = ThreadPoolExecutor(THREADS, thread_name_prefix="busmark")


def start() -> None:
    """Start all threads.

    Raises:
        RuntimeError: the system has no more.
    """
    launcher.watch()
    together = threading.Barrier(THREADS + 1)
    try:
        for _ in range(THREADS):
            _pool.submit(together.wait)
        together.wait()
    except BaseException:
        together.abort()
        raise


async def in_thread(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Call a function on a thread of the pool for blocking calls, and return its result."""
    loop = asyncio.get_running_loop()
    return await loop.run_in_executor(_pool, lambda: function(*args, **kwargs))


LOOK_S, LONGEST_LOOK_S = 0.002, 0.05
"""First and longest pause between two looks at a process, if the kernel does not report that it has
ended. Looking at each of forty processes so often takes a good part of the CPU that they end on."""


class PipedProcess(Launched):
    """A process whose pipes are streams."""

    stdin: asyncio.StreamWriter
    stdout: asyncio.StreamReader

    @classmethod
    async def start_piped(
        cls, start: Start, part: Part, stderr: Target, limit: int
    ) -> PipedProcess:
        """Start it; `limit`: bytes of its longest line.

        Raises:
            OSError: it cannot be started.
        """
        process = cls(start, part, stderr=stderr)
        try:
            await process._connect(limit)
        except BaseException:
            process.stop()
            raise
        return process

    async def _connect(self, limit: int) -> None:
        loop = asyncio.get_running_loop()
        self.stdout = asyncio.StreamReader(limit)
        self._reading, _ = await loop.connect_read_pipe(
            lambda: asyncio.StreamReaderProtocol(self.stdout), self.output
        )
        writing, protocol = await loop.connect_write_pipe(
            lambda: asyncio.StreamReaderProtocol(asyncio.StreamReader()), self.input
        )
        self.stdin = asyncio.StreamWriter(writing, protocol, None, loop)

    def close(self) -> None:
        """Close the pipes, without waiting for their ends, which may never come: a daemon that it
        has started may hold them."""
        self.stdin.close()
        self._reading.close()


async def together(*work: Awaitable[Any]) -> list[Any]:
    """Return what all of these yield, each of which is run to its end; then the first failure, if
    any."""
    found = await asyncio.gather(*work, return_exceptions=True)
    if failed := next((each for each in found if isinstance(each, BaseException)), None):
        raise failed
    return found


async def ended(process: Launched, within_s: float) -> int | None:
    """Return the exit code of a process; None if it has not ended within that time. The ends of its
    pipes are not waited for, which a process that it has started may keep open."""
    end = time.monotonic() + within_s
    if (code := process.returncode) is not None:
        return code
    gone, look_s = end_of(process.pid), LOOK_S
    try:
        while (code := process.returncode) is None and time.monotonic() < end:
            await asyncio.wait({gone}, timeout=look_s)
            look_s = min(2.0 * look_s, LONGEST_LOOK_S)
    finally:
        gone.cancel()
    return code


def end_of(process: int) -> asyncio.Future[None]:
    """Return a future, done when a process has ended; whoever waits no more cancels it."""
    loop = asyncio.get_running_loop()
    gone: asyncio.Future[None] = loop.create_future()
    descriptor = platform.handle(process)
    if descriptor is None:
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
