"""What bears on a measurement on this machine, from /proc, /sys and its clock."""

from __future__ import annotations

import os
import platform
from collections.abc import Callable, Iterable, Mapping
from fnmatch import fnmatchcase
from itertools import chain
from pathlib import Path
from typing import Any

from busmark.facts import adapter_facts
from busmark.host import clock, hardware, proc
from busmark.host.clock import clock_step_ns

CPUS = "sys/devices/system/cpu"
MODEL_KEYS = ("model name", "Processor", "cpu model", "uarch")
"""Keys of /proc/cpuinfo on x86, older ARM, MIPS and RISC-V."""


def cpu_facts(root: Path) -> dict[str, Any]:
    """Return the part of the host profile that concerns CPUs."""
    info = proc.fields(root / "proc/cpuinfo", ":")
    status = proc.fields(root / "proc/self/status", ":")
    online = proc.cpu_list(proc.text(root / CPUS / "online"))
    siblings = _siblings(root, online or [])
    isolated = (root / CPUS / "isolated").exists()
    nodes = proc.cpu_list(proc.text(root / "sys/devices/system/node/online"))
    return {
        "cpu_model": next((info[key] for key in MODEL_KEYS if info.get(key)), None),
        "cpus_online": len(online) if online is not None else None,
        "cpus_allowed": proc.cpu_list(status.get("Cpus_allowed_list")),
        "isolated_cpus": (
            proc.cpu_list(proc.text(root / CPUS / "isolated") or "") if isolated else None
        ),
        "thread_siblings": siblings,
        "threads_per_core": max(map(len, siblings)) if siblings else None,
        "smt_active": _smt_active(root, siblings),
        "numa_nodes": len(nodes) if nodes is not None else None,
        "governors": governors(root, online or []),
        "turbo": _turbo(root),
        "aes_instructions": _aes(info),
    }


def _aes(info: dict[str, str]) -> bool | None:
    """Return whether a CPU has instructions for AES and for GHASH; None where it does not list
    any."""
    listed = {*info.get("flags", "").split(), *info.get("Features", "").split()}
    if not listed:
        return None
    return "aes" in listed and not listed.isdisjoint({"pclmulqdq", "pmull"})


def _siblings(root: Path, online: list[int]) -> list[list[int]] | None:
    """Return the CPUs that share a core, core by core; None where the topology is not known."""
    cores: set[tuple[int, ...]] = set()
    for cpu in online:
        path = root / CPUS / f"cpu{cpu}/topology/thread_siblings_list"
        together = proc.cpu_list(proc.text(path))
        if together is None:
            return None
        cores.add(tuple(together))
    return [list(core) for core in sorted(cores)] or None


def _smt_active(root: Path, siblings: list[list[int]] | None) -> bool | None:
    active = proc.number(root / CPUS / "smt/active")
    if active is not None:
        return active == 1
    return any(len(core) > 1 for core in siblings) if siblings else None


def governors(root: Path, online: list[int]) -> dict[str, str] | None:
    """Return the frequency governor of each CPU by its number; None where no CPU has one."""
    paths = {cpu: root / CPUS / f"cpu{cpu}/cpufreq/scaling_governor" for cpu in online}
    found = {str(cpu): governor for cpu, path in paths.items() if (governor := proc.text(path))}
    return found or None


def _turbo(root: Path) -> bool | None:
    """Return whether CPUs may exceed their nominal frequency; None if the kernel does not report
    it."""
    no_turbo = proc.number(root / CPUS / "intel_pstate/no_turbo")
    if no_turbo is not None:
        return no_turbo == 0
    boost = proc.number(root / CPUS / "cpufreq/boost")
    return boost == 1 if boost is not None else None


Profile = dict[str, Any]
"""JSON-able; a value that cannot be found out is None."""

SOCKET_LIMITS = {
    "rmem_max": "core/rmem_max",
    "rmem_default": "core/rmem_default",
    "wmem_max": "core/wmem_max",
    "wmem_default": "core/wmem_default",
    "netdev_max_backlog": "core/netdev_max_backlog",
}
SOCKET_RANGES = {
    "tcp_rmem": "ipv4/tcp_rmem",
    "tcp_wmem": "ipv4/tcp_wmem",
    "udp_mem": "ipv4/udp_mem",
}
UNLIMITED = "unlimited"
LIMITS = {"memlock_bytes": "Max locked memory", "rtprio": "Max realtime priority"}
CLOCKSOURCE = "sys/devices/system/clocksource/clocksource0"

FILES = (
    "etc/os-release",
    *(f"proc/{name}" for name in ("cmdline", "cpuinfo", "loadavg", "meminfo")),
    *(f"proc/self/{name}" for name in ("limits", "status")),
    *(f"proc/sys/kernel/{name}" for name in ("hostname", "osrelease", "random/boot_id")),
    *(f"proc/sys/net/{name}" for name in (*SOCKET_LIMITS.values(), *SOCKET_RANGES.values())),
    *hardware.FILES,
    *(
        f"{CPUS}/{name}"
        for name in (
            "cpufreq/boost",
            "cpu*/cpufreq/scaling_governor",
            "cpu*/topology/thread_siblings_list",
            "intel_pstate/no_turbo",
            "isolated",
            "online",
            "smt/active",
        )
    ),
    *(f"{CLOCKSOURCE}/{name}_clocksource" for name in ("available", "current")),
    "sys/devices/system/node/online",
    "sys/hypervisor/type",
    "sys/kernel/mm/transparent_hugepage/enabled",
)
"""All that is read, as patterns of a shell."""


HERE = Path("/")


def profile(root: Path = HERE, ask: Callable[[str], str] | None = None) -> Profile:
    """Return the host profile that the manifest stores.

    Files are looked up below `root`; `ask` returns what a script of the shell prints there, and is
    this machine's shell where `root` is. Architecture and Python version describe this process
    whatever `root` is.
    """
    if ask is None:
        ask = clock.ask if root == HERE else lambda script: ""
    return {
        **_system(root),
        **hardware.hardware(root, ask(hardware.SCRIPT)),
        **cpu_facts(root),
        **_clock(root),
        "clock_sync": clock.clock_sync(ask(clock.SCRIPT.read_text(encoding="utf-8"))),
        **_memory(root),
        **_sockets(root),
        **_limits(root),
        "load_average": _load_average(root),
        # No file tells a node's: its shell is asked.
        "environment": variables() if root == HERE else None,
        "python_version": platform.python_version(),
    }


def _system(root: Path) -> Profile:
    release = proc.fields(root / "etc/os-release", "=")
    name = release.get("PRETTY_NAME", "").strip("\"'")
    return {
        "hostname": proc.text(root / "proc/sys/kernel/hostname"),
        # Tells nodes that share a clock, such as namespaces of one host, from other hosts.
        "boot_id": proc.text(root / "proc/sys/kernel/random/boot_id"),
        "os": name or None,
        "kernel": proc.text(root / "proc/sys/kernel/osrelease"),
        "architecture": platform.machine() or None,
        "kernel_parameters": _kernel_parameters(root),
        "virtualisation": virtualisation(root),
    }


def _kernel_parameters(root: Path) -> str | None:
    """Return the command line up to "--": the rest goes to the first process, not to the kernel."""
    line = proc.text(root / "proc/cmdline")
    if line is None:
        return None
    words = line.split()
    return " ".join(words[: words.index("--")] if "--" in words else words)


def _clock(root: Path) -> Profile:
    available = proc.text(root / CLOCKSOURCE / "available_clocksource")
    return {
        "clocksource": proc.text(root / CLOCKSOURCE / "current_clocksource"),
        "clocksources_available": available.split() if available else None,
        # A node's cannot be read through a shell.
        "clock_step_ns": clock_step_ns() if root == HERE else None,
    }


def _memory(root: Path) -> Profile:
    memory = proc.fields(root / "proc/meminfo", ":")
    total, free = _kib(memory.get("SwapTotal")), _kib(memory.get("SwapFree"))
    # Such as "always [madvise] never", the word in brackets being chosen.
    words = (proc.text(root / "sys/kernel/mm/transparent_hugepage/enabled") or "").split()
    return {
        "memory_bytes": _kib(memory.get("MemTotal")),
        "swap_total_bytes": total,
        "swap_used_bytes": total - free if total is not None and free is not None else None,
        "transparent_hugepage": next(
            (word.strip("[]") for word in words if word.startswith("[")), None
        ),
    }


def _kib(value: str | None) -> int | None:
    """Return the bytes of a /proc/meminfo value such as "2048 kB"."""
    kib = proc.to_int(value.split()[0]) if value else None
    return kib * 1024 if kib is not None else None


def _sockets(root: Path) -> Profile:
    net = root / "proc/sys/net"
    return {
        **{key: proc.number(net / name) for key, name in SOCKET_LIMITS.items()},
        **{key: proc.numbers(net / name) for key, name in SOCKET_RANGES.items()},
        "loopback_mtu": proc.number(root / "sys/class/net/lo/mtu"),
    }


def _load_average(root: Path) -> list[float] | None:
    words = (proc.text(root / "proc/loadavg") or "").split()[:3]
    try:
        return [proc.to_float(word) for word in words] if len(words) == 3 else None
    except ValueError:
        return None


def _limits(root: Path) -> Profile:
    """Return soft limits of this process, which its workers inherit, and its user."""
    lines = (proc.text(root / "proc/self/limits") or "").splitlines()
    user = proc.fields(root / "proc/self/status", ":").get("Uid", "").split()
    return {
        **{key: _limit(lines, title) for key, title in LIMITS.items()},
        "effective_uid": proc.to_int(user[1]) if len(user) > 1 else None,
    }


def _limit(lines: list[str], title: str) -> int | str | None:
    """Return the first number behind the title: the soft limit."""
    words = next((line.removeprefix(title).split() for line in lines if line.startswith(title)), [])
    soft = words[0] if words else None
    return UNLIMITED if soft == UNLIMITED else proc.to_int(soft)


NOT_VIRTUAL = "none"
UNNAMED = "hypervisor (does not name itself)"
"""The CPU says that it is virtual, and nothing says whose it is."""

PRODUCTS = {
    "kvm": "KVM",
    "qemu": "QEMU",
    "vmware": "VMware",
    "virtualbox": "VirtualBox",
    "virtual machine": "Hyper-V",
    "xen": "Xen",
    "hvm domu": "Xen",
    "google compute engine": "Google Compute Engine",
    "amazon ec2": "Amazon EC2",
    "bochs": "Bochs",
    "parallels": "Parallels",
    "openstack": "OpenStack",
}
"""Names by which the firmware of virtual machines calls its vendor and product, in small letters.
"""


def virtualisation(root: Path) -> str | None:
    """Return the hypervisor's name, "none" on a physical machine, None where it is not known.

    On x86 the CPU flag `hypervisor` decides and the firmware gives the name; elsewhere a known
    name in the firmware says that it is virtual, and its absence says nothing.
    """
    flags = proc.fields(root / "proc/cpuinfo", ":").get("flags")
    if flags is not None and "hypervisor" not in flags.split():
        return NOT_VIRTUAL
    kind = proc.text(root / "sys/hypervisor/type")
    name = kind or _product(root) or _paravirtual_clock(root)
    return name or (UNNAMED if flags is not None else None)


def _product(root: Path) -> str | None:
    firmware = root / "sys/class/dmi/id"
    text = " ".join(proc.text(firmware / key) or "" for key in ("sys_vendor", "product_name"))
    return next((name for mark, name in PRODUCTS.items() if mark in text.lower()), None)


def _paravirtual_clock(root: Path) -> str | None:
    """Find KVM by its own clock, offered even where firmware is silent (micro virtual machines)."""
    clocks = root / "sys/devices/system/clocksource/clocksource0/available_clocksource"
    return "KVM" if "kvm-clock" in (proc.text(clocks) or "").split() else None


LOADER = (
    "LD_PRELOAD",
    "LD_AUDIT",
    "LD_BIND_NOW",
    "LD_PROFILE",
    "GLIBC_TUNABLES",
    "MALLOC_*",
)
"""Patterns of those that the loader and the C library take by themselves."""


def acting() -> list[str]:
    """Return patterns of those in which a participant has no say: of the loader, of the C library,
    and of middleware that reads some by itself."""
    of_adapters = [facts.environment.acting for facts in adapter_facts().values()]
    return [*LOADER, *chain.from_iterable(of_adapters)]


def offered() -> list[str]:
    """Return patterns of those by which users configure a middleware."""
    of_adapters = [facts.environment for facts in adapter_facts().values()]
    return [*dict.fromkeys(chain.from_iterable((*of.own, *of.config) for of in of_adapters))]


def variables(environment: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return those that are set and not empty, by name; of this process unless others are given."""
    found = os.environ if environment is None else environment
    patterns = [*acting(), *offered()]
    return {
        name: found[name] for name in sorted(found) if found[name] and is_one_of(name, patterns)
    }


def is_one_of(name: str, patterns: Iterable[str]) -> bool:
    """Return whether a variable is meant by one of these patterns."""
    return any(fnmatchcase(name, pattern) for pattern in patterns)


FACTS = (
    "hostname",
    "architecture",
    "machine_vendor",
    "machine_model",
    "cpu_model",
    "cpus_online",
    "smt_active",
    "governors",
    "turbo",
    "kernel",
    "kernel_parameters",
    "os",
    "virtualisation",
    "clocksource",
)
"""Keys of a profile on which latencies depend and that stay as they are while nobody changes the
machine."""

SETTINGS = (
    "isolated_cpus",
    "cpus_allowed",
    "numa_nodes",
    "memory_bytes",
    "swap_total_bytes",
    "transparent_hugepage",
    "rmem_default",
    "rmem_max",
    "wmem_default",
    "wmem_max",
    "netdev_max_backlog",
    "tcp_rmem",
    "tcp_wmem",
    "udp_mem",
    "loopback_mtu",
    "network_cards",
    "disks",
    "memlock_bytes",
    "rtprio",
    "effective_uid",
    "environment",
)
"""Facts that an administrator sets, or a session is given: they may differ in the next campaign."""

LOAD = "load_average"

LOAD_STEP = 0.5
"""Processes more or fewer, in the mean of the last minute, that are reported."""


def differences(before: Profile, after: Profile) -> dict[str, tuple[object, object]]:
    """Return facts that are not the same, with both values; a fact that one does not report is left
    out."""
    pairs = {fact: (before.get(fact), after.get(fact)) for fact in FACTS}
    return {fact: both for fact, both in pairs.items() if None not in both and both[0] != both[1]}


def whole_differences(before: Profile, after: Profile) -> dict[str, tuple[object, object]]:
    """Return the same with settings of the kernel and limits of the session, and with the load at
    the start of each, where that is not about the same."""
    pairs = {fact: (before.get(fact), after.get(fact)) for fact in SETTINGS}
    found = {fact: both for fact, both in pairs.items() if None not in both and both[0] != both[1]}
    load, later = _last_minute(before), _last_minute(after)
    if load is not None and later is not None and abs(load - later) >= LOAD_STEP:
        found[LOAD] = (load, later)
    return differences(before, after) | found


def _last_minute(profile: Profile) -> float | None:
    loads = profile.get(LOAD)
    return float(loads[0]) if isinstance(loads, list) and loads else None
