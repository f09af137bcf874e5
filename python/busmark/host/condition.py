"""The state of a machine at one moment of a round: where threads may run and ran, the clock, the
governors, the CPU quota. Two moments are compared, so that a round in which it changed is known.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from busmark import platform
from busmark.host import proc
from busmark.host.profile import CLOCKSOURCE, CPUS, governors

MACHINE_FILES = (
    f"{CLOCKSOURCE}/current_clocksource",
    f"{CPUS}/online",
    f"{CPUS}/cpu*/cpufreq/scaling_governor",
)
THREAD_FILES = ("status", "stat", "schedstat")
"""Read for every thread, from its folder below `task`."""

QUOTAS = ("cpu.max", "cpu.cfs_quota_us", "cpu.cfs_period_us")
"""Files of a control group, version 2 and 1."""

STEP_NS = 1_000_000
"""CLOCK_REALTIME and CLOCK_MONOTONIC are slewed together, so that their difference changes by a
step alone; what two readings of it differ by is below this."""
TRIES = 5
"""Readings of the two clocks, of which the closest counts."""


@dataclass(frozen=True)
class Thread:
    """CPUs on which one thread may run, and where it last ran."""

    allowed: tuple[int, ...] | None
    last: int | None
    run_ns: int | None


@dataclass(frozen=True)
class Condition:
    """The state at one moment; what could not be read is None."""

    clock_source: str | None = None
    governors: dict[str, str] | None = None
    quotas: dict[str, str] = field(default_factory=dict)
    """CPU quota of the control groups that processes are in, up to the root, by file."""
    wall_clock_offset_ns: int | None = None
    """CLOCK_REALTIME minus CLOCK_MONOTONIC."""
    threads: dict[int, dict[int, Thread]] = field(default_factory=dict)
    """Threads by process, then by thread."""


def thread_files(processes: Sequence[int]) -> list[str]:
    """Return patterns of the files that tell where threads of these processes run."""
    return [f"proc/{each}/task/*/{name}" for each in processes for name in THREAD_FILES]


def condition(processes: Sequence[int], root: Path = Path("/"), *, here: bool = True) -> Condition:
    """Read the state now; `here`: of this machine, whose clocks can be asked."""
    online = proc.cpu_list(proc.text(root / CPUS / "online")) or []
    return Condition(
        clock_source=proc.text(root / CLOCKSOURCE / "current_clocksource"),
        governors=governors(root, online),
        quotas=_quotas(processes, root),
        wall_clock_offset_ns=_wall_clock_offset_ns() if here else None,
        threads={each: _threads(root / "proc" / str(each) / "task") for each in processes},
    )


def _threads(folder: Path) -> dict[int, Thread]:
    try:
        numbers = [int(each.name) for each in folder.iterdir() if each.name.isdecimal()]
    except OSError:
        return {}
    return {number: _thread(folder / str(number)) for number in numbers}


def _thread(folder: Path) -> Thread:
    allowed = proc.cpu_list(proc.fields(folder / "status", ":").get("Cpus_allowed_list"))
    ran = proc.schedstat(proc.text(folder / "schedstat") or "")
    return Thread(
        allowed=None if allowed is None else tuple(allowed),
        last=proc.last_cpu(proc.text(folder / "stat") or ""),
        run_ns=ran[0] if ran else None,
    )


def _quotas(processes: Sequence[int], root: Path) -> dict[str, str]:
    groups = [
        each for process in processes for each in platform.control_groups(process, "cpu", root)
    ]
    files = [folder / name for folder in dict.fromkeys(groups) for name in QUOTAS]
    return {str(file): text for file in files if (text := proc.text(file))}


def _wall_clock_offset_ns() -> int:
    readings = []
    for _ in range(TRIES):
        before = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
        wall = time.clock_gettime_ns(time.CLOCK_REALTIME)
        after = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
        readings.append((after - before, wall - (before + after) // 2))
    return min(readings)[1]


def cpus_allowed(threads: Mapping[int, Thread]) -> list[int]:
    """Return the CPUs on which some thread may run; none where that is not known."""
    return sorted({cpu for each in threads.values() for cpu in each.allowed or ()})


def cpus_used(before: Mapping[int, Thread], after: Mapping[int, Thread]) -> list[int]:
    """Return the CPUs on which threads that ran between two readings were seen last: a thread that
    slept all the time keeps the CPU of before."""
    return sorted(
        {
            now.last
            for number, now in after.items()
            if now.last is not None
            and now.run_ns is not None
            and now.run_ns > ((old.run_ns or 0) if (old := before.get(number)) else 0)
        }
    )


def changes(
    before: Condition, after: Condition, processes: Mapping[int, tuple[str, Sequence[int]]]
) -> dict[str, str]:
    """Return what is not the same, in words, by `affinity`, `cpus_used`, `clock_source`,
    `governor`, `cpu_quota` and `wall_clock`. A value that one reading lacks is no change.

    Args:
        processes: name of each process, and the CPUs to which it was pinned (none: to none).
    """
    found = {
        "affinity": _affinity(before, after, processes),
        "cpus_used": _elsewhere(before, after, processes),
        "clock_source": _then(before.clock_source, after.clock_source),
        "governor": _differing(before.governors or {}, after.governors or {}, "CPU "),
        "cpu_quota": _differing(before.quotas, after.quotas),
        "wall_clock": _stepped(before.wall_clock_offset_ns, after.wall_clock_offset_ns),
    }
    return {name: text for name, text in found.items() if text}


def _then(old: str | None, new: str | None) -> str:
    return f"{old}, then {new}" if old and new and old != new else ""


def _differing(old: Mapping[str, str], new: Mapping[str, str], noun: str = "") -> str:
    pairs = {name: _then(old.get(name), new.get(name)) for name in old}
    return ", ".join(f"{noun}{name} {text}" for name, text in pairs.items() if text)


def _stepped(old: int | None, new: int | None) -> str:
    if old is None or new is None or abs(new - old) < STEP_NS:
        return ""
    return f"stepped by {(new - old) / 1e9:+.3f} s"


def _affinity(
    before: Condition, after: Condition, processes: Mapping[int, tuple[str, Sequence[int]]]
) -> str:
    lines = []
    for number, (name, pinned) in processes.items():
        old, new = before.threads.get(number, {}), after.threads.get(number, {})
        begin, end = cpus_allowed(old), cpus_allowed(new)
        both = old.keys() & new.keys()
        if any(old[each].allowed != new[each].allowed for each in both) or (
            begin and end and not set(end) <= set(begin)
        ):
            lines.append(f"{name} on {_cpus(begin)}, then on {_cpus(end)}")
        elif pinned and not set(end) <= set(pinned):
            lines.append(f"{name} on {_cpus(end)}, pinned to {_cpus(pinned)}")
    return ", ".join(lines)


def _elsewhere(
    before: Condition, after: Condition, processes: Mapping[int, tuple[str, Sequence[int]]]
) -> str:
    lines = []
    for number, (name, pinned) in processes.items():
        used = cpus_used(before.threads.get(number, {}), after.threads.get(number, {}))
        if pinned and not set(used) <= set(pinned):
            lines.append(f"{name} on {_cpus(used)}, pinned to {_cpus(pinned)}")
    return ", ".join(lines)


def _cpus(cpus: Sequence[int]) -> str:
    return "CPU " + "+".join(map(str, cpus))
