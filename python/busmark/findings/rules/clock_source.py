"""What it costs to read the clock four times per sample."""

from __future__ import annotations

from collections.abc import Iterator

from busmark.findings.rule import CheckedFact, Observation, Profile, Rule

IN_USER_SPACE = {"tsc", "arch_sys_counter", "riscv_clocksource", "timebase", "tod"}
"""Counters of the CPU itself, read without a system call in about 20 ns."""

PARAVIRTUAL = {"kvm-clock", "hyperv_clocksource_tsc_page"}
"""Read without a system call too, but scaled by figures of the host: some 10 ns more."""

SYSFS = "/sys/devices/system/clocksource/clocksource0/current_clocksource"


def check_host(profile: Profile) -> Iterator[Observation]:
    current = profile.get("clocksource")
    if current is None or current in IN_USER_SPACE:
        return
    available = profile.get("clocksources_available") or []
    evidence = f"current: {current}; available: {', '.join(available) or 'not known'}"
    if current in PARAVIRTUAL:
        cause = (
            "The clock is the hypervisor's: read without a system call, some 10 ns slower than "
            "the CPU's own counter, and it may step when the machine is moved."
        )
        yield Observation("note", evidence, cause=cause, remedy=_remedy(available))
    else:
        yield Observation("warning", evidence, remedy=_remedy(available))


def _remedy(available: list[str]) -> str:
    if "tsc" in available:
        return f"echo tsc | sudo tee {SYSFS}"
    return (
        "The kernel does not trust the TSC of this machine. See why with `dmesg | grep -i tsc`; "
        "boot with `tsc=reliable` only if the hardware's maker vouches for it."
    )


def fact(profile: Profile) -> CheckedFact:
    return CheckedFact(
        "clock source", profile.get("clocksource"), "read in user space, about 20 ns"
    )


RULE = Rule(
    id="clock-source",
    title="The clock source is not the CPU's own counter",
    cause="Every reading of the clock becomes a system call and an access to a slow device: 0.5 "
    "to 5 µs instead of 20 ns, several times per sample.",
    remedy=f"echo tsc | sudo tee {SYSFS}",
    check_host=check_host,
    fact=fact,
)
