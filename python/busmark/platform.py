"""What Busmark asks of the operating system beyond what Python has on every one.

All of it is here, and in `busmark.host`, which reads what the kernel reports of the machine; labs
(`busmark.plugins.lab`) and counters are Linux by nature. It is written for Linux and tried on Linux
alone. docs/porting.md says what another system needs.
"""

from __future__ import annotations

import ctypes
import fcntl
import gc
import os
import resource
import select
import signal
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

PROCESSES = Path("/proc")

OPEN_FILES = resource.RLIMIT_NOFILE
ADDRESS_SPACE = resource.RLIMIT_AS
PROCESSES_OF_USER = resource.RLIMIT_NPROC

KEPT = ((-3, 1 << 25), (-1, 1 << 28))
"""M_MMAP_THRESHOLD and M_TRIM_THRESHOLD of mallopt(3), bytes: the most that glibc takes, and enough
for the samples of a round."""

COLLECTED = 100_000
"""Objects, more than were freed, after which Python looks for those that hold one another."""

UNKILLABLE = (ProcessLookupError, PermissionError)


def usable_cpus() -> list[int]:
    """Return the CPUs on which this process, and what it starts, may run."""
    return sorted(os.sched_getaffinity(0))


def lock(file: int | BinaryIO, *, wait: bool = False) -> bool:
    """Return whether this process now has the lock on an open file, which the kernel frees with
    it."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def lock_is_free(file: int | BinaryIO) -> bool:
    """Return whether nobody has the lock on an open file. It is held for a moment to find out, so
    that whoever takes locks without waiting should try again."""
    try:
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    fcntl.flock(file, fcntl.LOCK_UN)
    return True


def widen_pipe(pipe: int, size: int) -> None:
    """Make room of this size in a pipe, in bytes; do nothing where the kernel grants less."""
    with suppress(OSError):
        fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, size)


def path_of(descriptor: int) -> Path:
    """Return a path to an open file, also when another one has taken its place."""
    return Path(f"/proc/self/fd/{descriptor}")


def soft_limit(which: int) -> int | None:
    """Return a limit of this process, such as `OPEN_FILES`; None: there is none."""
    soft, _ = resource.getrlimit(which)
    return None if soft == resource.RLIM_INFINITY else soft


def largest_buffer(limit: str) -> int:
    """Return the bytes that the kernel grants a socket's buffer: `limit` is rmem_max or wmem_max.

    Raises:
        OSError, ValueError: it does not say.
    """
    return int(Path("/proc/sys/net/core", limit).read_text(encoding="ascii"))


def schedule_normally(process: int) -> None:
    """Take a process out of the idle or a real-time class; do nothing where that is not allowed."""
    with suppress(OSError):
        os.sched_setscheduler(process, os.SCHED_OTHER, os.sched_param(0))


def keep_memory() -> None:
    """Have this process keep memory that it has used. Arrays of a round are made and left by the
    hundred; if each is mapped anew, the kernel clears its pages again and again, which takes a
    tenth of an analysis. Nothing changes where the C library has no such setting. Python looks for
    objects that hold one another less often, too: an analysis makes hundreds of thousands of
    objects and hardly any such, and looking for them takes a twentieth of it."""
    gc.set_threshold(COLLECTED)
    with suppress(OSError, AttributeError):
        for parameter, value in KEPT:
            ctypes.CDLL(None).mallopt(parameter, value)


def handle(process: int) -> int | None:
    """Return a descriptor that stands for this process, whoever has its number later, and can be
    read when it has ended. None where it has ended, or the kernel has no such thing."""
    try:
        return os.pidfd_open(process)
    except OSError:
        return None


def kill_by(descriptor: int, wait_s: float) -> None:
    """Kill the process of a handle, and wait until it is gone, at most `wait_s`."""
    with suppress(*UNKILLABLE):
        signal.pidfd_send_signal(descriptor, signal.SIGKILL)
        select.select([descriptor], [], [], wait_s)


def end_group(process: int) -> None:
    """Kill a process and everything it has started and that has not left its group."""
    with suppress(*UNKILLABLE):
        os.killpg(process, signal.SIGKILL)


def processes() -> Iterator[int]:
    """Yield the numbers of all that run."""
    for name in os.listdir(PROCESSES):
        if name.isdigit():
            yield int(name)


def namespace() -> str:
    """Return the namespace within which process numbers mean the same."""
    return os.readlink(PROCESSES / "self" / "ns" / "pid")


def status_fields(process: int) -> list[str]:
    """Read the fields from the state on (proc(5), stat, third field); empty if it is gone."""
    with suppress(OSError):
        text = (PROCESSES / str(process) / "stat").read_text(errors="replace")
        # The name in brackets may hold anything.
        return text.rpartition(")")[2].split()
    return []


def began(process: int) -> int | None:
    """Return when it began, in clock ticks since the system's start; None for one that is gone, or
    a zombie."""
    fields = status_fields(process)
    return int(fields[19]) if len(fields) > 19 and fields[0] not in "ZX" else None


def read_of(process: int, file: str) -> bytes:
    """Read `cmdline` or `environ`; empty for one that is gone or another user's."""
    try:
        # Every process is looked at after each round: not by a path object.
        with open(f"{PROCESSES}/{process}/{file}", "rb", buffering=0) as source:
            return source.read()
    except OSError:
        return b""


def words_of(process: int, file: str) -> list[bytes]:
    """Return the words or variables of what `read_of` reads."""
    return read_of(process, file).split(b"\0")


def tasks_of_user() -> int:
    """Count the processes and threads of this process's user."""
    count = 0
    for process in processes():
        folder = PROCESSES / str(process)
        with suppress(OSError):
            if folder.stat().st_uid == os.getuid():
                count += len(os.listdir(folder / "task"))
    return count


def control_groups(process: int | str, controller: str, root: Path = Path("/")) -> list[Path]:
    """Return the folders of the control groups that a process is in as to a controller, its own
    first, up to the root, which in a container is the container's own: each of them sets limits."""
    found: list[Path] = []
    for line in _read(root / "proc" / str(process) / "cgroup").splitlines():
        controllers, _, path = line.partition(":")[2].partition(":")
        if controllers and controller not in controllers.split(","):
            continue
        top = root / "sys/fs/cgroup" / controllers
        folder = top / path.strip("/")
        if folder.is_relative_to(top):
            parents = (each for each in folder.parents if each.is_relative_to(top))
            found += [folder, *parents]
    return found


def tasks_left_in_groups() -> list[tuple[str, int]]:
    """Return, for every control group that this process is in, up to the root, where processes and
    threads are limited, and how many more there may be."""
    found = []
    for folder in control_groups("self", "pids"):
        most, now = _read(folder / "pids.max").strip(), _read(folder / "pids.current").strip()
        if most.isdigit() and now.isdigit():
            found.append((str(folder / "pids.max"), int(most) - int(now)))
    return found


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
