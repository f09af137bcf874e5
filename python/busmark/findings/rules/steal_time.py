"""Time that the hypervisor gave to somebody else."""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil
from typing import TYPE_CHECKING

from busmark.findings.rule import Observation, Rule
from busmark.findings.text import count, share

if TYPE_CHECKING:
    from busmark.findings.view import CaseView

MAX_STEAL = 0.01
"""Share of a CPU's time: above it, the 99th percentile is the hypervisor's."""


def check_case(view: CaseView) -> Iterator[Observation]:
    stolen = _stolen(view)
    much = [value for value in stolen.values() if value > MAX_STEAL]
    if much:
        yield Observation(
            "warning",
            # Upwards: what is above the limit must not read as if it were at it.
            f"up to {share(ceil(max(much) * 1e4) / 1e4)} of a CPU's time stolen, more than "
            f"{share(MAX_STEAL)} in {len(much)} of {count(len(stolen), 'round')}",
            weight=max(much),
        )


def _stolen(view: CaseView) -> dict[int, float]:
    """By round, of the CPU from which most was taken: of those on which participants may run, or
    of all where theirs are not known."""
    found = dict(view.values("steal"))
    for number, use in view.cpu_use.items():
        own = [share for cpu, share in use.stolen.items() if cpu in use.taken]
        if number in found and own:
            found[number] = max(own)
    return found


RULE = Rule(
    id="steal-time",
    title="The hypervisor took CPU time away",
    cause="Other virtual machines ran on this one's CPUs while it measured.",
    remedy="Measure at another time, on dedicated CPUs, or on a physical machine.",
    check_case=check_case,
    explains=(
        "rate-not-held", "rounds-disagree", "bimodal", "non-stationary", "target-missed",
        "udp-drops", "loss-under-reliable", "order-effects",
    ),
    concerns=("tail",),
)  # fmt: skip
