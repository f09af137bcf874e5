"""The CPUs of the machine: how many, how they share cores, and what sets their frequency."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from busmark.host import read

CPUS = "sys/devices/system/cpu"
MODEL_KEYS = ("model name", "Processor", "cpu model", "uarch")
"""Keys of /proc/cpuinfo on x86, older ARM, MIPS and RISC-V."""


def cpu_facts(root: Path) -> dict[str, Any]:
    """The part of the host profile that concerns CPUs."""
    info = read.fields(root / "proc/cpuinfo", ":")
    status = read.fields(root / "proc/self/status", ":")
    online = read.cpu_list(read.text(root / CPUS / "online"))
    siblings = _siblings(root, online or [])
    isolated = (root / CPUS / "isolated").exists()
    return {
        "cpu_model": next((info[key] for key in MODEL_KEYS if info.get(key)), None),
        "cpus_online": len(online) if online is not None else None,
        "cpus_allowed": read.cpu_list(status.get("Cpus_allowed_list")),
        "isolated_cpus": (
            read.cpu_list(read.text(root / CPUS / "isolated") or "") if isolated else None
        ),
        "thread_siblings": siblings,
        "threads_per_core": max(map(len, siblings)) if siblings else None,
        "smt_active": _smt_active(root, siblings),
        "numa_nodes": _numa_nodes(root),
        "governors": governors(root, online or []),
        "turbo": _turbo(root),
        "aes_instructions": _aes(info),
    }


def _aes(info: dict[str, str]) -> bool | None:
    """Whether a CPU has instructions for AES and for GHASH; None where it does not list any."""
    listed = {*info.get("flags", "").split(), *info.get("Features", "").split()}
    if not listed:
        return None
    return "aes" in listed and not listed.isdisjoint({"pclmulqdq", "pmull"})


def _siblings(root: Path, online: list[int]) -> list[list[int]] | None:
    """CPUs that share a core, core by core; None where the topology is not known."""
    cores: set[tuple[int, ...]] = set()
    for cpu in online:
        path = root / CPUS / f"cpu{cpu}/topology/thread_siblings_list"
        together = read.cpu_list(read.text(path))
        if together is None:
            return None
        cores.add(tuple(together))
    return [list(core) for core in sorted(cores)] or None


def _smt_active(root: Path, siblings: list[list[int]] | None) -> bool | None:
    active = read.number(root / CPUS / "smt/active")
    if active is not None:
        return active == 1
    return any(len(core) > 1 for core in siblings) if siblings else None


def _numa_nodes(root: Path) -> int | None:
    nodes = read.cpu_list(read.text(root / "sys/devices/system/node/online"))
    return len(nodes) if nodes is not None else None


def governors(root: Path, online: list[int]) -> dict[str, str] | None:
    """Frequency governor of each CPU by its number; None where no CPU has one."""
    paths = {cpu: root / CPUS / f"cpu{cpu}/cpufreq/scaling_governor" for cpu in online}
    found = {str(cpu): governor for cpu, path in paths.items() if (governor := read.text(path))}
    return found or None


def _turbo(root: Path) -> bool | None:
    """Whether CPUs may exceed their nominal frequency; None if the kernel does not report it."""
    no_turbo = read.number(root / CPUS / "intel_pstate/no_turbo")
    if no_turbo is not None:
        return no_turbo == 0
    boost = read.number(root / CPUS / "cpufreq/boost")
    return boost == 1 if boost is not None else None
