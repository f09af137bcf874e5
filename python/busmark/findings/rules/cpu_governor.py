"""The CPU's frequency depends on load, and with it every latency."""

from __future__ import annotations

from collections.abc import Iterator

from busmark.findings.rule import CheckedFact, Observation, Profile, Rule
from busmark.findings.text import listed

BEST = "performance"


def check_host(profile: Profile) -> Iterator[Observation]:
    governors: dict[str, str] | None = profile.get("governors")
    if governors:
        slow = {cpu: governor for cpu, governor in governors.items() if governor != BEST}
        if slow:
            named = listed([f"CPU {cpu}: {governor}" for cpu, governor in slow.items()])
            yield Observation("warning", f"{len(slow)} of {len(governors)} CPUs: {named}")
    elif profile.get("virtualisation") not in (None, "none"):
        yield Observation(
            "note",
            f"no CPU shows a governor; virtual machine under {profile['virtualisation']}",
            title="The frequency governor cannot be seen",
            cause="The host of this virtual machine sets the frequency of its CPUs.",
            remedy="Ask for, or set, the governor `performance` on the host.",
        )


def fact(profile: Profile) -> CheckedFact:
    governors: dict[str, str] | None = profile.get("governors")
    value = ", ".join(sorted(set(governors.values()))) if governors else None
    return CheckedFact("frequency governor", value, "the frequency does not follow the load")


RULE = Rule(
    id="cpu-governor",
    title="The frequency governor is not `performance`",
    cause="CPUs slow down when they have little to do and take up to milliseconds to speed up "
    "again, so that latencies at low rates come out longer than at high ones.",
    remedy="echo performance | sudo tee /sys/devices/system/cpu/cpu*/cpufreq/scaling_governor",
    check_host=check_host,
    fact=fact,
)
