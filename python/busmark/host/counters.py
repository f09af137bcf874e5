"""Kernel counters before and after a round, and what they say about it.

Counters of /proc/net belong to a network namespace: by default that of this process, else those of
the processes that are named.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from busmark.host import proc, read
from busmark.host.proc import CpuTime

FILES = (
    "proc/stat",
    *(f"proc/net/{name}" for name in ("netstat", "snmp", "snmp6", "softnet_stat")),
)
"""All that is read for one network."""


@dataclass(frozen=True, slots=True)
class Counters:
    """One reading; None is a counter that the kernel does not offer."""

    udp_rcvbuf_errors: int | None = None
    """UDP datagrams dropped for want of receive buffer, IPv4 and IPv6."""
    udp_in_errors: int | None = None
    udp_sndbuf_errors: int | None = None
    tcp_retransmits: int | None = None
    tcp_listen_drops: int | None = None
    softnet_drops: int | None = None
    context_switches: int | None = None
    cpus: dict[int, CpuTime] = field(default_factory=dict)


def snapshot(processes: Sequence[int] = (), root: Path = Path("/")) -> Counters:
    """Reads all counters; a few small files, well under a millisecond.

    Args:
        processes: those whose networks count, each in a namespace of its own; none: this one's.
        root: where the kernel's files are.
    """
    stat = read.text(root / "proc/stat") or ""
    folders = [root / "proc" / str(each) / "net" for each in processes] or [root / "proc/net"]
    networks = [_network(folder) for folder in folders]
    return Counters(
        **{key: proc.total(*(network[key] for network in networks)) for key in networks[0]},
        softnet_drops=_softnet_drops(root / "proc/net/softnet_stat"),
        context_switches=proc.context_switches(stat),
        cpus={int(n): proc.cpu_time(ticks) for n, ticks in proc.cpu_ticks(stat).items() if n},
    )


def _network(net: Path) -> dict[str, int | None]:
    """Counters of one network namespace."""
    extended = proc.tables(read.text(net / "netstat") or "")
    return {
        **proc.network(read.text(net / "snmp") or "", read.text(net / "snmp6") or ""),
        "tcp_listen_drops": extended.get("TcpExt.ListenDrops"),
    }


def _softnet_drops(path: Path) -> int | None:
    content = read.text(path)
    return None if content is None else proc.softnet_drops(content)


def difference(before: Counters, after: Counters) -> dict[str, Any]:
    """What happened between two snapshots, JSON-able.

    Every counter under its own name, and as shares from 0 to 1: `cpu_busy` and `steal` of the
    CPU that had most of it, `cpu_busy_per_cpu` by CPU number. None where a counter is absent,
    went backwards, or no time passed.
    """
    counts = {
        name: _rise(getattr(before, name), getattr(after, name))
        for name in (item.name for item in fields(Counters))
        if name != "cpus"
    }
    busy: dict[str, float] = {}
    steal: list[float] = []
    for cpu in sorted(before.cpus.keys() & after.cpus.keys()):
        old, new = before.cpus[cpu], after.cpus[cpu]
        total = new.total - old.total
        if total > 0:
            busy[str(cpu)] = _share(new.busy - old.busy, total)
            steal.append(_share(new.steal - old.steal, total))
    return {
        **counts,
        "cpu_busy": max(busy.values(), default=None),
        "cpu_busy_per_cpu": busy,
        "steal": max(steal, default=None),
    }


def _rise(before: int | None, after: int | None) -> int | None:
    if before is None or after is None or after < before:
        return None
    return after - before


def _share(part: int, total: int) -> float:
    """Between 0 and 1: a CPU's idle time may be corrected by the kernel, and busy with it."""
    return min(1.0, max(0.0, part / total))
