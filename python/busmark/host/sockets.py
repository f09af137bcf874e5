"""UDP sockets of processes, and what the kernel dropped at each."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from pathlib import Path

from busmark.host import read

_SOCKET = re.compile(r"socket:\[(\d+)\]")
INODE, DROPS = -4, -1
"""Columns of /proc/net/udp, counted from the right: inode, reference count, pointer, drops."""


def udp_drops(processes: Iterable[int], root: Path = Path("/")) -> dict[int, int] | None:
    """Datagrams dropped since each UDP socket of these processes was made, by the socket's inode.

    None where sockets of one of them cannot be seen.
    """
    found: dict[int, int] = {}
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
        found |= {inode: drops[inode] for inode in own & drops.keys()}
    return found


def drops_between(before: dict[int, int] | None, after: dict[int, int] | None) -> int | None:
    """What was dropped between two readings, new sockets included; None where one is missing."""
    if before is None or after is None:
        return None
    return sum(max(0, drops - before.get(inode, 0)) for inode, drops in after.items())


def _inodes(folder: Path) -> set[int] | None:
    try:
        names = os.listdir(folder)
    except OSError:
        return None
    matches = (_SOCKET.fullmatch(_link(folder / name) or "") for name in names)
    return {int(match[1]) for match in matches if match}


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
