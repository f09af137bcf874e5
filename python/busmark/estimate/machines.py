"""On what machines a case ran: facts of their profiles, by which results can be compared."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from busmark.estimate.rounds import Row
from busmark.model.parameters import Parameters
from busmark.store import Manifest

Profile = Mapping[str, Any]

FACTS = {
    "os": "operating system",
    "kernel": "kernel",
    "architecture": "architecture",
    "cpu_model": "CPU model",
    "hostname": "host",
}
"""Keys of a host's profile that `--by` takes, and what they are called."""

UNRECORDED = "not recorded"

OF_THE_SYSTEM = {
    "os": ("os", "kernel", "kernel_parameters", "hostname"),
    "kernel": ("kernel", "kernel_parameters", "hostname"),
}
"""Further facts that cannot but differ where this one is compared."""

HARDWARE = ("architecture", "cpu_model", "cpus_online", "smt_active", "virtualisation")
"""Facts that make it a comparison of machines, not of what runs on them."""


def compared(by: Sequence[str]) -> set[str]:
    """Return the facts that are compared, or that follow from these."""
    own = [name for name in by if name in FACTS]
    return {fact for name in own for fact in (name, *OF_THE_SYSTEM.get(name, ()))}


def fact_of(manifest: Manifest, params: Parameters, rows: Sequence[Row], fact: str) -> str | None:
    """Return a fact of the machines on which these rounds of a case ran; None if any of them does
    not report it. "A → B": writers on A and readers on B. "A, then B": rounds on one after the
    other."""
    found: dict[str, None] = {}
    for ends in hosts(manifest, params, rows):
        answer: dict[str, None] = {}
        for profiles in ends:
            values = dict.fromkeys(_plain(profile.get(fact)) for profile in profiles)
            if None in values or not values:
                return None
            answer[" and ".join(map(str, values))] = None
        found[" → ".join(answer)] = None
    return ", then ".join(found) or None


def _plain(value: Any) -> str | float | None:
    """Return a fact; None for a value of a damaged manifest that cannot be one."""
    return value if isinstance(value, str | int | float) else None


def hosts(
    manifest: Manifest, params: Parameters, rows: Sequence[Row]
) -> Iterator[tuple[list[Profile], ...]]:
    """Yield the profiles of writing and of reading nodes, or of the one machine, for each host, or
    set of nodes, on which rounds were run; without rounds for the one on which they would begin."""
    orders = sorted({row["order"] or 0 for row in rows}) or [0]
    begun = sorted({_resumed(manifest, order) for order in orders})
    ends = (params.writer_on, params.reader_on)
    if params.network == "nodes" and all(ends):
        names = [str(end).split("+") for end in ends]
    else:
        names = [[""]]
    for number in begun:
        yield tuple([_profile(manifest, name, number) for name in group] for group in names)


def _resumed(manifest: Manifest, order: int) -> int:
    """Return how many resumptions had been before the round of this place."""
    return sum(each.first_order <= order for each in manifest.resumptions)


def _profile(manifest: Manifest, name: str, resumptions: int) -> Profile:
    """Return the profile of a node, or of the machine itself, after this many resumptions."""
    latest: Profile = manifest.hosts.get(name, {})
    for each in manifest.resumptions[:resumptions]:
        latest = each.nodes.get(name, latest) if name else each.host
    return latest
