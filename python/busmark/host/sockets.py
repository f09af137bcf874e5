"""UDP sockets of processes: what the kernel dropped at each, and how large its buffer is."""

from __future__ import annotations

import contextlib
import ctypes
import os
import re
import socket
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from busmark.host import read

_SOCKET = re.compile(r"socket:\[(\d+)\]")
INODE, DROPS = -4, -1
"""Columns of /proc/net/udp, counted from the right: inode, reference count, pointer, drops."""


PIDFD_GETFD = 438
"""Number of the system call, on all architectures; the standard library does not have it."""


@dataclass(frozen=True, slots=True)
class UdpSocket:
    """A socket at one moment."""

    drops: int
    """Datagrams dropped since it was made."""
    buffer_bytes: int | None = None
    """SO_RCVBUF as the kernel counts it; None where nothing was dropped, or we may not look."""


def udp_sockets(processes: Iterable[int], root: Path = Path("/")) -> dict[int, UdpSocket] | None:
    """Return each UDP socket of these processes, by its inode; None where sockets of one of them
    cannot be seen."""
    found: dict[int, UdpSocket] = {}
    networks: dict[str, dict[int, int] | None] = {}
    for process in processes:
        folder = root / "proc" / str(process)
        own, network = _inodes(folder / "fd"), _link(folder / "ns/net") or str(process)
        if network not in networks:
            # Once for each network: with many participants the tables are long.
            networks[network] = _drops(folder / "net")
        drops = networks[network]
        if own is None or drops is None:
            return None
        for inode in own.keys() & drops.keys():
            size = _receive_buffer(process, own[inode]) if drops[inode] else None
            found[inode] = UdpSocket(drops[inode], size)
    return found


def drops_between(
    before: dict[int, UdpSocket] | None, after: dict[int, UdpSocket] | None
) -> tuple[int | None, int | None]:
    """Return what was dropped between two readings, new sockets included, and the receive buffer
    of the socket that dropped most; None where a reading is missing."""
    if before is None or after is None:
        return None, None
    dropped = {
        inode: max(0, own.drops - (before[inode].drops if inode in before else 0))
        for inode, own in after.items()
    }
    worst = max(dropped, key=dropped.__getitem__, default=None)
    size = after[worst].buffer_bytes if worst is not None and dropped[worst] else None
    return sum(dropped.values()), size


def _receive_buffer(process: int, descriptor: int) -> int | None:
    """Ask the socket itself: what the system has by default, or allows, is not what it has."""
    with contextlib.suppress(OSError, AttributeError):
        there = os.pidfd_open(process)
        try:
            own = ctypes.CDLL(None).syscall(PIDFD_GETFD, there, descriptor, 0)
        finally:
            os.close(there)
        if own >= 0:
            with socket.socket(fileno=own) as shared:
                return shared.getsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF)
    return None


def _inodes(folder: Path) -> dict[int, int] | None:
    """Return a descriptor of each socket, by the socket's inode."""
    try:
        names = os.listdir(folder)
    except OSError:
        return None
    matches = ((name, _SOCKET.fullmatch(_link(folder / name) or "")) for name in names)
    return {int(match[1]): int(name) for name, match in matches if match}


def _link(path: Path) -> str | None:
    try:
        return os.readlink(path)
    except OSError:
        return None  # closed in the meantime, or not ours to see


def _drops(net: Path) -> dict[int, int] | None:
    """Drops of all sockets of a network, by inode; None where they cannot be seen."""
    four, six = (read.text(net / name) for name in ("udp", "udp6"))
    if four is None:
        return None
    lines = [*four.splitlines()[1:], *(six or "").splitlines()[1:]]
    rows = (line.split() for line in lines)
    pairs = [(read.to_int(row[INODE]), read.to_int(row[DROPS])) for row in rows if len(row) >= 13]
    return {inode: drops for inode, drops in pairs if inode is not None and drops is not None}
