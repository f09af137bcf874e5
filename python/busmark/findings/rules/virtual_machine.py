"""A machine that shares its hardware with others unseen."""

from __future__ import annotations

from collections.abc import Iterator

from busmark.findings.rule import CheckedFact, Observation, Profile, Rule


def check_host(profile: Profile) -> Iterator[Observation]:
    name = profile.get("virtualisation")
    if name not in (None, "none"):
        yield Observation("note", f"running under {name}")


def fact(profile: Profile) -> CheckedFact:
    return CheckedFact("virtualisation", profile.get("virtualisation"), "a physical machine")


RULE = Rule(
    id="virtual-machine",
    title="Virtual machine",
    cause="Waking another CPU goes through the hypervisor (tens of microseconds), and the host may "
    "stop a CPU at any moment.",
    remedy="Compare figures only within one run; for absolute figures use a physical machine.",
    check_host=check_host,
    fact=fact,
)
