"""Frequencies above the nominal one come and go with temperature."""

from __future__ import annotations

from collections.abc import Iterator

from busmark.findings.rule import CheckedFact, Observation, Profile, Rule


def check_host(profile: Profile) -> Iterator[Observation]:
    if profile.get("turbo"):
        yield Observation("note", "the kernel allows frequencies above the nominal one")


def fact(profile: Profile) -> CheckedFact:
    turbo = profile.get("turbo")
    value = None if turbo is None else "on" if turbo else "off"
    return CheckedFact("turbo", value, "the nominal frequency is never exceeded")


RULE = Rule(
    id="turbo",
    title="Turbo is on",
    cause="The amount by which CPUs exceed their nominal frequency depends on temperature and on "
    "how many are busy, so results drift and rounds differ.",
    remedy="echo 1 | sudo tee /sys/devices/system/cpu/intel_pstate/no_turbo, or "
    "echo 0 | sudo tee /sys/devices/system/cpu/cpufreq/boost",
    check_host=check_host,
    fact=fact,
)
