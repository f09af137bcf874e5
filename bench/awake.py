"""A loop of the idle class on each CPU, so that none halts: waking one up takes some 20 µs on a
virtual machine, and varies by more than what is compared."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

LOOP = """
import os, sys
cpu, parent = map(int, sys.argv[1:])
os.sched_setaffinity(0, {cpu})
os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
while os.getppid() == parent:
    for _ in range(100_000):
        pass
"""


@contextmanager
def awake() -> Iterator[None]:
    """Run a loop on every CPU that this process may use, until the block ends."""
    loops = [
        subprocess.Popen([sys.executable, "-c", LOOP, str(cpu), str(os.getpid())])
        for cpu in sorted(os.sched_getaffinity(0))
    ]
    try:
        yield
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()
