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


def differences(before: Profile, after: Profile) -> dict[str, tuple[object, object]]:
    """Facts that are not the same, with both values; a fact that one does not tell is left out."""
    pairs = {fact: (before.get(fact), after.get(fact)) for fact in FACTS}
    return {fact: both for fact, both in pairs.items() if None not in both and both[0] != both[1]}
