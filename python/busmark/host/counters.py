"""Kernel counters before and after a round, and what they say about it.

Counters of /proc/net belong to a network namespace: by default this process's, else the named
processes'.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import re
import socket
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from busmark.host import proc
from busmark.host.proc import CpuTime

FILES = (
    "proc/stat",
    "proc/uptime",
    *(f"proc/net/{name}" for name in ("netstat", "snmp", "snmp6", "softnet_stat")),
)
"""All that is read for one network."""

EXTENDED = {
    "tcp_loss_probes": "TCPLossProbes",
    "tcp_probe_recoveries": "TCPLossProbeRecovery",
    "tcp_dsacks": "TCPDSACKRecvSegs",
    "tcp_dsacks_sent": "TCPDSACKOldSent",
    "tcp_timeouts": "TCPTimeouts",
    "tcp_listen_drops": "ListenDrops",
}
"""Counters of /proc/net/netstat, which a kernel may lack."""

EXTENDED_SUMS = {
    "tcp_recoveries": ("TCPSackRecovery", "TCPRenoRecovery"),
    "tcp_undone": ("TCPFullUndo", "TCPPartialUndo", "TCPDSACKUndo", "TCPLossUndo"),
}
"""Sums of such counters."""


@dataclass(frozen=True, slots=True)
class Counters:
    """One reading; None is a counter that the kernel does not offer."""

    udp_rcvbuf_errors: int | None = None
    """UDP datagrams dropped for want of receive buffer, IPv4 and IPv6."""
    udp_in_errors: int | None = None
    udp_sndbuf_errors: int | None = None
    ip_fragmented: int | None = None
    """Datagrams sent in fragments, IPv4 and IPv6; so for the next two."""
    ip_reassembled: int | None = None
    """Datagrams put together of fragments."""
    ip_reassembly_fails: int | None = None
    """Fragments that found no room, and datagrams given up because some of theirs never came."""
    tcp_segments: int | None = None
    """TCP segments sent, without retransmissions."""
    tcp_retransmits: int | None = None
    tcp_loss_probes: int | None = None
    """Sent because no acknowledgement came for the last segment; counted among `tcp_retransmits`
    where they carry one again."""
    tcp_probe_recoveries: int | None = None
    """Recoveries that repaired a loss."""
    tcp_dsacks: int | None = None
    """Segments of which the receiver said that it had them already."""
    tcp_dsacks_sent: int | None = None
    """Times that the receiver said so, as the receiver counts."""
    tcp_timeouts: int | None = None
    """Times that no acknowledgement came until the sender's timer had run out."""
    tcp_recoveries: int | None = None
    """Times that a sender took acknowledgements of later segments for a sign of loss."""
    tcp_undone: int | None = None
    """Times that it, or its timer, found later that nothing had been lost: segments had overtaken
    each other, which they do on the loopback interface, too, when a sender changes its CPU."""
    tcp_listen_drops: int | None = None
    softnet_drops: int | None = None
    context_switches: int | None = None
    uptime_ticks: int | None = None
    """When it was, in clock ticks since boot."""
    cpus: dict[int, CpuTime] = field(default_factory=dict)


def snapshot(processes: Sequence[int] = (), root: Path = Path("/")) -> Counters:
    """Read all counters: a few small files, well under a millisecond.

    Args:
        processes: those whose networks count, each in a namespace of its own; none: this one's.
        root: where the kernel's files are.
    """
    stat = proc.text(root / "proc/stat") or ""
    folders = [root / "proc" / str(each) / "net" for each in processes] or [root / "proc/net"]
    networks = [_network(folder) for folder in folders]
    content = proc.text(root / "proc/net/softnet_stat")
    return Counters(
        **{key: proc.total(*(network[key] for network in networks)) for key in networks[0]},
        softnet_drops=None if content is None else proc.softnet_drops(content),
        context_switches=proc.context_switches(stat),
        uptime_ticks=proc.uptime_ticks(proc.text(root / "proc/uptime") or ""),
        cpus={int(n): proc.cpu_time(ticks) for n, ticks in proc.cpu_ticks(stat).items() if n},
    )


def _network(net: Path) -> dict[str, int | None]:
    snmp, snmp6 = proc.text(net / "snmp") or "", proc.text(net / "snmp6") or ""
    extended = proc.tables(proc.text(net / "netstat") or "")
    return {
        **proc.network(snmp, snmp6),
        **proc.fragments(snmp, snmp6),
        **{name: extended.get(f"TcpExt.{key}") for name, key in EXTENDED.items()},
        **{
            name: proc.total(*(extended.get(f"TcpExt.{key}") for key in keys))
            for name, keys in EXTENDED_SUMS.items()
        },
    }


def difference(before: Counters, after: Counters) -> dict[str, Any]:
    """Return what happened between two snapshots, JSON-able.

    Every counter under its own name, and as shares from 0 to 1: `cpu_busy` and `steal` of the
    CPU that had most of it, `cpu_busy_per_cpu` by CPU number. None where a counter is absent,
    went backwards, or no time passed.

    A CPU was busy when it was neither idle nor stolen. Its own ticks are not reliable: a thread
    that wakes with each tick is found running by every one of them, and user time then grows faster
    than time does. Idle time is measured.
    """
    counts = {
        name: _rise(getattr(before, name), getattr(after, name))
        for name in (item.name for item in fields(Counters))
        if name not in ("cpus", "uptime_ticks")
    }
    passed = _rise(before.uptime_ticks, after.uptime_ticks)
    busy: dict[str, float] = {}
    steal: list[float] = []
    for cpu in sorted(before.cpus.keys() & after.cpus.keys()):
        old, new = before.cpus[cpu], after.cpus[cpu]
        ticks, stolen = new.total - old.total, new.steal - old.steal
        idle = ticks - stolen - (new.busy - old.busy)
        total = passed or ticks
        if ticks > 0:
            busy[str(cpu)] = _share(total - stolen - idle, total)
            steal.append(_share(stolen, total))
    return {
        **counts,
        "cpu_busy": max(busy.values(), default=None),
        "cpu_busy_per_cpu": busy,
        "steal": max(steal, default=None),
    }


def needless_retransmits(change: dict[str, Any]) -> int | None:
    """Count the segments sent again although nothing had been lost: all, if the sender took back
    every recovery and every time-out; else tail-loss probes that repaired nothing, or segments that
    the receiver already had. One segment may be both, so the greater number counts. None if the
    kernel does not report it."""
    again, probes = change.get("tcp_retransmits"), change.get("tcp_loss_probes")
    if again is None or probes is None:
        return None
    begun = (change.get("tcp_recoveries") or 0) + (change.get("tcp_timeouts") or 0)
    repaired = change.get("tcp_probe_recoveries") or 0
    if begun > 0 and repaired == 0 and (change.get("tcp_undone") or 0) >= begun:
        return int(again)
    had = max(change.get("tcp_dsacks") or 0, change.get("tcp_dsacks_sent") or 0)
    return int(min(again, max(probes - repaired, had, 0)))


def _rise(before: int | None, after: int | None) -> int | None:
    if before is None or after is None or after < before:
        return None
    return after - before


def _share(part: int, total: int) -> float:
    """Keep a share within 0 and 1: the kernel may correct a CPU's idle time, and busy with it."""
    return min(1.0, max(0.0, part / total))


PER_NETWORK = frozenset(
    {
        "ip_fragmented",
        "ip_reassembled",
        "ip_reassembly_fails",
        "udp_rcvbuf_errors",
        "udp_in_errors",
        "udp_sndbuf_errors",
        "tcp_segments",
        "tcp_retransmits",
        "tcp_loss_probes",
        "tcp_probe_recoveries",
        "tcp_dsacks",
        "tcp_dsacks_sent",
        "tcp_timeouts",
        "tcp_recoveries",
        "tcp_undone",
        "tcp_listen_drops",
    }
)
"""Counters that each network of a machine has for itself."""


@dataclass(frozen=True)
class CounterChange:
    """Change of the counters of one place, as `difference` computes it."""

    system: str
    """Tells machines apart."""
    network: str
    """Identifies networks, also those on one machine."""
    change: dict[str, Any]


def together(places: Sequence[CounterChange]) -> dict[str, Any]:
    """Add up the counts of every network and of every machine, each once, and take the greatest
    share. None where no place reports a value."""
    networks = {place.network: place.change for place in places}
    machines = {place.system: place.change for place in places}
    names = dict.fromkeys(name for change in machines.values() for name in change)
    found: dict[str, Any] = {}
    for name in names:
        changes = networks if name in PER_NETWORK else machines
        values = [change[name] for change in changes.values() if change[name] is not None]
        if name == "cpu_busy_per_cpu":
            continue  # its CPUs are known by numbers, which several machines have
        combine = max if name in ("cpu_busy", "steal") else sum
        found[name] = combine(values) if values else None
    return found


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
    """Return the drops of all sockets of a network, by inode; None where they cannot be seen."""
    four, six = (proc.text(net / name) for name in ("udp", "udp6"))
    if four is None:
        return None
    lines = [*four.splitlines()[1:], *(six or "").splitlines()[1:]]
    rows = (line.split() for line in lines)
    pairs = [(proc.to_int(row[INODE]), proc.to_int(row[DROPS])) for row in rows if len(row) >= 13]
    return {inode: drops for inode, drops in pairs if inode is not None and drops is not None}
