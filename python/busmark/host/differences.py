"""In what two machines differ, or one from what it was before."""

from __future__ import annotations

from busmark.host.profile import Profile

FACTS = (
    "hostname",
    "architecture",
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
    "memlock_bytes",
    "rtprio",
    "effective_uid",
    "environment",
)
"""What an administrator sets, or a session is given: it may be another in the next campaign."""

LOAD = "load_average"

LOAD_STEP = 0.5
"""Processes more or fewer, in the mean of the last minute, that are reported."""


def differences(before: Profile, after: Profile) -> dict[str, tuple[object, object]]:
    """Facts that are not the same, with both values; a fact that one does not report is left
    out."""
    pairs = {fact: (before.get(fact), after.get(fact)) for fact in FACTS}
    return {fact: both for fact, both in pairs.items() if None not in both and both[0] != both[1]}


def whole_differences(before: Profile, after: Profile) -> dict[str, tuple[object, object]]:
    """The same with settings of the kernel and limits of the session, and with the load at the
    begin of each, where that is not about the same."""
    pairs = {fact: (before.get(fact), after.get(fact)) for fact in SETTINGS}
    found = {fact: both for fact, both in pairs.items() if None not in both and both[0] != both[1]}
    load, later = _last_minute(before), _last_minute(after)
    if load is not None and later is not None and abs(load - later) >= LOAD_STEP:
        found[LOAD] = (load, later)
    return differences(before, after) | found


def _last_minute(profile: Profile) -> float | None:
    loads = profile.get(LOAD)
    return float(loads[0]) if isinstance(loads, list) and loads else None
