"""Memory on disk."""

from __future__ import annotations

from collections.abc import Iterator

from busmark.findings.rule import CheckedFact, Observation, Profile, Rule
from busmark.findings.text import size

MAX_SHARE_OF_MEMORY = 0.01
"""Share of memory that may lie in swap: pages nobody has touched since boot are harmless; a
hundredth of memory means that it has been short."""


def check_host(profile: Profile) -> Iterator[Observation]:
    used, memory = profile.get("swap_used_bytes"), profile.get("memory_bytes")
    if not used or not memory or used <= MAX_SHARE_OF_MEMORY * memory:
        return
    yield Observation(
        "warning",
        f"{size(used)} of {size(profile.get('swap_total_bytes') or used)} swap used; "
        f"memory {size(memory)}",
    )


def fact(profile: Profile) -> CheckedFact:
    used = profile.get("swap_used_bytes")
    return CheckedFact(
        "swap in use", size(used) if used is not None else None, "memory has not been short"
    )


RULE = Rule(
    id="swap-in-use",
    title="Swap is in use",
    cause="Memory has been short; a participant that touches a page on disk waits milliseconds.",
    remedy="End what fills the memory, then `sudo swapoff -a && sudo swapon -a`.",
    check_host=check_host,
    fact=fact,
)
