"""How a worker process ends, and how it is ended."""

from __future__ import annotations

import contextlib
import os
import signal


def end_group(process: int) -> None:
    """Kills a process and everything it has started."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process, signal.SIGKILL)


def signal_name(number: int) -> str:
    """Such as SIGSEGV; real-time signals have numbers only."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
