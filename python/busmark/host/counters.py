"""Kernel counters before and after a round, and what they say about it.

Counters of /proc/net belong to a network namespace: by default that of this process, else those of
the processes that are named.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, NamedTuple

from busmark.host import read

FILES = (
    "proc/stat",
    *(f"proc/net/{name}" for name in ("netstat", "snmp", "snmp6", "softnet_stat")),
)
"""All that is read for one network."""

SOFTNET_DROPPED = 1
"""Column of /proc/net/softnet_stat, hexadecimal: packets dropped because the backlog was full."""


class CpuTime(NamedTuple):
    """Time of one CPU since boot, in clock ticks."""

    busy: int
    """Running something: neither idle, waiting for a disk, nor stolen."""
    total: int
    steal: int
    """The hypervisor ran somebody else."""


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
    stat = (read.text(root / "proc/stat") or "").splitlines()
    folders = [root / "proc" / str(each) / "net" for each in processes] or [root / "proc/net"]
    networks = [_network(folder) for folder in folders]
    return Counters(
        **{key: _sum(*(network[key] for network in networks)) for key in networks[0]},
        softnet_drops=_softnet_drops(root / "proc/net/softnet_stat"),
        context_switches=_context_switches(stat),
        cpus=dict(filter(None, map(_cpu_time, stat))),
    )


def _network(net: Path) -> dict[str, int | None]:
    """Counters of one network namespace."""
    snmp = _tables(read.text(net / "snmp"))
    six = {key: read.to_int(value) for key, value in _pairs(net / "snmp6").items()}
    extended = _tables(read.text(net / "netstat"))
    return {
        "udp_rcvbuf_errors": _sum(snmp.get("Udp.RcvbufErrors"), six.get("Udp6RcvbufErrors")),
        "udp_in_errors": _sum(snmp.get("Udp.InErrors"), six.get("Udp6InErrors")),
        "udp_sndbuf_errors": _sum(snmp.get("Udp.SndbufErrors"), six.get("Udp6SndbufErrors")),
        "tcp_retransmits": snmp.get("Tcp.RetransSegs"),
        "tcp_listen_drops": extended.get("TcpExt.ListenDrops"),
    }


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


def _sum(*values: int | None) -> int | None:
    known = [value for value in values if value is not None]
    return sum(known) if known else None


def _tables(content: str | None) -> dict[str, int]:
    """Pairs of lines "Udp: InErrors …" and "Udp: 0 …" as {"Udp.InErrors": 0}."""
    found: dict[str, int] = {}
    heads: dict[str, list[str]] = {}
    for line in (content or "").splitlines():
        name, _, rest = line.partition(":")
        if name not in heads:
            heads[name] = rest.split()
            continue
        for key, value in zip(heads[name], rest.split(), strict=False):
            count = read.to_int(value)
            if count is not None:
                found[f"{name}.{key}"] = count
    return found


def _pairs(path: Path) -> dict[str, str]:
    """Lines of a name and a number between white space."""
    words = (line.split() for line in (read.text(path) or "").splitlines())
    return {pair[0]: pair[1] for pair in words if len(pair) == 2}


def _softnet_drops(path: Path) -> int | None:
    content = read.text(path)
    if content is None:
        return None
    try:
        return sum(int(line.split()[SOFTNET_DROPPED], 16) for line in content.splitlines())
    except (ValueError, IndexError):
        return None


def _context_switches(stat: list[str]) -> int | None:
    line = next((line for line in stat if line.startswith("ctxt ")), None)
    return read.to_int(line.split()[1]) if line else None


def _cpu_time(line: str) -> tuple[int, CpuTime] | None:
    """A line of /proc/stat: cpuN user nice system idle iowait irq softirq steal guest …

    Guest time is already within user time, so it is not added again.
    """
    words = line.split()
    if not words or not words[0].startswith("cpu") or not words[0][3:].isdigit():
        return None
    ticks = [read.to_int(word) or 0 for word in words[1:9]]
    ticks += [0] * (8 - len(ticks))
    user, nice, system, idle, iowait, irq, softirq, steal = ticks
    busy = user + nice + system + irq + softirq
    return int(words[0][3:]), CpuTime(busy, busy + idle + iowait + steal, steal)
