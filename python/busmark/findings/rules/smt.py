"""CPUs that are two halves of one core."""

from __future__ import annotations

from collections.abc import Iterator

from busmark.findings.rule import CheckedFact, Observation, Profile, Rule
from busmark.findings.text import listed


def check_host(profile: Profile) -> Iterator[Observation]:
    if not profile.get("smt_active"):
        return
    cores = [core for core in profile.get("thread_siblings") or [] if len(core) > 1]
    pairs = listed(["+".join(map(str, core)) for core in cores])
    yield Observation("note", f"CPUs that share a core: {pairs or 'not known which'}")


def fact(profile: Profile) -> CheckedFact:
    active = profile.get("smt_active")
    value = None if active is None else "on" if active else "off"
    return CheckedFact("simultaneous multithreading", value, "every CPU has a core to itself")


RULE = Rule(
    id="smt",
    title="CPUs share cores (simultaneous multithreading)",
    cause="Two participants on the two CPUs of one core compete for its units, and wake each "
    'other faster than across cores: "different CPUs" then has two meanings.',
    remedy="Name CPUs of different cores as placement, or switch it off: "
    "echo off | sudo tee /sys/devices/system/cpu/smt/control",
    check_host=check_host,
    fact=fact,
)
