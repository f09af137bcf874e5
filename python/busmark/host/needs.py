"""What participants need of this machine before anything runs: asked for each case by a plan, and
by `doctor`."""

from __future__ import annotations

import os
import resource
import socket
from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import cache
from math import ceil
from pathlib import Path

SHARED_MEMORY = Path("/dev/shm")
LOOPBACK = "127.0.0.1"
HERE = Path()
LEAST_SHARED = 2 << 20
"""Bytes of shared memory with which one pair over shared memory runs; with 1 MiB the first touch of
the rest ends the process (iceoryx2, Fast DDS: SIGBUS)."""
LEAST_FILES = 64
"""Open files of one participant with its sockets, pipes and libraries."""
FEW_MIB = 10
"""Below this many MiB a size is shown in KiB: "1 MiB free, and 1 MiB is needed" says nothing."""
LEAST_DISK = 1 << 20
"""Bytes of disk for the smallest results. A disk that fills up later ends the run, and nothing
finished is lost."""
PROBE = b"busmark"


@dataclass(frozen=True, slots=True)
class Need:
    """One thing that carriers of samples need.

    `state` gives what was seen, and what is wrong with it, with what to do, or None.
    """

    name: str
    carriers: frozenset[str]
    """Carriers that need it; empty: every case does."""
    state: Callable[[], tuple[str, str | None]]
    fine: str
    """Why it is in order."""


def missing(carriers: Collection[str], stored: int = 0) -> str | None:
    """Return what a case whose samples these carry lacks here, of which so many bytes lie in shared
    memory; None: nothing that is known."""
    for need in NEEDS:
        if not need.carriers or need.carriers & set(carriers):
            problem = _state(need)[1]
            if problem:
                return problem
    return shared_memory(least=stored)[1] if stored > LEAST_SHARED else None


@cache
def _state(need: Need) -> tuple[str, str | None]:
    """Look at a need once for each process: a plan has hundreds of cases."""
    return need.state()


def loopback() -> tuple[str, str | None]:
    """Send a datagram over the loopback interface and receive it, as participants do: routes, rules
    and the state of the interface all matter to it."""
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as own:
            own.settimeout(1.0)
            own.bind((LOOPBACK, 0))
            own.sendto(PROBE, own.getsockname())
            own.recv(len(PROBE))
    except OSError as error:
        why = "no answer within 1 s" if isinstance(error, TimeoutError) else error.strerror
        return "does not work", f"{LOOPBACK} cannot be reached ({why}): Run `ip link set lo up`"
    return f"{LOOPBACK} answers", None


def shared_memory(
    folder: Path = SHARED_MEMORY, least: int = LEAST_SHARED
) -> tuple[str, str | None]:
    """Return whether files can be made there, and whether they can be so large."""
    try:
        found = os.statvfs(folder)
    except OSError as error:
        return (
            "absent",
            f"{folder} is needed for shared memory: Mount a tmpfs there ({error.strerror})",
        )
    free = found.f_bavail * found.f_frsize
    text = f"{_size(free)} free in {folder}"
    if not os.access(folder, os.W_OK | os.X_OK):
        return text, f"{folder} cannot be written to: Run `chmod 1777 {folder}`"
    if free < least:
        wanted, size = ceil(least / (1 << 20)), max(1, ceil(2 * least / (1 << 30)))
        needs = (
            f"shared memory needs {wanted} MiB at least"
            if least == LEAST_SHARED
            else f"the samples of this case may take {wanted} MiB"
        )
        return text, (
            f"{text}, and {needs}: Remove what is left there, or run "
            f"`mount -o remount,size={size}G {folder}` (containers: --shm-size={size}g)"
        )
    return text, None


def _size(free: int) -> str:
    """Return a size that is never more than there is."""
    few = free < FEW_MIB << 20
    return f"{free >> (10 if few else 20):,} {'KiB' if few else 'MiB'}".replace(",", " ")


def disk(folder: Path = HERE) -> tuple[str, str | None]:
    """Check the room for a result in a folder or, if it is not there yet, the next one above it."""
    there = folder.absolute()
    while not there.exists():
        there = there.parent
    found = os.statvfs(there)
    free = found.f_bavail * found.f_frsize
    text = f"{_size(free)} free in {there}"
    # The kernel's own, such as /proc, have no blocks: that nothing can be written there is
    # found when the folder is made.
    if found.f_blocks and free < LEAST_DISK:
        return text, (
            f"{text}, and a result needs {LEAST_DISK >> 20} MiB at least: Make room, or choose "
            "another folder for it (--out)"
        )
    return text, None


def ports() -> tuple[str, str | None]:
    """Return those that the kernel hands out to sockets that ask for none, and whether one is
    left."""
    try:
        for kind in (socket.SOCK_DGRAM, socket.SOCK_STREAM):
            with socket.socket(socket.AF_INET, kind) as own:
                own.bind((LOOPBACK, 0))
    except OSError as error:
        return "none left", (
            f"no port is left on {LOOPBACK} ({error.strerror}): End what holds them (`ss -anp`), "
            "or widen net.ipv4.ip_local_port_range"
        )
    return "one of either kind can be had", None


def open_files() -> tuple[str, str | None]:
    """Check the soft limit of open files, which workers inherit."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    text = "no limit" if soft == resource.RLIM_INFINITY else f"{soft} for each process"
    if soft != resource.RLIM_INFINITY and soft < LEAST_FILES:
        return text, (
            f"the limit of open files is {soft}, and a participant has up to {LEAST_FILES}: Run "
            f"`ulimit -n {max(LEAST_FILES, min(hard, 1024))}`"
        )
    return text, None


NEEDS = (
    Need("loopback", frozenset({"udp", "tcp", "mixed"}), loopback, "sockets reach each other"),
    Need("ports", frozenset({"udp", "tcp", "mixed"}), ports, "sockets get a port"),
    Need("shared memory", frozenset({"shared_memory"}), shared_memory, "it can be written to"),
    Need("open files", frozenset(), open_files, "a participant has enough"),
)
"""Needs of participants, in the order in which they are checked."""
HERE_TOO = (*NEEDS, Need("disk", frozenset(), disk, "a result finds room"))
"""Needs of this machine and of the folder of a result: `doctor` looks at the current folder, a run
at its own."""
