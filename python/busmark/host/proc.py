"""What texts of the kernel's files say (proc(5), cgroups(7)).

Each function takes the text of one file, wherever it was read, and gives numbers by name. What a
kernel does not offer, or what cannot be read, is left out or None; never 0, and never an error.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

MOST_CPUS = 1 << 16


def text(path: Path) -> str | None:
    """Return a file's text without surrounding white space; None when there is nothing to read."""
    try:
        content = path.read_text(encoding="utf-8", errors="replace").strip("\x00 \t\n")
    except OSError:
        return None
    return content or None


def number(path: Path) -> int | None:
    """Read a file that holds one integer."""
    return to_int(text(path))


def numbers(path: Path) -> list[int] | None:
    """Read a file that holds integers between white space, such as `tcp_rmem`."""
    content = text(path)
    if content is None:
        return None
    values = [to_int(word) for word in content.split()]
    known = [value for value in values if value is not None]
    return known if len(known) == len(values) else None


def fields(path: Path, separator: str) -> dict[str, str]:
    """Read lines of `key SEPARATOR value`; of a repeated key the first. Other lines are skipped."""
    found: dict[str, str] = {}
    for line in (text(path) or "").splitlines():
        key, mark, value = line.partition(separator)
        if mark:
            found.setdefault(key.strip(), value.strip())
    return found


def to_int(value: str | None) -> int | None:
    """Parse a decimal integer of 64 bits, else return None: no kernel counts further."""
    try:
        found = int(value) if value is not None else None
    except ValueError:
        return None
    return found if found is not None and -(2**63) <= found < 2**64 else None


def to_float(value: str) -> float:
    """Parse a finite number.

    Raises:
        ValueError: it is not one.
    """
    found = float(value)
    if not math.isfinite(found):
        raise ValueError(value)
    return found


def cpu_list(value: str | None) -> list[int] | None:
    """Parse the kernel's list format: "0-2,5" is [0, 1, 2, 5], "" is []; None if it is neither."""
    if value is None:
        return None
    cpus: list[int] = []
    for part in filter(None, value.strip().split(",")):
        first, mark, last = part.partition("-")
        low, high = to_int(first), to_int(last if mark else first)
        # No kernel has more; and a list of them all has to fit into memory.
        if low is None or high is None or not 0 <= low <= high < MOST_CPUS:
            return None
        cpus.extend(range(low, high + 1))
    return cpus


TICK_NS = 10_000_000
"""Unit of CPU time in these files: USER_HZ is 100 on every architecture that is in use."""

KIB = 1024

SOFTNET_DROPPED = 1
"""Column of /proc/net/softnet_stat, hexadecimal: packets dropped because the backlog was full."""

CPU_TIMES = ("user", "nice", "system", "idle", "iowait", "irq", "softirq", "steal")
"""Columns of a CPU's line in /proc/stat. Guest time follows; it is within user time already."""

NET_TX, NET_RX = 2, 3
"""Places among the kinds of the line softirq."""

INTERFACE_COLUMNS = {
    "rx_bytes": 0,
    "rx_packets": 1,
    "rx_errors": 2,
    "rx_drops": 3,
    "tx_bytes": 8,
    "tx_packets": 9,
    "tx_errors": 10,
    "tx_drops": 11,
}
"""Columns of /proc/net/dev behind the interface's name."""


class CpuTime(NamedTuple):
    """Time of one CPU since boot, in clock ticks."""

    busy: int
    """Running something: neither idle, waiting for a disk, nor stolen."""
    total: int
    steal: int
    """Time in which the hypervisor ran another machine."""


@dataclass(frozen=True, slots=True)
class ProcTask:
    """A process or a thread, by its file stat."""

    name: str
    parent: int
    began: int
    """Clock ticks since boot: tells it from a later one of the same number."""
    user_ticks: int
    system_ticks: int
    minor_faults: int
    major_faults: int


def task(text: str) -> ProcTask | None:
    """Parse /proc/PID/stat, which counts ended threads too, or /proc/PID/task/TID/stat."""
    head, mark, tail = text.rpartition(")")
    # The name in brackets may hold anything.
    values = [to_int(word) for word in tail.split()[1:20]]
    if not mark or len(values) < 19 or None in values:
        return None
    known = [value or 0 for value in values]
    return ProcTask(
        name=head.partition("(")[2],
        parent=known[0],
        began=known[18],
        user_ticks=known[10],
        system_ticks=known[11],
        minor_faults=known[6],
        major_faults=known[8],
    )


def last_cpu(text: str) -> int | None:
    """Return the CPU on which the thread last ran, from /proc/PID/task/TID/stat."""
    words = text.rpartition(")")[2].split()
    return to_int(words[36]) if len(words) > 36 else None


def schedstat(text: str) -> tuple[int, int] | None:
    """Return ns on a CPU, and ns of waiting for one, from /proc/PID/task/TID/schedstat."""
    words = [to_int(word) for word in text.split()[:2]]
    if len(words) != 2 or words[0] is None or words[1] is None:
        return None
    return words[0], words[1]


def status(text: str) -> dict[str, int]:
    """Return whole numbers by name from /proc/PID/status, sizes in bytes."""
    found = {}
    for line in text.splitlines():
        name, _, rest = line.partition(":")
        words = rest.split()
        value = to_int(words[0]) if words else None
        if value is not None:
            found[name] = value * KIB if words[1:] == ["kB"] else value
    return found


def tables(text: str) -> dict[str, int]:
    """Parse /proc/net/snmp and netstat: "Udp: InErrors …" and "Udp: 0 …" as {"Udp.InErrors": 0}."""
    found: dict[str, int] = {}
    heads: dict[str, list[str]] = {}
    for line in text.splitlines():
        name, _, rest = line.partition(":")
        if name not in heads:
            heads[name] = rest.split()
            continue
        for key, value in zip(heads[name], rest.split(), strict=False):
            count = to_int(value)
            if count is not None:
                found[f"{name}.{key}"] = count
    return found


def pairs(text: str) -> dict[str, int]:
    """Parse lines of name and whole number: /proc/net/snmp6, /proc/vmstat, cpu.stat of a cgroup."""
    words = (line.split() for line in text.splitlines())
    found = {pair[0]: to_int(pair[1]) for pair in words if len(pair) == 2}
    return {name: value for name, value in found.items() if value is not None}


def network(snmp: str, snmp6: str) -> dict[str, int | None]:
    """Return errors and TCP segments of a network namespace; for UDP, IPv4 and IPv6 together."""
    four, six = tables(snmp), pairs(snmp6)

    def udp(name: str) -> int | None:
        return total(four.get(f"Udp.{name}"), six.get(f"Udp6{name}"))

    return {
        "udp_rcvbuf_errors": udp("RcvbufErrors"),
        "udp_in_errors": udp("InErrors"),
        "udp_sndbuf_errors": udp("SndbufErrors"),
        "tcp_segments": four.get("Tcp.OutSegs"),
        "tcp_retransmits": four.get("Tcp.RetransSegs"),
    }


def traffic(snmp: str, snmp6: str) -> dict[str, int | None]:
    """Return what UDP and TCP of a network namespace carried, IPv4 and IPv6 together."""
    four, six = tables(snmp), pairs(snmp6)
    return {
        "udp_in_datagrams": total(four.get("Udp.InDatagrams"), six.get("Udp6InDatagrams")),
        "udp_out_datagrams": total(four.get("Udp.OutDatagrams"), six.get("Udp6OutDatagrams")),
        "tcp_in_segments": four.get("Tcp.InSegs"),
    }


def fragments(snmp: str, snmp6: str) -> dict[str, int | None]:
    """Return what a network namespace made of datagrams that are larger than a packet, IPv4 and
    IPv6."""
    four, six = tables(snmp), pairs(snmp6)
    names = {
        "ip_fragmented": "FragOKs",
        "ip_reassembled": "ReasmOKs",
        "ip_reassembly_fails": "ReasmFails",
    }
    return {ours: total(four.get(f"Ip.{key}"), six.get(f"Ip6{key}")) for ours, key in names.items()}


def interfaces(text: str) -> dict[str, dict[str, int]]:
    """Return `INTERFACE_COLUMNS` by interface, from /proc/net/dev."""
    found = {}
    for line in text.splitlines():
        name, mark, rest = line.rpartition(":")
        values = [to_int(word) for word in rest.split()]
        if mark and len(values) > max(INTERFACE_COLUMNS.values()):
            counts = {column: values[at] for column, at in INTERFACE_COLUMNS.items()}
            found[name.strip()] = {c: v for c, v in counts.items() if v is not None}
    return found


def softnet_drops(text: str) -> int | None:
    """Return the packets dropped before any socket, by all CPUs, from /proc/net/softnet_stat."""
    try:
        return sum(int(line.split()[SOFTNET_DROPPED], 16) for line in text.splitlines())
    except (ValueError, IndexError):
        return None


def context_switches(stat: str) -> int | None:
    """Return the context switches of all CPUs, from /proc/stat."""
    values = _line(stat, "ctxt")
    return values[0] if values else None


def net_softirqs(stat: str) -> dict[str, int | None]:
    """Return soft interrupts of the network, for sending and for receiving, from /proc/stat."""
    kinds = (_line(stat, "softirq") or [])[1:]
    places = {"softirqs_net_tx": NET_TX, "softirqs_net_rx": NET_RX}
    return {name: kinds[at] if at < len(kinds) else None for name, at in places.items()}


def _line(text: str, name: str) -> list[int | None] | None:
    line = next((line.split() for line in text.splitlines() if line.startswith(name + " ")), None)
    return [to_int(word) for word in line[1:]] if line else None


def cpu_ticks(stat: str) -> dict[str, dict[str, int]]:
    """Return `CPU_TIMES` in clock ticks, by CPU number, from /proc/stat; all together under ""."""
    found = {}
    for line in stat.splitlines():
        name, *words = line.split() or [""]
        number = name.removeprefix("cpu")
        if name.startswith("cpu") and (number.isdecimal() or not number):
            values = map(to_int, words)
            known = zip(CPU_TIMES, values, strict=False)
            found[number] = {column: ticks for column, ticks in known if ticks is not None}
    return found


def uptime_ticks(text: str) -> int | None:
    """Return clock ticks since boot from /proc/uptime: the time of a clock that no tick drives."""
    seconds = text.split()[:1]
    try:
        return round(float(seconds[0]) * 1e9 / TICK_NS) if seconds else None
    except (ValueError, OverflowError):
        return None


def cpu_time(ticks: dict[str, int]) -> CpuTime:
    """Sum up one CPU's ticks. Columns that an old kernel lacks add nothing."""
    idle = ticks.get("idle", 0) + ticks.get("iowait", 0)
    steal = ticks.get("steal", 0)
    whole = sum(ticks.values())
    return CpuTime(whole - idle - steal, whole, steal)


def total(*values: int | None) -> int | None:
    """Add up the known values; None where none is known."""
    known = [value for value in values if value is not None]
    return sum(known) if known else None
