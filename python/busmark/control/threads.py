"""Threads for what blocks, started before a campaign has anything to lose.

Where the address space ends, a thread that is being started can end before it says that it has
begun, and Python waits for that without end: so do asyncio's own threads, which begin when they are
first needed, and one more when its loop is closed.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

THREADS = 8
_pool = ThreadPoolExecutor(THREADS, thread_name_prefix="busmark")


def start() -> None:
    """Starts them all.

    Raises:
        RuntimeError: the system has no more.
    """
    together = threading.Barrier(THREADS + 1)
    try:
        for _ in range(THREADS):
            _pool.submit(together.wait)
        together.wait()
    except BaseException:
        together.abort()
        raise


async def in_thread(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """What the function returns, on one of these threads."""
    loop = asyncio.get_running_loop()
    return await loop.run_in_executor(_pool, lambda: function(*args, **kwargs))
