"""Counters over time: from texts of the kernel's files to what happened between two readings.

A reading is a list of files, each with its path on the node, the node's CLOCK_MONOTONIC when it was
read, and its text. `busmark-worker counters` writes them; wherever it ran, they are the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from busmark.host import proc

Scope = Literal["thread", "process", "network", "interface", "cpu", "host", "cgroup"]

File = tuple[int, str, str]
"""When it was read (ns), path, text."""
Reading = Sequence[File]
Files = Mapping[str, tuple[int, str]]
"""Time and text by path."""


class Key(NamedTuple):
    """Key of counters. Absent parts are None."""

    scope: Scope
    process: int | None = None
    thread: int | None = None
    name: str | None = None
    """Name of the interface; the CPU's number; the control group's folder. Threads have none,
    because their name may change at any time."""
    network: str | None = None
    """The network namespace, as the kernel names it."""
    began: int | None = None
    """Tells a thread from a later one of the same number."""


@dataclass(slots=True)
class CounterReading:
    """One object in one reading."""

    time_ns: int
    counts: dict[str, int | None] = field(default_factory=dict)
    """Counters since the object began."""
    levels: dict[str, int | str | None] = field(default_factory=dict)
    """Values that go up and down, or are set."""
    name: str | None = None
    """Name of a thread or a program."""
    parent: int | None = None


_PROCESS = re.compile(r"/proc/(\d+)/stat")
_THREAD = re.compile(r"/proc/(\d+)/task/(\d+)/stat")
_NAMESPACE = re.compile(r"/proc/(\d+)/ns/net")
_NETWORK = re.compile(r"/proc/(\d+)/net/dev")
_CGROUP = re.compile(
    r"/sys/fs/cgroup(.*)/(cpu\.(?:stat|max|cfs_quota_us|cfs_period_us)"
    r"|memory\.(?:current|usage_in_bytes))"
)


def counted(reading: Reading) -> dict[Key, CounterReading]:
    """Return everything that one reading counts, by object."""
    files = {path: (time_ns, text) for time_ns, path, text in reading}
    found = dict(_host(files))
    networks = {
        int(match[1]): text
        for path, (_, text) in files.items()
        if (match := _NAMESPACE.fullmatch(path))
    }
    for path, (time_ns, text) in files.items():
        if match := _PROCESS.fullmatch(path):
            number = int(match[1])
            found |= _process(files, number, networks.get(number), time_ns, text)
        elif match := _THREAD.fullmatch(path):
            found |= _thread(files, int(match[1]), int(match[2]), time_ns, text)
        elif match := _NETWORK.fullmatch(path):
            found |= _network(files, int(match[1]), networks.get(int(match[1])), time_ns, text)
        elif match := _CGROUP.fullmatch(path):
            entry = found.setdefault(Key("cgroup", name=match[1] or "/"), CounterReading(time_ns))
            _cgroup(entry, path, match[2], text)
    return {key: entry for key, entry in found.items() if entry.counts or entry.levels}


def _text(files: Files, path: str) -> str:
    return files[path][1] if path in files else ""


def _host(files: Files) -> Iterator[tuple[Key, CounterReading]]:
    if "/proc/stat" not in files:
        return
    time_ns, stat = files["/proc/stat"]
    memory = proc.pairs(_text(files, "/proc/vmstat"))
    softnet = files.get("/proc/net/softnet_stat")
    for number, ticks in proc.cpu_ticks(stat).items():
        times = {f"{name}_ns": _ns(ticks.get(name)) for name in ("irq", "softirq", "steal")}
        for name, parts in {"user": ("user", "nice"), "idle": ("idle", "iowait")}.items():
            times[f"{name}_ns"] = _ns(proc.total(*(ticks.get(part) for part in parts)))
        times["system_ns"] = _ns(ticks.get("system"))
        entry = CounterReading(time_ns, times)
        if not number:
            entry.counts |= {
                "context_switches": proc.context_switches(stat),
                **proc.net_softirqs(stat),
                "softnet_drops": proc.softnet_drops(softnet[1]) if softnet else None,
                "swap_in_pages": memory.get("pswpin"),
                "swap_out_pages": memory.get("pswpout"),
            }
        yield (Key("cpu", name=number) if number else Key("host")), entry


def _ns(ticks: int | None) -> int | None:
    return None if ticks is None else ticks * proc.TICK_NS


def _task(task: proc.ProcTask) -> dict[str, int | None]:
    return {
        "user_ns": _ns(task.user_ticks),
        "system_ns": _ns(task.system_ticks),
        "minor_faults": task.minor_faults,
        "major_faults": task.major_faults,
    }


def _process(
    files: Files, process: int, network: str | None, time_ns: int, text: str
) -> dict[Key, CounterReading]:
    task = proc.task(text)
    if task is None:
        return {}
    status = proc.status(_text(files, f"/proc/{process}/task/{process}/status"))
    levels: dict[str, int | str | None] = {
        "rss_bytes": status.get("VmRSS"),
        "swap_bytes": status.get("VmSwap"),
    }
    key = Key("process", process, network=network, began=task.began)
    return {key: CounterReading(time_ns, _task(task), levels, task.name, task.parent)}


def _thread(
    files: Files, process: int, thread: int, time_ns: int, text: str
) -> dict[Key, CounterReading]:
    task = proc.task(text)
    if task is None:
        return {}
    folder = f"/proc/{process}/task/{thread}"
    status = proc.status(_text(files, f"{folder}/status"))
    run_ns, queued_ns = proc.schedstat(_text(files, f"{folder}/schedstat")) or (None, None)
    counts = {
        **_task(task),
        "run_ns": run_ns,
        "queued_ns": queued_ns,
        "voluntary_switches": status.get("voluntary_ctxt_switches"),
        "involuntary_switches": status.get("nonvoluntary_ctxt_switches"),
    }
    key = Key("thread", process, thread, began=task.began)
    return {key: CounterReading(time_ns, counts, name=task.name)}


def _network(
    files: Files, process: int, network: str | None, time_ns: int, text: str
) -> dict[Key, CounterReading]:
    folder = f"/proc/{process}/net"
    snmp, snmp6 = _text(files, f"{folder}/snmp"), _text(files, f"{folder}/snmp6")
    counts = proc.network(snmp, snmp6) | proc.traffic(snmp, snmp6)
    found = {Key("network", network=network): CounterReading(time_ns, counts)}
    for name, values in proc.interfaces(text).items():
        found[Key("interface", name=name, network=network)] = CounterReading(time_ns, dict(values))
    return found


def _cgroup(entry: CounterReading, path: str, file: str, text: str) -> None:
    if file == "cpu.stat":
        _throttling(entry, proc.pairs(text))
    elif file.startswith("cpu."):
        # cpu.max has both: "20000 100000", or "max 100000" where nothing is limited.
        values = dict(zip(("quota", "period"), text.split(), strict=False))
        if file == "cpu.cfs_period_us":
            values = {"period": text.strip()}
        quota_us, period_us = (proc.to_int(values.get(name)) for name in ("quota", "period"))
        if period_us is not None:
            entry.levels["cpu_period_ns"] = period_us * 1000
        if quota_us is not None and quota_us > 0:  # version 1 writes -1 for none
            entry.levels |= {"cpu_quota_ns": quota_us * 1000, "cpu_quota_file": path}
    else:
        entry.levels["memory_bytes"] = int(text) if text.strip().isdecimal() else None


def _throttling(entry: CounterReading, values: Mapping[str, int]) -> None:
    if "nr_throttled" not in values:
        return  # the group's CPU time is not limited
    micro = values.get("throttled_usec")
    entry.counts["throttled"] = values["nr_throttled"]
    nano = values.get("throttled_time")
    entry.counts["throttled_ns"] = nano if micro is None else micro * 1000


def changes(readings: Sequence[Reading], participants: Mapping[int, str]) -> list[dict[str, Any]]:
    """Return what happened between neighbouring readings, one row per object, in order of time.

    Args:
        readings: of one node.
        participants: names by process; a child has its parent's.

    Returns:
        Rows with `interval` (its number, from 0), the parts of `Key`, `participant`, `start_ns` and
        `duration_ns` of the interval as it really was, counts of it, and levels at its end. A
        thread that came within the interval counts from its start; an object that one reading lacks
        counts from the reading before. None where a counter is absent or went backwards.
    """
    rows = []
    before: dict[Key, CounterReading] = {}
    seen: dict[Key, CounterReading] = {}
    names = dict(participants)
    for number, reading in enumerate(readings):
        after = counted(reading)
        names = _names(after, names)
        for key, entry in after.items():
            start = seen.get(key)
            if start is None and not (before and key.scope == "thread"):
                continue
            row = _row(key, names, _begin(start, before), start, entry)
            rows.append({"interval": number - 1, **row})
        before = after
        seen |= after
    return [row for row in rows if row["duration_ns"] > 0]


def _begin(start: CounterReading | None, before: Mapping[Key, CounterReading]) -> int:
    """Return when the interval began; for a new object, the time of the previous reading."""
    return start.time_ns if start else min(entry.time_ns for entry in before.values())


def _row(
    key: Key,
    names: Mapping[int, str],
    begin_ns: int,
    start: CounterReading | None,
    end: CounterReading,
) -> dict[str, Any]:
    old = start.counts if start else dict.fromkeys(end.counts, 0)
    return {
        "scope": key.scope,
        "participant": names.get(key.process) if key.process is not None else None,
        "process": key.process,
        "thread": key.thread,
        "name": key.name or end.name,
        "network": key.network,
        "start_ns": begin_ns,
        "duration_ns": end.time_ns - begin_ns,
        **{name: _rise(old.get(name), value) for name, value in end.counts.items()},
        **end.levels,
    }


def _rise(before: int | None, after: int | None) -> int | None:
    return None if before is None or after is None or after < before else after - before


def _names(entries: Mapping[Key, CounterReading], known: Mapping[int, str]) -> dict[int, str]:
    """Return participants by process: known ones, their children, and so on. Who is known stays
    so, for a child whose parent ends is given another."""
    names = dict(known)
    parents = {
        key.process: entry.parent
        for key, entry in entries.items()
        if key.scope == "process" and key.process is not None and entry.parent is not None
    }
    for process in parents:
        chain = [process]
        while chain[-1] not in names and chain[-1] in parents and len(chain) <= len(parents):
            chain.append(parents[chain[-1]])
        if chain[-1] in names:
            names |= dict.fromkeys(chain, names[chain[-1]])
    return names
