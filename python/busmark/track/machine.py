"""What tells machines apart, of what the profiles of a result's hosts say."""

from __future__ import annotations

from typing import Any

from busmark.host.differences import FACTS, SETTINGS
from busmark.store import Manifest
from busmark.track.entry import Machine

APART = (
    "hostname", "architecture", "cpu_model", "cpus_online", "smt_active", "governors", "turbo",
    "virtualisation", "memory_bytes",
)  # fmt: skip
"""Facts of the hardware and how it is set. Levels on machines that differ in one of these say
nothing about each other."""

TOLD = tuple(fact for fact in (*FACTS, *SETTINGS) if fact not in APART)
"""Versions and settings of the system. A change of these may be the cause of a step, and is
reported beside it."""

MEMORY_STEP = 1 << 30
"""Bytes: kernels of one machine differ in what they leave of its memory."""

NAMES = {"cpu_model": "CPU", "cpus_online": "CPUs", "smt_active": "SMT", "memory_bytes": "memory"}


def machine_of(manifest: Manifest, name: str | None) -> Machine:
    """The machine, or all nodes of a campaign together. `name` stands for the host names."""
    hosts = dict(sorted(manifest.hosts.items()))
    several = len(hosts) > 1
    facts: dict[str, Any] = {}
    settings: dict[str, Any] = {}
    for node, profile in hosts.items():
        lead = f"{node or 'here'}: " if several else ""
        for fact in APART:
            if (value := profile.get(fact)) is not None and not (name and fact == "hostname"):
                facts[lead + fact] = _settled(fact, value)
        settings |= {lead + f: v for f in TOLD if (v := profile.get(f)) is not None}
    hostnames = [str(profile.get("hostname") or "unnamed") for profile in hosts.values()]
    shown = name or " + ".join(dict.fromkeys(hostnames)) or "not recorded"
    if name:
        facts["machine"] = name
    return Machine(name=shown, facts=facts, settings=settings)


def _settled(fact: str, value: Any) -> Any:
    if fact == "memory_bytes" and isinstance(value, int):
        return round(value / MEMORY_STEP) * MEMORY_STEP
    return value


def differences(one: Machine, other: Machine) -> list[str]:
    """Facts by which these machines are kept apart, in words."""
    names = dict.fromkeys([*one.facts, *other.facts])
    return [_name(fact) for fact in names if one.facts.get(fact) != other.facts.get(fact)]


def _name(fact: str) -> str:
    lead, _, plain = fact.rpartition(": ")
    told = NAMES.get(plain, plain.replace("_", " "))
    return f"{told} of {lead}" if lead else told
